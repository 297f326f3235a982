package e2e_test

import (
	"cmp"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"

	gocmp "github.com/google/go-cmp/cmp"

	"integration.gateway/contracts"
	"integration.gateway/contracts/audit"
	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/services/applications"
)

// refusalCase is a request that is answered otherwise than the success. What is
// left empty is as there.
type refusalCase struct {
	name   string
	who    *tokens
	path   string
	body   any
	user   *kit.User   // of the sandbox, for whose account it is
	site   string      // of that user's account
	faults *kit.Faults // of the sandbox, while it is carried out
	status int         // 200 stands for a result whose status is "error"
	says   string      // part of the message; of a result, of what the log says of it
	events []string    // of its command; nil: not looked at
	codes  int         // how many one-time codes the application rejects meanwhile
}

// withoutToken is what an operation refuses a caller who leaves out the account
// token.
func (c operationCase) withoutToken(g *gateway, user kit.User) []refusalCase {
	g.Helper()
	if c.op.Info().Access == contracts.AccountToken {
		return []refusalCase{
			{name: "no account token", who: &tokens{g.env.AccessToken, ""}, status: http.StatusBadRequest, says: contracts.AccountTokenHeader},
		}
	}
	several, none := g.newCaller("Caller with two accounts"), g.newCaller("Caller without an account")
	several.linkUser(applications.SandboxSite, user)
	several.linkUser(applications.SandboxSite, user)
	return []refusalCase{
		{name: "several accounts and no account token", who: &tokens{several.env.AccessToken, ""}, status: http.StatusBadRequest, says: contracts.AccountTokenHeader},
		{name: "no account", who: &tokens{none.env.AccessToken, ""}, status: http.StatusBadRequest, says: "no account"},
	}
}

// common is what every operation refuses.
func (c operationCase) common(g *gateway, user kit.User) []refusalCase {
	g.Helper()
	good := g.demonstration()
	path, separator := cmp.Or(c.path, c.op.Info().Path), "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	all := []refusalCase{
		{name: "no access token", who: &tokens{"", good.account}, status: http.StatusUnauthorized},
		{name: "unknown access token", who: &tokens{"igw_at_unknown", good.account}, status: http.StatusUnauthorized},
		{name: "unknown account token", who: &tokens{good.access, "igw_acc_unknown"}, status: http.StatusUnauthorized},
		{name: "unknown parameter", path: path + separator + "surprise=1", status: http.StatusBadRequest, says: "surprise"},
		{name: "not implemented", user: &user, site: bare, status: http.StatusInternalServerError, says: "not implemented"},
		{name: "application gone", faults: &kit.Faults{HangUp: []kit.Rule{{Path: "*"}}}, status: http.StatusInternalServerError},
	}
	all = append(all, c.withoutToken(g, user)...)
	if !c.public {
		status := http.StatusBadRequest
		if c.hasStatus() {
			status = http.StatusOK
		}
		all = append(all, refusalCase{name: "sign-in refused", who: &g.refused, status: status, says: "password", events: rejectedEvents})
	}
	return all
}

// hasStatus says whether the operation's result tells that the application says
// no.
func (c operationCase) hasStatus() bool {
	_, res := c.op.New()
	of := reflect.TypeOf(res).Elem()
	if of.Kind() != reflect.Struct {
		return false
	}
	status, has := of.FieldByName("Status")
	return has && status.Type == reflect.TypeFor[contracts.Status]()
}

// refuse has the operation refused, and checks that nothing was done.
func (c operationCase) refuse(g *gateway, user kit.User, refusal refusalCase) {
	g.Helper()
	who := g.demonstration()
	if refusal.who != nil {
		who = *refusal.who
	}
	if refusal.user != nil {
		who = g.linkOnce(cmp.Or(refusal.site, applications.SandboxSite), *refusal.user)
	}
	before := stateOf[kit.Traffic](g)
	if refusal.faults != nil {
		g.setFaults(*refusal.faults)
	}
	r := c.send(g, who, refusal)
	if refusal.faults != nil {
		g.setFaults(kit.Faults{})
	}
	if refusal.status == http.StatusOK {
		if r.status != http.StatusOK || !strings.Contains(string(r.body), `"status":"error"`) {
			g.Errorf("got %d %s, want 200 with the status error", r.status, r.body)
		}
		if why := g.reason(r, who); refusal.says == "" || !strings.Contains(why, refusal.says) {
			g.Errorf("the log's reason %q does not say %q", why, refusal.says)
		}
	} else if message := denied(g, r, refusal.status); !strings.Contains(message, refusal.says) {
		g.Errorf("the message %q does not say %q", message, refusal.says)
	}
	if refusal.events != nil {
		g.expectEvents(r, refusal.events...)
	}
	after := stateOf[kit.Traffic](g)
	if diff := gocmp.Diff(before.Effects, after.Effects); diff != "" {
		g.Errorf("the application did something (-before +after):\n%s", diff)
	}
	if codes := after.RejectedCodes - before.RejectedCodes; codes != refusal.codes {
		g.Errorf("the application rejected %d codes, want %d", codes, refusal.codes)
	}
}

// reason is why a command was refused, as its caller reads it in the log: in
// the gateway's words and in the application's.
func (g *gateway) reason(r response, who tokens) string {
	g.Helper()
	path := strings.ReplaceAll(audit.GetCommand.Path, "{commandId}", r.header.Get(contracts.CommandIDHeader))
	var why []string
	for _, e := range result[audit.CommandStory](g, g.send(http.MethodGet, path+"?open=true", who, nil)).Events {
		var told struct {
			Message string
			Quote   json.RawMessage
		}
		if err := json.Unmarshal(e.Data, &told); err != nil {
			g.Fatal(err)
		}
		why = append(why, told.Message, string(told.Quote))
	}
	return strings.Join(why, " ")
}

// setFaults switches the faults of that sandbox.
func (g *gateway) setFaults(faults kit.Faults) {
	g.Helper()
	encoded, err := json.Marshal(faults)
	if err != nil {
		g.Fatal(err)
	}
	g.faults(string(encoded))
}
