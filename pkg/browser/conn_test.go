package browser

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/google/go-cmp/cmp"
)

// peer is the other end of a connection, played by the test.
type peer struct {
	t        *testing.T
	conn     *conn
	commands *bufio.Reader
	answers  io.Writer
}

func newPeer(t *testing.T, observe func(*cdp.Event)) *peer {
	t.Helper()
	return newPeerWithin(t, maxFrame, observe)
}

func newPeerWithin(t *testing.T, limit int, observe func(*cdp.Event)) *peer {
	t.Helper()
	pipes, err := openPipes()
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{t: t, conn: newConn(pipes.in, pipes.out, limit, observe), commands: bufio.NewReader(pipes.childIn), answers: pipes.childOut}
	t.Cleanup(func() {
		p.conn.close(ErrClosed)
		pipes.closeChild()
	})
	return p
}

// next reads the next command.
func (p *peer) next() (got cdp.Request) {
	p.t.Helper()
	frame, err := p.commands.ReadBytes(0)
	if err == nil {
		err = json.Unmarshal(frame[:len(frame)-1], &got)
	}
	if err != nil {
		p.t.Error(err)
	}
	return got
}

func (p *peer) say(format string, args ...any) {
	p.t.Helper()
	if _, err := fmt.Fprintf(p.answers, format+"\x00", args...); err != nil {
		p.t.Error(err)
	}
}

// call starts a call and returns where its error will be.
func (p *peer) call(ctx context.Context, session string) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := p.conn.Call(ctx, session, "Test.call", nil)
		done <- err
	}()
	return done
}

func TestAnswersFindTheirCallsInAnyOrder(t *testing.T) {
	t.Parallel()
	p := newPeer(t, nil)
	results := make(chan string, 2)
	for _, session := range []string{"one", "two"} {
		go func() {
			result, err := p.conn.Call(context.Background(), session, "Test.call", nil)
			results <- fmt.Sprint(session, string(result), err)
		}()
	}
	first, second := p.next(), p.next()
	p.say(`{"id":%d,"result":"for %s"}`, second.ID, second.SessionID)
	p.say(`{"id":%d,"result":"for %s"}`, first.ID, first.SessionID)
	p.say(`{"id":99,"result":"for nobody"}`)
	want := map[string]bool{`one"for one"<nil>`: true, `two"for two"<nil>`: true}
	for range 2 {
		if got := <-results; !want[got] {
			t.Errorf("got %s", got)
		}
	}
}

func TestAnErrorAnswerIsTheCallsError(t *testing.T) {
	t.Parallel()
	p := newPeer(t, nil)
	done := p.call(context.Background(), "")
	p.say(`{"id":%d,"error":{"code":-32001,"message":"Session with given id not found."}}`, p.next().ID)
	if err := <-done; !errors.Is(err, cdp.ErrSessionNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestEventsAreSeenFirstAndThenPassedOn(t *testing.T) {
	t.Parallel()
	var seen []string
	p := newPeer(t, func(e *cdp.Event) { seen = append(seen, e.Method) })
	p.say(`{"method":"Test.event","sessionId":"one","params":{"a":1}}`)
	want := &cdp.Event{SessionID: "one", Method: "Test.event", Params: json.RawMessage(`{"a":1}`)}
	if diff := cmp.Diff(want, <-p.conn.Event()); diff != "" {
		t.Error(diff)
	}
	if len(seen) != 1 {
		t.Errorf("seen: %v", seen)
	}
}

func TestACallEndsWithItsContextsCause(t *testing.T) {
	t.Parallel()
	p := newPeer(t, nil)
	cause := errors.New("the page crashed")
	ctx, cancel := context.WithCancelCause(context.Background())
	done := p.call(ctx, "")
	p.next()
	cancel(cause)
	if err := <-done; !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	if err := <-p.call(ctx, ""); !errors.Is(err, cause) {
		t.Errorf("a later call: %v", err)
	}
	if len(p.conn.pending) != 0 {
		t.Errorf("%d calls left pending", len(p.conn.pending))
	}
}

func TestAbandonEndsTheCallsOfOneSession(t *testing.T) {
	t.Parallel()
	p := newPeer(t, nil)
	lost, kept := p.call(context.Background(), "lost"), p.call(context.Background(), "kept")
	ids := map[string]int{}
	for range 2 {
		request := p.next()
		ids[request.SessionID] = request.ID
	}
	p.conn.abandon("lost", ErrCrashed)
	if err := <-lost; !errors.Is(err, ErrCrashed) {
		t.Errorf("got %v", err)
	}
	p.say(`{"id":%d,"result":{}}`, ids["lost"]) // too late
	p.say(`{"id":%d,"result":{}}`, ids["kept"])
	if err := <-kept; err != nil {
		t.Errorf("the other session's call: %v", err)
	}
}

func TestTheOtherEndsSilenceEndsEverything(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*peer){
		"it closes its pipe": func(p *peer) { _ = p.answers.(io.Closer).Close() },
		"it closes amid a frame": func(p *peer) {
			p.say(`{}`)
			_, _ = io.WriteString(p.answers, `{"id"`)
			_ = p.answers.(io.Closer).Close()
		},
		"it says what is not JSON":      func(p *peer) { p.say(`{"id":`) },
		"it says what is not a message": func(p *peer) { p.say(`"hello"`) },
		"its ids are not numbers":       func(p *peer) { p.say(`{"id":"1"}`) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPeer(t, nil)
			done := p.call(context.Background(), "")
			p.next()
			end(p)
			if err := <-done; !errors.Is(err, ErrGone) {
				t.Errorf("the call ended with %v", err)
			}
			if _, open := <-p.conn.Event(); open {
				t.Error("the events go on")
			}
			if err := context.Cause(p.conn.ctx); !errors.Is(err, ErrGone) {
				t.Errorf("the connection ended with %v", err)
			}
		})
	}
}

func TestAReaderThatStopsIsGivenUp(t *testing.T) {
	t.Parallel()
	pipes, err := openPipes()
	if err != nil {
		t.Fatal(err)
	}
	defer pipes.closeChild()
	c := newConn(pipes.in, &hurried{File: pipes.out}, maxFrame, nil)
	defer c.close(ErrClosed)
	_, err = c.Call(context.Background(), "", "Test.call", strings.Repeat("x", 1<<20)) // more than a pipe holds
	if !errors.Is(err, ErrGone) || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the call ended with %v", err)
	}
}

// hurried is a pipe that insists on write deadlines, and shortens them.
type hurried struct{ *os.File }

func (h *hurried) SetWriteDeadline(at time.Time) error {
	if left := time.Until(at); left <= 0 || left > writeTimeout {
		return errors.New("that is no deadline")
	}
	return h.File.SetWriteDeadline(time.Now().Add(20 * time.Millisecond))
}

func TestParametersThatAreNoJSONAreTheCallersError(t *testing.T) {
	t.Parallel()
	p := newPeer(t, nil)
	if _, err := p.conn.Call(context.Background(), "", "Test.call", make(chan int)); err == nil {
		t.Error("no error")
	}
	done := p.call(context.Background(), "")
	p.say(`{"id":%d,"result":{}}`, p.next().ID)
	if err := <-done; err != nil {
		t.Errorf("the next call: %v", err)
	}
}

func TestAnAnswerThatIsTooLongEndsItsCallOnly(t *testing.T) {
	t.Parallel()
	p := newPeerWithin(t, 100, nil)
	long, short := p.call(context.Background(), ""), p.call(context.Background(), "")
	first, second := p.next(), p.next()
	p.say(`{"id":%d,"result":"%s"}`, first.ID, strings.Repeat("x", 200))
	p.say(`{"method":"Too.long","params":"%s"}`, strings.Repeat("x", 200))
	p.say(`{"id":%d,"result":{}}`, second.ID)
	errs := []error{<-long, <-short}
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Errorf("got %v", errs)
	}
}

func TestFramesAreSplitAtNULs(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("y", 200<<10)
	frames := newFrameReader(iotest.HalfReader(strings.NewReader("one\x00\x00"+long+"\x00cut")), 1<<20)
	for _, want := range []string{"one", "", long} {
		if got, err := frames.next(); err != nil || string(got) != want {
			t.Fatalf("got %d bytes, %v; want %d", len(got), err, len(want))
		}
	}
	if _, err := frames.next(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a frame cut off: %v", err)
	}
	if _, err := frames.next(); !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %v", err)
	}
}

// FuzzFrames compares the reader with the plain way of splitting all at once.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("one\x00two\x00"), 10)
	f.Add([]byte("far too long\x00ok\x00"), 3)
	f.Add([]byte("\x00\x00cut"), 1)
	f.Fuzz(func(t *testing.T, stream []byte, limit int) {
		if limit < 0 {
			return
		}
		frames := newFrameReader(iotest.OneByteReader(bytes.NewReader(stream)), limit)
		parts := bytes.Split(stream, []byte{0})
		for _, want := range parts[:len(parts)-1] {
			got, err := frames.next()
			tooLong := len(want) > limit
			if tooLong {
				want = want[:limit]
			}
			if !bytes.Equal(got, want) || errors.Is(err, errFrameTooLong) != tooLong {
				t.Fatalf("got %q, %v; want %q", got, err, want)
			}
		}
		if _, err := frames.next(); err == nil || errors.Is(err, errFrameTooLong) {
			t.Fatalf("after the last frame: %v", err)
		}
	})
}

// FuzzReceive feeds frames to a connection that has one call pending.
func FuzzReceive(f *testing.F) {
	for _, seed := range []string{`{"id":1,"result":{}}`, `{"id":1,"error":{"code":1}}`, `{"method":"A.b","params":{}}`, `{"id":-1}`, `null`, `[`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		ctx, cancel := context.WithCancelCause(context.Background())
		defer cancel(nil)
		c := &conn{in: &frameReader{}, events: make(chan *cdp.Event, 1), ctx: ctx, cancel: cancel, pending: map[int]*pendingCall{}}
		pending := &pendingCall{done: make(chan answer, 1)}
		c.register(pending)
		err := c.receive(frame)
		if err == nil && !json.Valid(frame) {
			t.Errorf("took %q", frame)
		}
		c.refuse(frame)
		if answered := len(pending.done); answered > 1 || answered+len(c.pending) != 1 {
			t.Errorf("%d answers, %d pending", answered, len(c.pending))
		}
	})
}

// FuzzSplitFrame compares the quick way of taking a frame apart with the plain one.
func FuzzSplitFrame(f *testing.F) {
	for _, seed := range []string{
		`{"id":1,"result":{}}`, `{"id":12,"result":{"data":"x"},"sessionId":"AB12"}`, `{"id":1,"error":{"code":1,"message":"a,\"sessionId\":\"B\"}"}}`,
		`{"method":"A.b","params":{"sessionId":"CD"},"sessionId":"EF"}`, `{"method":"A.b","params":{"a":"b"}}`, `{"method":"A.b"}`,
		`{"id":1,"result":{"sessionId":"GH"}}`, `{"method":"A.b","params":{},"sessionId":""}`, `{"id":1,"result":"\\"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		got, is := splitFrame(frame)
		var want message
		if !is || !utf8.Valid(frame) || json.Unmarshal(frame, &want) != nil {
			return
		}
		for _, part := range [][]byte{got.Params, got.Result, got.Error} {
			if part != nil && !json.Valid(part) {
				return // a member that Chromium does not write, or one twice
			}
		}
		if diff := cmp.Diff(trimmed(want), trimmed(got)); diff != "" {
			t.Errorf("%s: %s", frame, diff)
		}
	})
}

// trimmed leaves out the space around the parts, which Chromium does not write.
func trimmed(m message) message {
	for _, part := range []*json.RawMessage{&m.Params, &m.Result, &m.Error} {
		*part = bytes.TrimSpace(*part)
	}
	return m
}
