package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/audit"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/settings"
)

type eventsReplay struct {
	filterFlags
	To    string  `help:"NATS subject to send the events to, each marked as a replay (needs NATS_URL). Without it, the read models are rebuilt and compared." placeholder:"SUBJECT"`
	Rate  float64 `help:"Send at most so many events a second." default:"500"`
	State string  `help:"File that notes how far the replay has come; the same command goes on from there." placeholder:"FILE"`
}

func (c *eventsReplay) Run(ctx context.Context, p *printer, con *console) error {
	filter := c.filter()
	log, err := openLog(ctx, con)
	if err != nil {
		return err
	}
	defer log.close()
	if c.To != "" {
		return c.send(ctx, con, log.Log, filter)
	}
	if filter != (eventlog.Filter{}) {
		return errors.New("the read models are rebuilt from the whole log: filters need --to")
	}
	return c.rebuild(ctx, p, con, log)
}

// send replays to NATS.
func (c *eventsReplay) send(ctx context.Context, con *console, log *eventlog.Log, filter eventlog.Filter) error {
	if !(c.Rate > 0 && c.Rate <= 1e6) { // NaN, too
		return errors.New("--rate must be above 0 and at most 1000000 events a second")
	}
	if err := audit.CheckSubject(c.To); err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	state, err := openReplayState(c.State, c.To, filter)
	if err != nil {
		return err
	}
	if err := state.belongs(ctx, log); err != nil {
		return err
	}
	nc, err := connectNATS(con)
	if err != nil {
		return err
	}
	defer nc.Close()
	filter = state.Filter
	filter.AfterSeq = max(filter.AfterSeq, state.Seq)
	progress, done := con.progress("replaying to " + c.To)
	replay := audit.Replay{Log: log, NATS: nc, Subject: c.To, ID: state.ID, Rate: c.Rate, Sent: state.sent}
	sent, err := replay.Run(ctx, filter, progress)
	done()
	if err != nil {
		return fmt.Errorf("%w; %d events were sent, go on after seq %d", err, sent, state.Seq)
	}
	_, err = fmt.Fprintf(con.stdout, "%d events sent to %s, as replay %s\n", sent, c.To, state.ID)
	return err
}

func connectNATS(con *console) (*nats.Conn, error) {
	cfg, err := settings.FromMap[struct {
		URL string `env:"NATS_URL,required,notEmpty"`
	}](con.vars)
	if err != nil {
		return nil, err
	}
	// What was on its way when a connection broke is lost. Without a second
	// connection the replay ends there, and goes on after what arrived.
	nc, err := nats.Connect(cfg.URL, nats.Name("igw"), nats.NoReconnect())
	var malformed *url.Error
	if errors.As(err, &malformed) {
		err = errors.New("it is not a URL") // the library's text holds it, and that a password
	}
	if err != nil {
		return nil, fmt.Errorf("NATS_URL: %w", err)
	}
	return nc, nil
}

// replayState says how far a replay to NATS has come.
type replayState struct {
	ID      string          `json:"replay"`
	Subject string          `json:"subject"`
	Filter  eventlog.Filter `json:"filter"`
	Seq     int64           `json:"seq"`             // of the last event that was sent
	Event   string          `json:"event,omitempty"` // its id

	path string // empty: it is not kept
}

// openReplayState reads the state of a replay that was cut short, or begins
// one.
func openReplayState(path, subject string, filter eventlog.Filter) (*replayState, error) {
	begun := &replayState{ID: uuid.Must(uuid.NewV7()).String(), Subject: subject, Filter: filter, Seq: filter.AfterSeq, path: path}
	if path == "" {
		return begun, nil
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return begun, begun.save()
	}
	if err != nil {
		return nil, fmt.Errorf("--state: %w", err)
	}
	state := &replayState{path: path}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(state); err != nil || state.ID == "" || state.Seq < 0 {
		return nil, fmt.Errorf("--state: %s is not the state of a replay", path)
	}
	if state.Subject != subject || !sameFilter(state.Filter, filter) {
		return nil, fmt.Errorf("--state: %s belongs to a replay with another subject or other filters", path)
	}
	return state, nil
}

// sameFilter leaves out the times: those given as "so long ago" move on.
func sameFilter(a, b eventlog.Filter) bool {
	a.Since, a.Until, b.Since, b.Until = time.Time{}, time.Time{}, time.Time{}, time.Time{}
	return a == b
}

// belongs checks that the last event that was sent is one of this log.
func (s *replayState) belongs(ctx context.Context, log *eventlog.Log) error {
	if s.Event == "" {
		return nil
	}
	found, err := log.Range(ctx, s.Seq-1, 1)
	if err != nil {
		return err
	}
	if len(found) == 0 || found[0].ID != s.Event {
		return fmt.Errorf("--state: %s belongs to a replay of another log, whose event %d was %s; name another file", s.path, s.Seq, s.Event)
	}
	return nil
}

// sent notes that the events up to last were sent.
func (s *replayState) sent(last event.Event) error {
	s.Seq, s.Event = last.Seq, last.ID
	return s.save()
}

// save writes the state in one step, so that a kill leaves the old or the new.
func (s *replayState) save() error {
	if s.path == "" {
		return nil
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return replaceFile(s.path, text)
}

// replaceFile gives a file new content in one step.
func replaceFile(path string, content []byte) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	_, writeErr := file.Write(content)
	if err := errors.Join(writeErr, file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
