package chaos_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"

	"integration.gateway/contracts"
	"integration.gateway/contracts/audit"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/contracts/sessions"
)

const (
	// byHand is whose an effect is that a person had in a session.
	byHand = "a person"
	// byHandHeader is what the page of a session sends to the shop with what a
	// person does in it.
	byHandHeader = "X-By-Hand"

	visitLimit = 20 * time.Second // for a step of a visit
	// visitMargin is how long after a visit its session may still be open, for all
	// that the driver knows.
	visitMargin = 30 * time.Second
)

// visit is a session of a trial's user beside the trial. A person may do in it by
// hand what the trial wants: in the session's own browser, through a gateway and
// the DevTools protocol, so that it cannot happen while no session is open.
type visit struct {
	lane  int // of the account whose session it is
	steps []*step

	mu      sync.Mutex
	user    userAt
	session contracts.Session // empty unless it could be opened
	from    time.Time
	until   time.Time // zero while it lasts
}

// step is a part of a visit, which happens once.
type step struct {
	do    visitAct
	at    edge
	begun bool
	err   error
}

type visitAct string

// The steps of a visit. A session that is left at no edge is left at the end of
// the trial.
const (
	openSession  visitAct = "open a session"
	doByHand     visitAct = "do it by hand"
	leaveSession visitAct = "leave the session"
)

// visitable are the edges at which the steps of a visit can happen, in order.
var visitable = []edge{sent, accepted, starting, started, clicked, handled, doubting, doubted, settling, settled, ended}

// visit draws a visit: whatever is done in a session is done while it is open.
func (d dice) visit(lane int) *visit {
	at := []int{d.IntN(len(visitable)), d.IntN(len(visitable)), d.IntN(len(visitable))}
	slices.Sort(at)
	v := &visit{lane: lane, steps: []*step{{do: openSession, at: visitable[at[0]]}}}
	if d.chance(70) {
		v.steps = append(v.steps, &step{do: doByHand, at: visitable[at[1]]})
	}
	if d.chance(50) {
		v.steps = append(v.steps, &step{do: leaveSession, at: visitable[at[2]]})
	}
	return v
}

// doubtful are faults that leave a command in doubt.
var doubtful = []fault{
	{act: siteVanishes, at: handled},
	{act: siteHangsUp, at: clicked},
	{act: killBrowser, at: clicked},
	{act: killService, at: handled, during: fast.lease / 2},
	{act: siteLate, at: clicked, during: 3 * fast.step},
	{act: siteTooLate, at: clicked, during: fast.tooLate},
}

func (d dice) doubtful() *fault {
	f := doubtful[d.IntN(len(doubtful))]
	return &f
}

// visits has the steps happen that a trial's visit has at an edge.
func (w *world) visits(t *trial, at edge) {
	if t.visit == nil {
		return
	}
	for _, s := range t.visit.due(at) {
		w.take(t, s)
	}
}

func (v *visit) due(at edge) (steps []*step) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, s := range v.steps {
		if s.at == at && !s.begun {
			s.begun = true
			steps = append(steps, s)
		}
	}
	return steps
}

// take has one step happen. What is not possible, since something is away, does
// not.
func (w *world) take(t *trial, s *step) {
	ctx, cancel := context.WithTimeout(w.Context(), visitLimit)
	defer cancel()
	switch s.do {
	case openSession:
		s.err = until(ctx, visitLimit, func(ctx context.Context) error { return w.openSession(ctx, t) })
	case doByHand:
		s.err = w.doByHand(ctx, t)
	case leaveSession:
		s.err = w.leaveSession(ctx, t.visit)
	}
}

func (w *world) openSession(ctx context.Context, t *trial) error {
	v, a := t.visit, w.lanes[t.visit.lane]
	v.mu.Lock()
	v.user, v.from = userAt{a.application, a.user}, time.Now()
	v.mu.Unlock()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url(t.gateway)+marketplace.CreateSession.Path, http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+a.accessToken)
	req.Header.Set(contracts.AccountTokenHeader, a.token)
	resp, err := w.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("a session could not be opened: %s", resp.Status)
	}
	var opened contracts.Session
	if err := json.NewDecoder(resp.Body).Decode(&opened); err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.session = opened
	return nil
}

// opened returns the session of the visit, which has no address unless it could
// be opened.
func (v *visit) opened() contracts.Session {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.session
}

// doByHand does in the session what the trial wants.
func (w *world) doByHand(ctx context.Context, t *trial) error {
	session := t.visit.opened()
	if session.WSURL == "" {
		return errors.New("no session is open")
	}
	address, err := url.Parse(session.WSURL)
	if err != nil {
		return err
	}
	address.Host = strings.TrimPrefix(w.url(t.gateway+1), "http://")
	allocator, cancel := remote.NewAllocator(ctx, address.String())
	defer cancel()
	ctx, cancel = chromedp.NewContext(allocator)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Navigate(session.PostSignInURL)); err != nil {
		return err
	}
	script := fmt.Sprintf(`(async () => {
		const headers = {%q: "1"};
		const page = await (await fetch("/dp/%s", {headers})).text();
		const form = new DOMParser().parseFromString(page, "text/html").querySelector('form[action="%s"]');
		return (await fetch(%[3]q, {method: "POST", headers, body: new URLSearchParams(new FormData(form))})).status;
	})()`, byHandHeader, t.wish.mark, t.operation.form)
	status, err := chromedp.Run(ctx, chromedp.Evaluate[int](script, chromedp.EvalAwaitPromise))
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("the shop answered %d", status)
	}
	return err
}

// leaveSession ends the session of a visit.
func (w *world) leaveSession(ctx context.Context, v *visit) error {
	_, rest, _ := strings.Cut(v.opened().WSURL, sessions.Path(""))
	id, _, is := strings.Cut(rest, "/")
	if !is {
		return nil
	}
	return until(ctx, visitLimit, func(ctx context.Context) error {
		var closed audit.Session
		err := w.call(ctx, adminToken, http.MethodDelete, sessions.Path(id), nil, &closed)
		if err == nil && closed.State != "closed" {
			err = fmt.Errorf("session %s is %s", id, closed.State)
		}
		return err
	})
}

// endVisit ends the session of a trial that is over.
func (w *world) endVisit(t *trial) {
	v := t.visit
	if v == nil {
		return
	}
	w.take(t, &step{do: leaveSession})
	v.mu.Lock()
	defer v.mu.Unlock()
	v.until = time.Now().Add(visitMargin)
}

// beside says whether a session of a user may have been open since a time.
func (w *world) beside(a *account, since time.Time) bool {
	w.mu.Lock()
	all := slices.Clone(w.trials)
	w.mu.Unlock()
	return slices.ContainsFunc(all, func(t *trial) bool {
		v := t.visit
		if v == nil {
			return false
		}
		v.mu.Lock()
		defer v.mu.Unlock()
		return v.user == userAt{a.application, a.user} && (v.until.IsZero() || since.Before(v.until))
	})
}

// noSession says whether all sessions have ended.
func (w *world) noSession(ctx context.Context) error {
	var open int
	err := w.pool.QueryRow(ctx, `SELECT (SELECT count(*) FROM user_sessions) + (SELECT count(*) FROM open_sessions)`).Scan(&open)
	if err == nil && open > 0 {
		err = fmt.Errorf("%d sessions are open", open)
	}
	return err
}

// String tells what the visit plans, and what of that was not possible.
func (v *visit) String() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	text := fmt.Sprintf("a visit in lane %d", v.lane)
	for _, s := range v.steps {
		text += fmt.Sprintf(", %s when %s", s.do, s.at)
		switch {
		case !s.begun:
			text += " (not reached)"
		case s.err != nil:
			text += fmt.Sprintf(" (%v)", s.err)
		}
	}
	return text
}
