package containers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
	"integration.gateway/contracts/audit"
	"integration.gateway/contracts/event"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/proof"
	"integration.gateway/services/applications"
)

// settleLimit is how long a broken command may take to be settled.
const settleLimit = 90 * time.Second

// TestContainers calls each integration, breaks a command off by the end of its
// service's container, and has another service served by two.
func TestContainers(t *testing.T) {
	p := start(t)
	p.createCaller()
	tokens := map[string]string{}
	for _, app := range applications.All {
		tokens[app.Name] = p.link(app)
	}
	t.Run("each integration", func(t *testing.T) {
		for _, app := range applications.All {
			t.Run(app.Name, func(t *testing.T) {
				t.Parallel()
				p.of(t).call(cases[app.Name], tokens[app.Name])
			})
		}
	})
	t.Run("a container that is killed in the middle of an order", func(t *testing.T) { p.of(t).killAtAnOrder(tokens["marketplace"]) })
	t.Run("auditors", func(t *testing.T) { p.of(t).verify() })
	t.Run("two instances", func(t *testing.T) { p.of(t).scale(cases["founder-network"], tokens["founder-network"]) })
}

// of is the project in a subtest.
func (p *project) of(t *testing.T) *project {
	t.Helper()
	there := *p
	there.T = t
	return &there
}

func (p *project) createCaller() {
	p.Helper()
	caller := decode[accounts.Caller](p, p.send(p.adminToken, "", http.MethodPost, accounts.CreateCaller.Path, accounts.NewCaller{Name: "Test"}))
	token := decode[accounts.IssuedToken](p, p.send(p.adminToken, "", http.MethodPost,
		strings.Replace(accounts.IssueToken.Path, "{callerId}", caller.CallerID, 1), accounts.NewToken{Label: "test"}))
	p.callerID, p.accessToken = caller.CallerID, token.AccessToken
}

// link links the account of an application's demonstration user.
func (p *project) link(app applications.Application) (accountToken string) {
	p.Helper()
	return decode[accounts.LinkedAccount](p, p.send(p.adminToken, "", http.MethodPost, accounts.LinkAccount.Path, accounts.NewAccount{
		CallerID: p.callerID, Integration: app.Name, Username: app.User.Username, Password: app.User.Password, OneTimeSecret: app.User.OneTimeSecret,
	})).AccountToken
}

// call makes a call and checks its answer. A session must be reached through
// the gateway, which finds the container that holds it.
func (p *project) call(c callCase, accountToken string) {
	p.Helper()
	info := c.op.Info()
	answer := p.send(p.accessToken, accountToken, info.Method, info.Path+c.query, c.body)
	if !bytes.Contains(answer, []byte(c.says)) {
		p.Errorf("the answer has no %s: %s", c.says, answer)
	}
	var session contracts.Session
	if json.Unmarshal(answer, &session) == nil && session.DebuggerFullscreenURL != "" {
		page, _, _ := strings.Cut(session.DebuggerFullscreenURL, "#")
		p.send("", "", http.MethodGet, strings.TrimPrefix(page, p.gatewayURL), nil)
	}
}

// killAtAnOrder kills the container of the marketplace once the shop has taken
// an order that it does not answer. The log says that nobody knows; the
// container that is started again finds out.
func (p *project) killAtAnOrder(accountToken string) {
	p.Helper()
	shop := "http://" + p.published("sandboxes", "8301")
	found := decode[marketplace.SearchResults](p, p.send(p.accessToken, accountToken, http.MethodGet, marketplace.Search.Path+"?query=coffee", nil))
	p.put(shop+"/_sandbox/faults", `{"slow": [{"path": "/buy-now", "delayMs": 60000, "when": "after"}]}`)
	ctx, hangUp := context.WithCancel(p.Context())
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		response, err := http.DefaultClient.Do(p.request(ctx, p.accessToken, accountToken, http.MethodPost, marketplace.BuyNow.Path, marketplace.ItemChoice{ASIN: found.Items[0].ASIN}))
		if err == nil {
			_ = response.Body.Close()
		}
	}()
	limited, cancel := context.WithTimeout(p.Context(), settleLimit)
	defer cancel()
	p.await(limited, func() error { return p.hasOrders(shop, 1) })
	p.do("kill", "marketplace")
	hangUp()
	<-answered
	if command := p.order(); command.EffectState != "started" && command.EffectState != "unknown" {
		p.Errorf("after the container's end the order is %+v", command)
	}
	p.put(shop+"/_sandbox/faults", `{}`)
	p.do("start", "marketplace")
	p.await(limited, func() error {
		if command := p.order(); command.State != "succeeded" || command.EffectState != "reconciled-applied" {
			return fmt.Errorf("the order is %s, its effect %s", command.State, command.EffectState)
		}
		return nil
	})
	want := []string{event.TypeCommandAccepted, event.TypeEffectStarted, event.TypeEffectUnknown, event.TypeEffectReconciled, event.TypeCommandCompleted}
	if diff := cmp.Diff(want, p.events(p.order().CommandID)); diff != "" {
		p.Errorf("events (-want +got):\n%s", diff)
	}
	if err := p.hasOrders(shop, 1); err != nil {
		p.Error(err)
	}
}

// order is what the log says of the only order.
func (p *project) order() audit.Command {
	p.Helper()
	listed := decode[audit.Commands](p, p.send(p.adminToken, "", http.MethodGet, audit.ListCommands.Path+"?operation=buy-now", nil))
	if len(listed.Commands) != 1 {
		p.Fatalf("the orders are %+v", listed)
	}
	return listed.Commands[0]
}

// events are the types of a command's own events; when its account was signed
// in is the account's story.
func (p *project) events(commandID string) []string {
	p.Helper()
	shown := decode[audit.CommandStory](p, p.send(p.adminToken, "", http.MethodGet, strings.Replace(audit.GetCommand.Path, "{commandId}", commandID, 1), nil))
	var types []string
	for _, e := range shown.Events {
		if !strings.HasPrefix(e.Type, "account.") {
			types = append(types, e.Type)
		}
	}
	return types
}

func (p *project) hasOrders(shop string, want int) error {
	response, err := http.Get(shop + "/_sandbox/state")
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	var state struct {
		Orders []struct{} `json:"orders"`
	}
	if err := json.NewDecoder(response.Body).Decode(&state); err != nil {
		return err
	}
	if len(state.Orders) != want {
		return fmt.Errorf("the shop has %d orders, want %d", len(state.Orders), want)
	}
	return nil
}

// verify has the command line verify the log in its container, and from this
// machine have an auditor find the login and the key that are for auditors.
func (p *project) verify() {
	p.Helper()
	folder := p.TempDir()
	igw := []string{"run", "--rm", "-T", "--user", fmt.Sprint(os.Getuid()), "--volume", folder + ":/here", "--workdir", "/here", "igw"}
	p.do(append(igw, "audit", "export", "log.bundle")...)
	if _, err := os.Stat(filepath.Join(folder, "log.bundle")); err != nil {
		p.Error(err)
	}
	report := decode[proof.Report](p, []byte(p.output(append(igw, "--json", "audit", "verify")...)))
	if report.Events == 0 || report.OwnKeys {
		p.Errorf("the log is verified as %+v", report)
	}
	verifier := setting(p.T, p.settings+".auditor", "CHECKPOINT_VERIFIER")
	if !slices.Contains(report.Verifiers, verifier) {
		p.Errorf("it is verified by %q, want the key for auditors, %q", report.Verifiers, verifier)
	}
	url := strings.Replace(setting(p.T, p.settings+".auditor", "DATABASE_URL"), "127.0.0.1:5432", p.published("postgres", "5432"), 1)
	auditor, err := pgx.Connect(p.Context(), url)
	if err != nil {
		p.Fatal(err)
	}
	defer func() { _ = auditor.Close(context.WithoutCancel(p.Context())) }()
	var may bool
	if err := auditor.QueryRow(p.Context(), "SELECT pg_has_role('igw_auditor', 'member')").Scan(&may); err != nil || !may {
		p.Errorf("the login is a member of igw_auditor: %v, %v", may, err)
	}
}

// scale has the settings ask for a second container of an integration and calls
// until both have carried out something.
func (p *project) scale(c callCase, accountToken string) {
	p.Helper()
	integration := c.op.Info().Integration
	p.env = append(slices.Clone(p.env), "SCALE_"+strings.ToUpper(strings.ReplaceAll(integration, "-", "_"))+"=2")
	p.do("up", "--detach", "--no-deps", "--no-recreate", integration)
	nc, err := nats.Connect("nats://" + p.published("nats", "4222"))
	if err != nil {
		p.Fatal(err)
	}
	defer nc.Close()
	ctx, cancel := context.WithTimeout(p.Context(), healthyLimit)
	defer cancel()
	p.await(ctx, func() error {
		served := p.served(nc, c.op.Info())
		if len(served) < 2 {
			return fmt.Errorf("%d instances answer", len(served))
		}
		p.call(c, accountToken)
		if slices.Contains(slices.Collect(maps.Values(served)), 0) {
			return fmt.Errorf("requests by instance: %v", served)
		}
		return nil
	})
}

// served is how many requests of an operation each instance has carried out.
func (p *project) served(nc *nats.Conn, op contracts.Info) map[string]int {
	p.Helper()
	subject, err := micro.ControlSubject(micro.StatsVerb, op.Integration, "")
	if err != nil {
		p.Fatal(err)
	}
	inbox := nats.NewInbox()
	answers, err := nc.SubscribeSync(inbox)
	if err != nil {
		p.Fatal(err)
	}
	defer func() { _ = answers.Unsubscribe() }()
	if err := nc.PublishRequest(subject, inbox, nil); err != nil {
		p.Fatal(err)
	}
	served := map[string]int{}
	for {
		message, err := answers.NextMsg(time.Second) // all there are answer within
		if err != nil {
			return served
		}
		var stats micro.Stats
		if err := json.Unmarshal(message.Data, &stats); err != nil {
			p.Fatal(err)
		}
		served[stats.ID] = 0
		for _, endpoint := range stats.Endpoints {
			if strings.HasSuffix(endpoint.Subject, "."+op.Name) {
				served[stats.ID] = endpoint.NumRequests
			}
		}
	}
}
