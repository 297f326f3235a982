package chaos_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/proof"
)

// The counts that must be 0.
var mustBeZero = []string{
	"doubled effects",
	"effects without effect.started",
	"commands without an end",
	"commands in doubt that nobody settled",
	"effects other in number than the commands that say they had them",
	"effects of commands that failed",
	"commands that succeeded without their effect",
	"commands that started an effect twice",
	"wrong verdicts of reconciliations",
	"lost commands",
	"lost events",
	"repeats that got another answer",
	"answers that do not tell the outcome",
	"answers that are not true",
	"answers with another Command-Id",
	"identifiers of nothing that the command made",
	"commands settled by what a person did",
	"commands that ended otherwise than a person said",
	"answers that are not what a person said",
	"sessions without an end",
	"results that were not kept",
	"requests without an answer",
	"things that nobody wanted",
	"losses that were not recovered from",
	"log does not verify",
}

// report is what a run has shown.
type report struct {
	world    *world
	events   int
	verified proof.Report
	stories  []*story
	outcomes []*outcome
	findings []finding
}

// finding is something that must not be.
type finding struct {
	what    string
	text    string
	outcome *outcome // nil when it is about none
}

func (r *report) wrong(what string, o *outcome, format string, args ...any) {
	r.findings = append(r.findings, finding{what, fmt.Sprintf(format, args...), o})
}

func (r *report) failed() bool { return len(r.findings) > 0 }

// compare compares the log, the applications and the answers, trial by trial.
func (r *report) compare(stories []*story) {
	r.stories = stories
	for _, text := range r.world.unrecovered {
		r.wrong("losses that were not recovered from", nil, "%s", text)
	}
	for _, s := range stories {
		switch {
		case s.end != "":
		case s.unknown != nil:
			r.wrong("commands in doubt that nobody settled", nil, "command %s\n%s", s.id, s)
		default:
			r.wrong("commands without an end", nil, "command %s\n%s", s.id, s)
		}
		if s.started > 1 {
			r.wrong("commands that started an effect twice", nil, "%s", s)
		}
	}
	var strange []string
	r.outcomes, strange = r.world.outcomes(stories)
	for _, text := range strange {
		r.wrong("things that nobody wanted", nil, "%s", text)
	}
	ids := map[string]string{}
	for _, o := range r.outcomes {
		r.compareEffects(o)
		r.compareAnswers(o)
		r.compareTexts(o, ids)
		r.comparePersons(o)
	}
	r.compareNumbers()
}

// compareNumbers compares how often a thing happened with how many commands say
// so, whoever wanted it and whichever of them had it.
func (r *report) compareNumbers() {
	applied := map[string]int{}
	for _, o := range r.outcomes {
		for _, s := range o.commands {
			if s.applied && (s.started > 0 || !o.operation.once) {
				applied[o.thing()]++
			}
		}
	}
	for _, o := range r.outcomes {
		if done := r.world.made(o); o.operation.Effect != contracts.NoEffect && done != applied[o.thing()] {
			r.wrong("effects other in number than the commands that say they had them", o,
				"%d effects of %s, which %d commands say they had", done, o.thing(), applied[o.thing()])
		}
	}
}

// thing is what the trial wants, whichever of its user's accounts asks for it.
func (t *trial) thing() string {
	return fmt.Sprintf("%s %s for %s", t.operation.ID(), t.wish.mark, t.account.user)
}

// made counts how often commands have done what a trial wants.
func (w *world) made(o *outcome) (n int) {
	for _, e := range o.account.application.effects {
		if e.by != byHand && o.wants(e.change) {
			n++
		}
	}
	return n
}

// compareEffects compares what the application did with what the log says.
func (r *report) compareEffects(o *outcome) {
	if len(o.effects) > 1 {
		r.wrong("doubled effects", o, "%d effects: %v", len(o.effects), o.effects)
	}
	for _, s := range o.commands {
		found := o.operation.once && s.started == 0 // it was done already
		switch done := len(s.effects) > 0; {
		case done && s.started == 0:
			r.wrong("effects without effect.started", o, "of command %s: %v", s.id, s.effects)
		case done && !s.applied:
			r.wrong("effects of commands that failed", o, "command %s had its effect, and does not say so", s.id)
		case !done && s.applied && !found, s.applied && found && r.world.made(o) == 0:
			r.wrong("commands that succeeded without their effect", o, "command %s", s.id)
		}
		if s.applied && len(s.complete.Result) == 0 && s.by != event.ByOperator {
			r.wrong("results that were not kept", o, "of command %s", s.id)
		}
		if s.verdict != nil && s.end != "" && !s.late && s.verdict.Applied != s.applied {
			r.wrong("wrong verdicts of reconciliations", o, "command %s was found to be %v and ended as %v", s.id, s.verdict.Applied, s.applied)
		}
	}
}

// compareAnswers compares what the clients were told with what the log says.
func (r *report) compareAnswers(o *outcome) {
	for _, q := range o.requests {
		if q.key != "" && q.definite() == nil {
			r.wrong("requests without an answer", o, "key %s", q.key)
		}
		if first, other, differ := q.differ(); differ && q.key != "" {
			r.wrong("repeats that got another answer", o, "key %s:\n  %s\n  %s", q.key, first, other)
		}
		if !q.succeeded() || o.operation.Effect == contracts.NoEffect {
			continue
		}
		id := q.definite().command
		if !slices.ContainsFunc(o.commands, func(s *story) bool { return s.id == id && s.applied }) {
			r.wrong("lost commands", o, "the caller was told that command %s succeeded, and the log does not say so", id)
		}
	}
}

// print prints the table and, for each finding, what it takes to find its
// cause.
func (r *report) print(took time.Duration) {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, n int) { fmt.Fprintf(table, "%d\t  %s\n", n, name) }
	struck, planned := r.strikes()
	row("trials", len(r.outcomes))
	row("faults that struck, of "+fmt.Sprint(planned)+" planned", struck)
	row("ends of processes that the driver did not bring about", len(r.crashes()))
	row("commands", len(r.stories))
	row("events, verified up to "+fmt.Sprint(r.verified.Events), r.events)
	for _, a := range r.world.applications {
		for name, n := range a.made() {
			row("effects: "+name, n)
		}
	}
	row("unknown", len(r.unknown()))
	row("effects that were found late", r.late())
	for _, kind := range []act{rollBack, failOver, rollBackNATS} {
		row("times: "+string(kind), r.world.losses[kind])
	}
	visits, done := r.visits()
	row("sessions", visits)
	row("effects by hand", done)
	row("commands that a person settled", len(r.world.operator.said))
	for _, name := range mustBeZero {
		n := 0
		for _, f := range r.findings {
			if f.what == name {
				n++
			}
		}
		row(name+" (must be 0)", n)
	}
	_ = table.Flush()
	fmt.Printf("\nchaos: seed %d, %v\n%s", r.world.seed, took.Round(time.Second), &text)
	r.printUnknown()
	if crashes := r.crashes(); len(crashes) > 0 {
		fmt.Printf("\nended by themselves, and started again:\n%s\n", strings.Join(crashes, "\n"))
	}
	for _, f := range r.findings {
		fmt.Printf("\n--- %s: %s\n", f.what, f.text)
		if f.outcome != nil {
			r.explain(f.outcome)
		}
	}
}

func (r *report) strikes() (struck, planned int) {
	for _, o := range r.outcomes {
		planned += len(o.faults)
		struck += o.struck()
	}
	return struck, planned
}

// crashes lists the ends of processes that the driver did not bring about, as
// of one that starts while the database is down. Whoever supervises it starts
// it again.
func (r *report) crashes() (all []string) {
	for _, m := range r.world.members {
		m.mu.Lock()
		all = append(all, m.crashes...)
		m.mu.Unlock()
	}
	return all
}

func (r *report) unknown() (all []*story) {
	for _, s := range r.stories {
		if s.unknown != nil {
			all = append(all, s)
		}
	}
	return all
}

func (r *report) late() (n int) {
	for _, s := range r.stories {
		if s.late {
			n++
		}
	}
	return n
}

// visits counts the sessions that could be opened, and what was done in them.
func (r *report) visits() (opened, done int) {
	for _, o := range r.outcomes {
		if o.visit != nil && o.visit.session.WSURL != "" {
			opened++
		}
	}
	for _, a := range r.world.applications {
		for _, e := range a.effects {
			if e.by == byHand {
				done++
			}
		}
	}
	return opened, done
}

// printUnknown lists the commands that were in doubt, each with its
// reconciliation.
func (r *report) printUnknown() {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, s := range r.unknown() {
		trial := "?"
		for _, o := range r.outcomes {
			if slices.Contains(o.commands, s) {
				trial = fmt.Sprintf("%d\t%s", o.number, o.trial)
			}
		}
		end := "not settled\t\t"
		if s.verdict != nil {
			end = fmt.Sprintf("%s\tby %s\tafter %.1fs",
				map[bool]string{true: "applied", false: "not applied"}[s.verdict.Applied], s.verdict.By, s.settled.Sub(*s.unknown).Seconds())
		}
		fmt.Fprintf(table, "%s\tin doubt %.1fs after its start\t%s\ttrial %s\n", s.id, s.unknown.Sub(s.start).Seconds(), end, trial)
	}
	_ = table.Flush()
	if text.Len() > 0 {
		fmt.Printf("\nunknown, and their reconciliation:\n%s", &text)
	}
}

// explain prints what is known of a trial: its plan, what the clients were told,
// its commands, what the application did, and what the processes wrote meanwhile.
func (r *report) explain(o *outcome) {
	fmt.Printf("trial %d of seed %d: %s\naccount %s of %s, wish %s, %s to %s\n%s", o.number, r.world.seed, o.trial,
		o.account.id, o.account.user, o.wish.mark, o.begun.Format(clock), o.ended.Format(clock), o.answers())
	for _, s := range o.commands {
		fmt.Print(s)
	}
	for _, e := range o.account.application.effects {
		if o.wants(e.change) {
			fmt.Printf("  effect at the application: %s\n", e)
		}
	}
	for _, m := range r.world.members {
		for _, line := range m.between(o.begun.Add(-time.Second), o.last().Add(time.Second)) {
			fmt.Fprintf(os.Stdout, "  [%s] %s\n", m.name, line)
		}
	}
}

// last is when the last thing happened in a trial.
func (o *outcome) last() time.Time {
	last := o.ended
	for _, s := range o.commands {
		last = slices.MaxFunc([]time.Time{last, s.events[len(s.events)-1].Time}, time.Time.Compare)
	}
	return last
}

// between returns what a process wrote in a time.
func (m *member) between(from, to time.Time) (lines []string) {
	const limit = 60
	for line := range strings.Lines(m.log()) {
		at, ok := timeOf(line)
		if !ok || at.Before(from) || at.After(to) {
			continue
		}
		if lines = append(lines, strings.TrimSpace(line)); len(lines) >= limit {
			return append(lines, "…")
		}
	}
	return lines
}

// timeOf reads the time of a line of a process log.
func timeOf(line string) (time.Time, bool) {
	_, rest, found := strings.Cut(line, `"time":"`)
	text, _, closed := strings.Cut(rest, `"`)
	at, err := time.Parse(time.RFC3339Nano, text)
	return at, found && closed && err == nil
}
