package chaos_test

import (
	"fmt"
	"syscall"
	"time"
)

// edge is a moment in the life of a command at which a fault can strike.
type edge string

// The edges, in the order in which a command meets them. Those in -ing are
// right before an append to the event log, those in -ed right after it.
const (
	sent      edge = "sent"      // the client sends the request
	accepting edge = "accepting" // command.accepted
	accepted  edge = "accepted"
	opened    edge = "opened"   // the page that the effect sets out from is asked for
	starting  edge = "starting" // effect.started
	started   edge = "started"
	clicked   edge = "clicked"  // what has the effect has reached the application, which has not carried it out
	handled   edge = "handled"  // it has, and has not answered
	doubting  edge = "doubting" // effect.unknown
	doubted   edge = "doubted"
	settling  edge = "settling" // effect.reconciled, with the end
	settled   edge = "settled"
	ending    edge = "ending" // command.completed or command.rejected; the reply comes behind it
	ended     edge = "ended"
)

// act is what a fault does.
type act string

// The acts. What they strike is the process that carries the command out,
// unless they say otherwise.
const (
	killService   act = "kill service"
	pauseService  act = "pause service"
	killBrowser   act = "kill browser"
	crashPage     act = "crash page"
	hangPage      act = "hang page"
	cutDatabase   act = "cut database"
	loseCommit    act = "lose commit"    // the append does not reach the database
	loseAck       act = "lose ack"       // the append is committed, its answer lost
	resetDatabase act = "reset database" // connections
	slowDatabase  act = "slow database"
	cutNATS       act = "cut NATS" // this process alone: a partition
	loseReply     act = "lose reply"
	slowNATS      act = "slow NATS"
	databaseDown  act = "database down" // for all
	natsDown      act = "NATS down"     // for all
	killGateway   act = "kill gateway"  // the one that was asked
	killAudit     act = "kill audit"
	killAccounts  act = "kill accounts"
	killPostgres  act = "kill Postgres"
	killNATS      act = "kill NATS"
	rollBack      act = "roll back"      // Postgres, to the state that it has at the edge, after a while
	failOver      act = "fail over"      // from Postgres to a standby that follows it up to the edge, after a while
	fillPostgres  act = "fill Postgres"  // its disk
	stepClock     act = "step the clock" // of Postgres by two minutes, and back after a while
	fillNATS      act = "fill NATS"      // its store
	rollBackNATS  act = "roll back NATS" // to the state that it has at the edge, after a while

	siteLate     act = "site late"      // it carries the order out after the flow has given up
	siteTooLate  act = "site too late"  // it carries the order out after it was found that it had not
	siteSilent   act = "site silent"    // it carries the order out and answers after the limit
	siteRefuses  act = "site refuses"   // 503, before anything is done
	siteFails    act = "site fails"     // 502, after all is done
	siteBreaks   act = "site breaks"    // the answer breaks off in the middle, after all is done
	siteHangsUp  act = "site hangs up"  // no answer, before anything is done
	siteVanishes act = "site vanishes"  // no answer, after all is done
	signedOut    act = "site signs out" // the session, in the middle of the flow
)

// kind is an act with the edges that it makes sense at, and how long it lasts.
type kind struct {
	act             act
	edges           []edge
	least, greatest time.Duration
}

var (
	everywhere = []edge{accepting, accepted, opened, starting, started, clicked, handled, doubting, doubted, settling, settled, ending, ended}
	carrying   = []edge{accepted, opened, starting, started, clicked, handled, ending}
	appends    = []edge{accepting, starting, doubting, settling, ending}
)

// kinds are all kinds of faults.
var kinds = []kind{
	{killService, everywhere, 0, 2 * time.Second},
	{pauseService, everywhere, fast.lease / 2, 3 * fast.lease},
	{killBrowser, carrying, 0, 0},
	{crashPage, carrying, 0, 0},
	{hangPage, carrying, 5 * time.Second, 12 * time.Second},
	{cutDatabase, append([]edge{sent}, everywhere...), 200 * time.Millisecond, 4 * time.Second},
	{loseCommit, appends, 200 * time.Millisecond, 2 * time.Second},
	{loseAck, appends, 100 * time.Millisecond, 2 * time.Second},
	{resetDatabase, append([]edge{sent}, appends...), 100 * time.Millisecond, time.Second},
	{slowDatabase, []edge{sent, accepted}, time.Second, 4 * time.Second},
	{cutNATS, append([]edge{sent}, carrying...), 200 * time.Millisecond, 4 * time.Second},
	{loseReply, []edge{ending, ended}, 200 * time.Millisecond, 2 * time.Second},
	{slowNATS, []edge{sent, accepted}, time.Second, 4 * time.Second},
	{databaseDown, append([]edge{sent}, everywhere...), 200 * time.Millisecond, 4 * time.Second},
	{natsDown, append([]edge{sent}, everywhere...), 200 * time.Millisecond, 4 * time.Second},
	{killGateway, []edge{accepted, started, handled, ended}, 0, 2 * time.Second},
	{killAudit, []edge{accepted, started, ended}, 0, 2 * time.Second},
	{killAccounts, []edge{sent, accepted}, 0, time.Second},
	{killPostgres, append([]edge{sent}, everywhere...), 0, 4 * time.Second},
	{killNATS, append([]edge{sent}, everywhere...), 0, 4 * time.Second},
	{rollBack, []edge{sent, accepted, opened, starting, clicked}, time.Second, 6 * time.Second},
	{failOver, everywhere, time.Second, 6 * time.Second},
	{fillPostgres, append([]edge{sent}, everywhere...), 500 * time.Millisecond, 4 * time.Second},
	{stepClock, append([]edge{sent}, everywhere...), time.Second, 10 * time.Second},
	{fillNATS, append([]edge{sent}, everywhere...), 500 * time.Millisecond, 4 * time.Second},
	{rollBackNATS, append([]edge{sent}, everywhere...), time.Second, 6 * time.Second},
	{siteLate, []edge{clicked, opened}, 9 * fast.step / 4, 3 * fast.step},
	{siteTooLate, []edge{clicked}, fast.tooLate, fast.tooLate + 3*time.Second},
	{siteSilent, []edge{handled}, 9 * fast.step / 4, 3 * fast.step},
	{siteRefuses, []edge{clicked, opened}, 0, 0},
	{siteFails, []edge{handled}, 0, 0},
	{siteBreaks, []edge{handled}, 0, 0},
	{siteHangsUp, []edge{clicked, opened}, 0, 0},
	{siteVanishes, []edge{handled}, 0, 0},
	{signedOut, []edge{opened, clicked}, 0, 0},
}

// fault is one trouble that a trial runs into, the first time that one of its
// commands comes to an edge.
type fault struct {
	act    act
	at     edge
	during time.Duration
	struck bool
	missed bool // it came to its edge, and could not be brought about
}

func (f *fault) String() string {
	text := fmt.Sprintf("%s when %s", f.act, f.at)
	if f.during > 0 {
		text += fmt.Sprintf(" for %v", f.during.Round(time.Millisecond))
	}
	if !f.struck || f.missed {
		text += " (not reached)"
	}
	return text
}

// strike brings a fault about, unless it is the site's own, which the caller
// then does. The service is the one that carries the command out. Where another
// outage is under way, there is no second one.
func (w *world) strike(f *fault, service *member, gateway int) (struck bool) {
	switch f.act {
	case killService:
		service.kill(f.during)
	case pauseService:
		service.pause(f.during)
	case killBrowser:
		signalBrowser(service.pid(), false, syscall.SIGKILL)
	case crashPage:
		signalBrowser(service.pid(), true, syscall.SIGKILL)
	case hangPage:
		hang(service.pid(), f.during)
	case cutDatabase:
		service.database.cut(f.during)
	case loseCommit:
		service.database.loseRequests(f.during)
	case loseAck:
		service.database.loseAnswers(f.during)
	case resetDatabase:
		service.database.reset(f.during)
	case slowDatabase:
		service.database.delay(150*time.Millisecond, f.during)
	case cutNATS:
		service.nats.cut(f.during)
	case loseReply:
		service.nats.loseRequests(f.during)
	case slowNATS:
		service.nats.delay(300*time.Millisecond, f.during)
	case databaseDown:
		for _, m := range w.members {
			if m.database != nil {
				m.database.cut(f.during)
			}
		}
	case natsDown:
		for _, m := range w.members {
			m.nats.cut(f.during)
		}
	case killGateway:
		w.gateways[gateway%len(w.gateways)].kill(f.during)
	case killAudit:
		w.audit.kill(f.during)
	case killAccounts:
		w.accounts.kill(f.during)
	case killPostgres, killNATS, rollBack, failOver, fillPostgres, stepClock, fillNATS, rollBackNATS:
		return w.outage(f)
	case siteTooLate:
		return w.awaitLate(f)
	}
	return true
}
