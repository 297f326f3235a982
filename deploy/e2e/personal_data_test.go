package e2e_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"integration.gateway/contracts/accounts"
	"integration.gateway/contracts/event"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/deploy/stack"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/readmodel"
	"integration.gateway/pkg/vault"
	"integration.gateway/services/marketplace/sandbox"
)

// The values that exist nowhere but in the requests of this test.
const (
	searched       = "quinoa-marker-7f3a"
	searchedInVain = "failing-marker-9b2c" // by a search that breaks off
	strangeHost    = "marker-host-4d1e.example"
	wrongUsername  = "marker.user.51c8@example.com"
	wrongPassword  = "marker-password-a04e"
	oneTimeSecret  = "MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43U"
)

// search is a run of the gateway with all that it leaves behind, and what is
// looked for in it.
type search struct {
	*gateway
	pool       *pgxpool.Pool
	log        *eventlog.Log
	vault      *vault.Vault
	processLog *processLog
	secrets    map[string]string // by what they are
}

// processLog is what the whole stack logs, at every level.
type processLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *processLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *processLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func startSearch(t *testing.T) *search {
	t.Helper()
	cfg := configure(t)
	s := &search{processLog: &processLog{}, secrets: map[string]string{}}
	running, err := stack.Start(t.Context(), cfg, slog.New(slog.NewJSONHandler(s.processLog, &slog.HandlerOptions{Level: slog.LevelDebug})))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := running.Stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	s.gateway = &gateway{T: t, env: running.Env}
	if s.pool, err = pgxpool.New(t.Context(), running.Env.DatabaseURL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.pool.Close)
	s.log = eventlog.New(s.pool)
	keeperURL, err := os.ReadFile(filepath.Join(cfg.RunDir, "vault-key"))
	if err != nil {
		t.Fatal(err)
	}
	if s.vault, err = vault.Open(t.Context(), s.pool, string(bytes.TrimSpace(keeperURL))); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.vault.Close() })
	return s
}

// secret adds to what is looked for. A value that is too short to be found by
// chance only would be no evidence.
func (s *search) secret(what, value string) {
	s.Helper()
	if len(value) < 6 {
		s.Fatalf("the %s is only %q", what, value)
	}
	s.secrets[what] = value
}

// TestPersonalDataIsNowhereInClearAndGoneOnceErased shops with several end
// users, with success and with every kind of failure, and then looks for their
// data in all that this left behind.
func TestPersonalDataIsNowhereInClearAndGoneOnceErased(t *testing.T) {
	t.Parallel()
	s := startSearch(t)
	jane := s.link(sandbox.Jane.Username, sandbox.Jane.Password)
	declined := s.link(sandbox.Viktor.Username, sandbox.Viktor.Password)
	unknown := s.linkUnknown()
	for what, value := range map[string]string{
		"search word": searched, "search word of a failed search": searchedInVain, "host of an item's address": strangeHost,
		"user name": sandbox.Jane.Username, "password": sandbox.Jane.Password, "refused user name": wrongUsername,
		"refused password": wrongPassword, "one-time-code secret": oneTimeSecret,
		"admin token": s.env.AdminToken, "access token": jane.access, "account token": jane.account,
	} {
		s.secret(what, value)
	}
	s.shop(jane)
	s.fail(jane, declined, unknown)

	events := s.events()
	s.expectOpened(events)
	s.expectNoneInClear(events)

	accountIDs := s.accounts()
	for _, account := range accountIDs {
		erased := result[accounts.Account](s.gateway, s.send(http.MethodPost,
			strings.Replace(accounts.EraseAccount.Path, "{accountId}", account, 1), tokens{access: s.env.AdminToken}, nil))
		if erased.ErasedAt == nil {
			t.Errorf("account %s is not erased: %+v", account, erased)
		}
	}
	denied(s.gateway, s.send(http.MethodGet, marketplace.BuyAgain.Path, jane, nil), http.StatusUnauthorized)
	events = s.events()
	s.expectErased(events)
	s.expectNoneInClear(events)
	s.expectProvenAndReplayed(events, len(accountIDs))
}

// linkUnknown links an account that the shop does not know.
func (s *search) linkUnknown() tokens {
	s.Helper()
	admin := tokens{access: s.env.AdminToken}
	callers := result[accounts.Callers](s.gateway, s.send(http.MethodGet, accounts.ListCallers.Path, admin, nil))
	linked := result[accounts.LinkedAccount](s.gateway, s.send(http.MethodPost, accounts.LinkAccount.Path, admin, accounts.NewAccount{
		CallerID: callers.Callers[0].CallerID, Integration: "marketplace",
		Username: wrongUsername, Password: wrongPassword, OneTimeSecret: oneTimeSecret,
	}))
	return tokens{s.env.AccessToken, linked.AccountToken}
}

// shop searches, fills the cart and orders; what the shop answers is looked for
// as well.
func (s *search) shop(who tokens) {
	s.Helper()
	result[marketplace.SearchResults](s.gateway, s.send(http.MethodGet, marketplace.Search.Path+"?query="+searched, who, nil))
	item := s.item("coffee")
	choice := marketplace.ItemChoice{ASIN: item.ASIN}
	result[marketplace.CartAddition](s.gateway, s.send(http.MethodPost, marketplace.AddToCart.Path, who, choice))
	order := result[marketplace.Order](s.gateway, s.send(http.MethodPost, marketplace.BuyNow.Path, who, choice))
	bought := result[marketplace.BuyAgainList](s.gateway, s.send(http.MethodGet, marketplace.BuyAgain.Path, who, nil))
	s.secret("item that was ordered", order.ASIN)
	s.secret("title that was ordered", order.Title)
	s.secret("address of the item's page", item.ItemURL)
	s.secret("delivery address", order.DeliveryAddress)
	s.secret("street", strings.TrimSpace(strings.Split(order.DeliveryAddress, ",")[1]))
	s.secret("payment method", order.PaymentMethod)
	s.secret("title that was bought before", bought.Items[len(bought.Items)-1].Title)
}

// advice is what we add to the application's own words.
var advice = regexp.MustCompile(`(?i)(;| )\s*(nothing was done: )?once that has changed, .*`)

// fail makes calls that are refused or break off, each in another place. No
// error of ours holds what was asked for, and none at all a secret of sign-in.
func (s *search) fail(jane, declined, unknown tokens) {
	s.Helper()
	asin := s.secrets["item that was ordered"]
	call := func(status int, method, path string, who tokens, body any) string {
		s.Helper()
		message := denied(s.gateway, s.send(method, path, who, body), status)
		for what, secret := range s.secrets {
			if strings.Contains(message, secret) {
				s.Errorf("the error of %s %s holds the %s: %s", method, path, what, message)
			}
		}
		return message
	}
	buy := marketplace.BuyNow.Path
	call(400, "POST", buy, jane, marketplace.ItemChoice{ItemURL: "https://" + strangeHost + "/dp/" + asin})
	words := call(400, "POST", buy, declined, marketplace.ItemChoice{ASIN: asin})
	s.secret("words of the refused order", advice.ReplaceAllString(words, ""))
	words = call(400, "GET", marketplace.BuyAgain.Path, unknown, nil)
	s.secret("words of the refused sign-in", advice.ReplaceAllString(words, ""))
	call(404, "POST", buy, jane, marketplace.ItemChoice{ASIN: "QMARKER999"})
	s.secret("item that is not there", "QMARKER999")

	inVain := marketplace.Search.Path + "?query=" + searchedInVain
	for _, faults := range []string{
		`{"failing": [{"path": "/search*", "status": 503}]}`, `{"hangUp": [{"path": "/search*"}]}`, `{"markup": ["` + sandbox.Redesign + `"]}`,
	} {
		s.faults(faults)
		call(500, "GET", inVain, jane, nil)
	}
	s.faults(`{"failing": [{"path": "/buy-now", "status": 500}]}`)
	call(500, "POST", buy, jane, marketplace.ItemChoice{ASIN: asin}) // in doubt
	s.faults(`{}`)
}

// accounts returns the ids of the linked accounts.
func (s *search) accounts() []string {
	s.Helper()
	list := result[accounts.Accounts](s.gateway, s.send(http.MethodGet, accounts.ListAccounts.Path, tokens{access: s.env.AdminToken}, nil))
	var ids []string
	for _, a := range list.Accounts {
		ids = append(ids, a.AccountID)
	}
	return ids
}

// events returns all events of the log, once all that were appended are in its
// order.
func (s *search) events() []event.Event {
	s.Helper()
	var events []event.Event
	s.await(func() error {
		var appended int
		err := s.pool.QueryRow(s.Context(), `select count(*) from events`).Scan(&appended)
		if err != nil {
			return err
		}
		if events, err = s.log.Range(s.Context(), 0, appended+1); err == nil && len(events) != appended {
			err = fmt.Errorf("%d of %d events are in order", len(events), appended)
		}
		return err
	})
	return events
}

func (s *search) await(check func() error) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), 30*time.Second)
	defer cancel()
	await(ctx, s.T, check)
}

// expectOpened fails the test unless the account's key opens what is looked
// for: it is in the log, sealed, and not left out.
func (s *search) expectOpened(events []event.Event) {
	s.Helper()
	var opened strings.Builder
	for _, e := range events {
		data, err := s.vault.OpenFields(s.Context(), e.Account, e.Data)
		if err != nil {
			s.Fatalf("%s of %s: %v", e.Type, e.Stream, err)
		}
		opened.Write(data)
	}
	for _, what := range []string{
		"search word", "search word of a failed search", "host of an item's address", "item that was ordered", "title that was ordered",
		"delivery address", "payment method", "title that was bought before", "words of the refused order", "words of the refused sign-in",
	} {
		if !strings.Contains(opened.String(), s.secrets[what]) {
			s.Errorf("the log lacks the %s", what)
		}
	}
}

// expectNoneInClear looks through everything that the run has left behind.
func (s *search) expectNoneInClear(events []event.Event) {
	s.Helper()
	places := map[string]string{"tables": s.tables(), "stream": s.stream(events[len(events)-1].Seq), "process log": s.processLog.String()}
	for place, content := range places {
		// An event's id is everywhere that its data could be but in the process
		// log, which has the id of its command.
		known := events[len(events)-1].ID
		if place == "process log" {
			known = events[len(events)-1].Command
		}
		if !strings.Contains(content, known) {
			s.Fatalf("the %s do not hold %s: the search sees nothing", place, known)
		}
		for what, secret := range s.secrets {
			for _, form := range []string{secret, fmt.Sprintf("%X", secret), url.QueryEscape(secret)} {
				if at := strings.Index(content, form); at >= 0 {
					s.Errorf("the %s is in the %s: …%s…", what, place, content[max(0, at-200):min(len(content), at+100)])
				}
			}
		}
	}
}

// tables returns all rows of all tables as text; bytes are in hexadecimal.
func (s *search) tables() string {
	s.Helper()
	conn, err := s.pool.Acquire(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	defer conn.Release()
	if _, err := conn.Exec(s.Context(), `set xmlbinary = hex`); err != nil {
		s.Fatal(err)
	}
	var all string
	err = conn.QueryRow(s.Context(), `select string_agg(query_to_xml(format('select * from %I', relname), true, false, '')::text, '')
		from pg_class where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace`).Scan(&all)
	if err != nil {
		s.Fatal(err)
	}
	return all
}

// stream returns all messages of the events' JetStream stream, once it holds
// the log's events up to one.
func (s *search) stream(last int64) string {
	s.Helper()
	nc, err := nats.Connect(s.env.NATSURL)
	if err != nil {
		s.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		s.Fatal(err)
	}
	stream, err := js.Stream(s.Context(), eventlog.DefaultStream)
	if err != nil {
		s.Fatal(err)
	}
	var all strings.Builder
	for seq := int64(1); seq <= last; seq++ {
		var msg *jetstream.RawStreamMsg
		s.await(func() error {
			msg, err = stream.GetMsg(s.Context(), uint64(seq))
			return err
		})
		fmt.Fprintln(&all, msg.Subject, msg.Header, string(msg.Data))
	}
	return all.String()
}

// expectErased fails the test unless no sealed field opens any more.
func (s *search) expectErased(events []event.Event) {
	s.Helper()
	sealed := 0
	for _, e := range events {
		if !bytes.Contains(e.Data, []byte(`{"sealed":"`)) {
			continue
		}
		sealed++
		if _, err := s.vault.OpenFields(s.Context(), e.Account, e.Data); !errors.Is(err, vault.ErrErased) {
			s.Errorf("%s of %s: got %v, want ErrErased", e.Type, e.Stream, err)
		}
	}
	if sealed < 10 {
		s.Errorf("only %d events have sealed fields", sealed)
	}
}

// expectProvenAndReplayed fails the test unless the chains of all streams hold
// and a replay of the log from nothing gives the read models that are there.
func (s *search) expectProvenAndReplayed(events []event.Event, accounts int) {
	s.Helper()
	streams := map[string][]event.Event{}
	erased := 0
	for _, e := range events {
		streams[e.Stream] = append(streams[e.Stream], e)
		if e.Type == event.TypeAccountErased {
			erased++
		}
	}
	for _, stream := range streams {
		if err := event.VerifyStream(stream); err != nil {
			s.Error(err)
		}
	}
	if erased != accounts {
		s.Errorf("%d accounts were erased", erased)
	}
	rebuilt, err := readmodel.Rebuild(s.Context(), s.log, filepath.Join(s.TempDir(), "models"), nil)
	if err != nil {
		s.Fatal(err)
	}
	defer func() { _ = rebuilt.Close() }()
	if seq, err := rebuilt.Seq(); err != nil || seq < int64(len(events)) {
		s.Errorf("replayed %d of %d events, %v", seq, len(events), err)
	}
	comparison, err := rebuilt.Compare(s.Context(), s.pool)
	if err != nil || len(comparison.Differences) > 0 {
		s.Errorf("the replay differs: %+v, %v", comparison, err)
	}
}
