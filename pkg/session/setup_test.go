package session_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/contracts/sessions"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/command"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/eventlog/eventlogtest"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/schema"
	"integration.gateway/pkg/session"
	"integration.gateway/pkg/testenv"
)

func TestMain(m *testing.M) {
	if os.Getenv(processVar) != "" {
		beProcess()
	}
	testenv.Main(m)
}

const (
	// patience is how long a test waits for what must happen.
	patience = 40 * time.Second
	// lease is how long an instance may be silent in these tests.
	lease = 3 * time.Second
)

var quiet = slog.New(slog.DiscardHandler)

// house is where keepers work: a database, a bus and an application.
type house struct {
	*testing.T
	database string // its address, as the services have it
	nats     string
	nc       *nats.Conn
	log      *eventlog.Log
	pool     *pgxpool.Pool
	site     *httptest.Server
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{T: t, nats: testenv.NATSURL(t), site: newSite(t)}
	url := testenv.DatabaseURL(t)
	for _, migrate := range []func(context.Context, string) error{eventlogtest.Migrate, command.Migrate, session.Migrate} {
		h.must(migrate(t.Context(), url))
	}
	h.database = schema.As(url, schema.Service)
	var err error
	h.nc, err = bus.Connect(h.nats, t.Name(), quiet)
	h.must(err)
	t.Cleanup(h.nc.Close)
	h.pool, err = pgxpool.New(t.Context(), h.database)
	h.must(err)
	t.Cleanup(h.pool.Close)
	h.log = eventlog.New(h.pool)
	return h
}

func (h *house) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// newSite says to each browser who it was signed in as.
func newSite(t *testing.T) *httptest.Server {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if who := r.URL.Query().Get("enter"); who != "" {
			http.SetCookie(w, &http.Cookie{Name: "who", Value: who, Path: "/"})
			http.Redirect(w, r, "/home", http.StatusSeeOther)
			return
		}
		who, err := r.Cookie("who")
		if err != nil {
			who = &http.Cookie{}
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, "<!doctype html><title>%s</title><p>%s", who.Value, who.Value)
	}))
	t.Cleanup(site.Close)
	return site
}

// keeper is one of a process of its own.
type keeper struct {
	*house
	*session.Keeper
	dir  string // where its browsers have their directories
	kept atomic.Int32
	// die has the process be silent from now on, but for its browsers.
	die   func()
	close func()
}

// defaults are the settings of a keeper, where a test has no other.
var defaults = session.Config{Max: 8, MaxCaller: 8, Time: time.Hour, Idle: time.Hour}

func (h *house) keeper(cfg session.Config) *keeper {
	h.Helper()
	return h.keeperWith(cfg, nil)
}

// keeperWith starts a keeper whose log is what through makes of the house's.
func (h *house) keeperWith(cfg session.Config, through func(session.Log) session.Log) *keeper {
	h.Helper()
	instance, err := command.NewInstance(h.Context(), h.pool, lease, quiet)
	h.must(err)
	k := &keeper{house: h, dir: openDir(h)}
	var log session.Log = h.log
	if through != nil {
		log = through(log)
	}
	k.Keeper, err = session.Open(h.Context(), session.Parts{
		Config: cfg, Browser: browser.Config{Path: testenv.Chromium(h), Dir: k.dir, Prepare: flow.Prepare}, Bus: h.nc, Log: log,
		Pool: h.pool, Instance: instance, Logger: slog.New(slog.NewTextHandler(h.Output(), nil)),
	})
	h.must(err)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { instance.Run(ctx) })
	running.Go(func() { k.Run(ctx) })
	k.die = func() {
		cancel()
		running.Wait()
	}
	k.close = sync.OnceFunc(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := k.Close(ctx); err != nil {
			h.Error(err)
		}
		k.die()
		assertNothingLeft(h, k.dir)
	})
	h.Cleanup(k.close)
	return k
}

// opened is a session as its caller has it.
type opened struct {
	*keeper
	*contracts.Session
	id string
}

// request is for a caller and an account, whose user's name is the account's.
func (k *keeper) request(caller, account string) session.Request {
	return session.Request{
		Identity:    bus.Identity{CommandID: uuid.NewString(), CallerID: caller, AccountID: account},
		Integration: "marketplace", Operation: "create-session", Site: "shop", Version: "1", Origins: []string{k.site.URL},
		Restore: func(context.Context) (*browser.State, error) { return nil, nil },
		SignIn: func(ctx context.Context, page *browser.Page) (session.SignedIn, error) {
			rod, cancel := page.Bind(ctx)
			defer cancel()
			wait := rod.WaitNavigation("DOMContentLoaded")
			if err := rod.Navigate(k.site.URL + "/?enter=" + account); err != nil {
				return session.SignedIn{}, err
			}
			wait()
			return session.SignedIn{Home: k.site.URL + "/home"}, page.Err()
		},
		Keep: func(ctx context.Context, page *browser.Page) error {
			_, err := page.State(ctx, []string{k.site.URL})
			if err == nil {
				k.kept.Add(1)
			}
			return err
		},
	}
}

// open opens a session and fails the test if it cannot.
func (k *keeper) open(caller, account string) *opened {
	k.Helper()
	return k.openAs(k.request(caller, account))
}

func (k *keeper) openAs(r session.Request) *opened {
	k.Helper()
	s, err := k.Create(k.Context(), r)
	k.must(err)
	return &opened{keeper: k, Session: s, id: idOf(s)}
}

func idOf(s *contracts.Session) string {
	_, rest, _ := strings.Cut(s.WSURL, "/sessions/")
	id, _, _ := strings.Cut(rest, "/")
	return id
}

// told returns the session's events.
func (o *opened) told() []event.Event {
	o.Helper()
	events, err := o.log.Stream(o.Context(), event.SessionStream(o.id))
	o.must(err)
	return events
}

// closed waits for the session's last event and returns why it ended.
func (o *opened) closed() string {
	o.Helper()
	var last event.Event
	eventually(o, "the end of the session in the log", func() bool {
		events := o.told()
		last = events[len(events)-1]
		return last.Type == event.TypeSessionClosed
	})
	p, err := event.PayloadOf[event.SessionClosed](last)
	o.must(err)
	return p.Reason
}

// ask asks on the bus for the session's holder.
func (o *opened) ask(stop string) (sessions.Holder, error) {
	o.Helper()
	text, err := json.Marshal(sessions.Ask{Stop: stop})
	o.must(err)
	msg, err := o.nc.Request(sessions.Subject(o.id), text, sessions.AskTimeout)
	if err != nil {
		return sessions.Holder{}, err
	}
	var holder sessions.Holder
	o.must(json.Unmarshal(msg.Data, &holder))
	return holder, nil
}

// entered is how many sessions are in the register.
func (h *house) entered() (n int) {
	h.Helper()
	h.must(h.pool.QueryRow(h.Context(), `SELECT count(*) FROM open_sessions`).Scan(&n))
	return n
}

// client is one of the DevTools protocol.
type client struct {
	*opened
	conn *websocket.Conn
	id   int
}

// connect connects to an address.
func (o *opened) connect(address string) *client {
	o.Helper()
	conn, _, err := websocket.Dial(o.Context(), address, nil) //nolint:bodyclose // the library needs no close
	o.must(err)
	conn.SetReadLimit(-1)
	o.Cleanup(func() { _ = conn.CloseNow() })
	return &client{opened: o, conn: conn}
}

// call sends a command and decodes its result.
func (c *client) call(session, method string, params, result any) error {
	c.Helper()
	ctx, cancel := context.WithTimeout(c.Context(), patience)
	defer cancel()
	c.id++
	command := map[string]any{"id": c.id, "method": method, "params": params}
	if session != "" {
		command["sessionId"] = session
	}
	text, err := json.Marshal(command)
	c.must(err)
	if err := c.conn.Write(ctx, websocket.MessageText, text); err != nil {
		return err
	}
	for {
		_, text, err := c.conn.Read(ctx)
		if err != nil {
			return err
		}
		var answer struct {
			ID     int             `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		c.must(json.Unmarshal(text, &answer))
		if answer.ID != c.id {
			continue
		}
		if answer.Error != nil {
			return fmt.Errorf("%s: %s", method, answer.Error)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(answer.Result, result)
	}
}

// pages are the ids of the session's pages, in no order.
func (c *client) pages() (ids []string) {
	c.Helper()
	var targets struct {
		TargetInfos []struct{ TargetID, Type string }
	}
	c.must(c.call("", "Target.getTargets", struct{}{}, &targets))
	for _, target := range targets.TargetInfos {
		if target.Type == "page" {
			ids = append(ids, target.TargetID)
		}
	}
	return ids
}

// name is what the page that the session stands on says who is signed in.
func (c *client) name() string {
	c.Helper()
	pages := c.pages()
	if len(pages) == 0 {
		c.Fatal("there is no page")
	}
	var attached struct{ SessionID string }
	c.must(c.call("", "Target.attachToTarget", map[string]any{"targetId": pages[0], "flatten": true}, &attached))
	var evaluated struct{ Result struct{ Value string } }
	c.must(c.call(attached.SessionID, "Runtime.evaluate", map[string]any{"expression": "document.title"}, &evaluated))
	return evaluated.Result.Value
}

// cutOff waits until the connection has ended, and returns what the client was
// told, and after how long.
func (c *client) cutOff() (why string, took time.Duration) {
	c.Helper()
	began := time.Now()
	ctx, cancel := context.WithTimeout(c.Context(), patience)
	defer cancel()
	for {
		if _, _, err := c.conn.Read(ctx); err != nil {
			if ctx.Err() != nil {
				c.Fatal("the client is still connected")
			}
			return err.Error(), time.Since(began)
		}
	}
}

// openDir is a directory that every user can reach, unlike t.TempDir's.
func openDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "session-test-") //nolint:usetesting // t.TempDir is closed to other users
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// eventually fails the test unless check turns true in time.
func eventually(t testing.TB, what string, check func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !check(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not in %v: %s", patience, what)
		}
	}
}

// assertNothingLeft fails the test if a process or a file of browsers with their
// directories in dir is still there.
func assertNothingLeft(t testing.TB, dir string) {
	t.Helper()
	if left := processes(t, dir); len(left) > 0 {
		t.Errorf("%d processes left: %v", len(left), left)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Error(err)
	}
	for _, file := range files {
		t.Errorf("left behind: %s", file.Name())
	}
}

// groups are the process groups of the Chromiums seen in each directory.
var groups sync.Map

// processes returns the processes of the Chromiums that have a directory in dir,
// with all in their process groups. Zombies do not count.
func processes(t testing.TB, dir string) (found []int) {
	t.Helper()
	entries, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	members := map[int][]int{}
	for _, entry := range entries {
		cmdline, _ := os.ReadFile(filepath.Join(entry, "cmdline"))
		stat, _ := os.ReadFile(filepath.Join(entry, "stat"))
		var state, parent string
		var group int
		_, after, is := strings.Cut(string(stat), ") ")
		if _, err := fmt.Sscan(after, &state, &parent, &group); !is || err != nil || state == "Z" {
			continue // it has gone
		}
		pid, _ := strconv.Atoi(filepath.Base(entry))
		members[group] = append(members[group], pid)
		if bytes.Contains(cmdline, []byte(dir+"/igw-")) {
			groups.Store(group, dir)
		}
	}
	for group, pids := range members {
		if of, seen := groups.Load(group); seen && of == dir {
			found = append(found, pids...)
		}
	}
	return found
}
