package sites_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ory/dockertest/v3"

	"integration.gateway/contracts/dealersales"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/flow/flowtest"
)

// A repository of Fossil as its owner sets it up: an administrator, a salesperson who may enter tickets (n), and somebody who may
// only look, since "anonymous", whose rights everybody has, may not.
const fossilSetUp = `set -e
fossil init -A jane --project-name "Corner Motors" r.fossil
fossil user password jane secret -R r.fossil
fossil user new alice "Alice van Dyke <alice@corner.example>" wonder -R r.fossil
fossil user capabilities alice hjnr -R r.fossil
fossil user new nina "Nina" looking -R r.fossil
fossil user capabilities nina hjr -R r.fossil
fossil user new bert "Bert (bert@corner.example)" whirl -R r.fossil
fossil user capabilities bert hjnr -R r.fossil
fossil user new gone "" parted -R r.fossil
fossil user capabilities gone "" -R r.fossil
fossil user capabilities anonymous h -R r.fossil
exec fossil server --port 8080 r.fossil
`

// tracker is a Fossil with its site.
type tracker struct {
	*application

	site *flow.Site
}

// ticket is one as Fossil's database holds it.
type ticket struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Type     string `json:"type"`
	Severity string `json:"severity"`
	FoundIn  string `json:"foundin"`
	Status   string `json:"status"`
	Text     string `json:"text"`
	Format   string `json:"format"`
	By       string `json:"by"`
}

// sql asks the database; rows may be nil.
func (f *tracker) sql(t *testing.T, statement string, rows any) {
	t.Helper()
	output := f.run(t, "fossil", "sql", "-R", "r.fossil", "-json", statement)
	if rows == nil || strings.TrimSpace(output) == "" {
		return
	}
	if err := json.Unmarshal([]byte(output), rows); err != nil {
		t.Fatalf("%v in %s", err, output)
	}
}

// tickets are those with the condition.
func (f *tracker) tickets(t *testing.T, where string) []ticket {
	t.Helper()
	var found []ticket
	f.sql(t, `SELECT tkt_uuid AS id, title, type, severity, foundin, status, replace(icomment, char(13), '') AS text, mimetype AS format, login AS "by"
		FROM ticket JOIN ticketchng USING (tkt_id) WHERE `+where, &found)
	return found
}

// project is the repository's identifier, which is the dealer's.
func (f *tracker) project(t *testing.T) string {
	t.Helper()
	var rows []struct{ Value string }
	f.sql(t, "SELECT value FROM config WHERE name = 'project-code'", &rows)
	return rows[0].Value
}

func (f *tracker) lead(t *testing.T, more map[string]any) map[string]any {
	lead := map[string]any{"dealerId": f.project(t), "customerId": "C-7", "leadSourceId": "web form", "leadTypeId": "Incident"}
	for field, value := range more {
		lead[field] = value
	}
	return lead
}

func TestFossil(t *testing.T) {
	t.Parallel()
	a := start(t, "fossil", "8080/tcp", "/login", dockertest.RunOptions{Entrypoint: []string{"sh", "-c", fossilSetUp}})
	f := &tracker{application: a, site: load(t, "dealer-sales/fossil", a, dealersales.Operations)}
	pool := flowtest.OpenPool(t)
	as := func(t *testing.T, username, password string) *flowtest.Player {
		return flowtest.NewPlayer(t, pool, f.site, username, password)
	}

	t.Run("the first ticket of all is entered and found", func(t *testing.T) { f.firstTicket(t, as(t, "alice", "wonder")) })
	for name, test := range map[string]func(*testing.T){
		"what there is, is listed":                            func(t *testing.T) { f.lists(t, as(t, "jane", "secret")) },
		"odd input arrives as itself":                         func(t *testing.T) { f.oddInput(t, as(t, "jane", "secret")) },
		"what cannot be entered is told beforehand":           func(t *testing.T) { f.refusals(t, as(t, "jane", "secret")) },
		"a session that ends is taken up again":               func(t *testing.T) { as(t, "jane", "secret").SignsInAgain(t, "get-lead-types") },
		"who may not, is told so in Fossil's words":           func(t *testing.T) { f.rights(t, as(t, "nina", "looking")) },
		"a wrong password is told in Fossil's words":          func(t *testing.T) { f.wrongPassword(t, as(t, "alice", "wander")) },
		"what goes wrong at the last moment is told as it is": func(t *testing.T) { f.lastMoment(t, as(t, "bert", "whirl")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

func (f *tracker) firstTicket(t *testing.T, p *flowtest.Player) {
	request := f.lead(t, map[string]any{
		"vehicleId": "V-12", "comments": "Wants a test drive.\n\nAfternoons only.",
		"interest": map[string]any{"condition": "used", "year": 2020, "make": "Mazda", "model": "MX-5"},
		"tradeIn":  map[string]any{"year": 2009, "make": "Saab", "model": "9-3", "mileage": 0},
	})
	a := p.Attempt("create-lead", request)
	raw := p.HappensOnce(t, a, func() int { return len(f.tickets(t, "true")) })
	entered := f.tickets(t, "true")
	want := ticket{
		ID: entered[0].ID, Title: "V-12 used 2020 Mazda MX-5", Type: "Incident", Severity: "Minor", FoundIn: "web form", Status: "Open",
		Text:   "Reference: " + a.CommandID + "\nCustomer: C-7\nTrade-in: 2009 Saab 9-3 0\n\nWants a test drive.\n\nAfternoons only.",
		Format: "text/plain", By: "alice",
	}
	if diff := cmp.Diff(want, entered[0]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var result map[string]any
	if err := json.Unmarshal(raw, &result); err != nil {
		t.Fatal(err)
	}
	at, err := time.Parse(time.RFC3339, result["createdAt"].(string))
	if since := time.Since(at); err != nil || since < -time.Minute || since > 5*time.Minute {
		t.Errorf("entered at %v, %v", at, err)
	}
	delete(result, "createdAt")
	if diff := cmp.Diff(map[string]any{
		"leadId": want.ID, "customerId": "C-7", "dealerId": request["dealerId"], "status": "new", "leadSourceId": "web form",
		"leadTypeId": "Incident", "vehicleId": "V-12", "comments": "Wants a test drive.\n\nAfternoons only.",
	}, result); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	flowtest.Equal(t, p.FindsItsOwn(t, a), map[string]any{"leadId": want.ID, "customerId": "C-7", "status": "new"})
	a.CommandID = "0199a0b4-7c1e-7000-8000-00000000c0de"
	a.Vars["newest"] = "0123456789abcdef"
	if _, _, err := p.Site.Reconcile(t.Context(), p.Page.Rod(), a.Job); err == nil {
		t.Error("the reconcile flow decides though the ticket that it must look back to is gone")
	}
}

func (f *tracker) lists(t *testing.T, p *flowtest.Player) {
	project := f.project(t)
	flowtest.Equal(t, p.Gives(t, "get-dealers", nil), map[string]any{"dealers": []any{map[string]any{"dealerId": project, "name": "Corner Motors"}}})
	types := []any{}
	for _, name := range []string{"Code_Defect", "Build_Problem", "Documentation", "Feature_Request", "Incident"} {
		types = append(types, map[string]any{"leadTypeId": name, "name": name, "active": true})
	}
	flowtest.Equal(t, p.Gives(t, "get-lead-types", nil), map[string]any{"leadTypes": types})

	at := []any{project}
	users := map[string]any{"users": []any{
		map[string]any{"userId": "alice", "firstName": "Alice", "lastName": "van Dyke", "email": "alice@corner.example", "role": "hjnr", "dealerIds": at, "active": true},
		map[string]any{"userId": "bert", "firstName": "Bert", "lastName": "-", "email": "bert@corner.example", "role": "hjnr", "dealerIds": at, "active": true},
		map[string]any{"userId": "gone", "firstName": "-", "lastName": "-", "dealerIds": at, "active": false},
		map[string]any{"userId": "jane", "firstName": "-", "lastName": "-", "role": "s", "dealerIds": at, "active": true},
		map[string]any{"userId": "nina", "firstName": "Nina", "lastName": "-", "role": "hjr", "dealerIds": at, "active": true},
	}}
	flowtest.Equal(t, p.Gives(t, "get-users", nil), users)
	flowtest.Equal(t, p.Gives(t, "get-users", map[string]any{"dealerId": project}), users)
}

func (f *tracker) oddInput(t *testing.T, p *flowtest.Player) {
	for _, odd := range []string{
		`He said "it's <b>new</b>" & left`, `'; DROP TABLE ticket; --`, "試乗したい。Ünïcödé – ﷺ 🚗", "{{ account.password }} $<title> [eval]",
		strings.Repeat("0123456789", 20), `"]'] | //*[@id="x`, "Reference: 0199a0b4-7c1e-7000-8000-00000000c0de",
	} {
		a := p.Attempt("create-lead", f.lead(t, map[string]any{"customerId": odd, "vehicleId": odd, "leadSourceId": odd, "comments": odd}))
		raw, failure := p.Play(t, a)
		if failure != nil {
			t.Errorf("%s: %v", odd, failure)
			continue
		}
		entered := f.tickets(t, "icomment LIKE 'Reference: "+a.CommandID+"%'")
		text := "Reference: " + a.CommandID + "\nCustomer: " + odd + "\nTrade-in: none\n\n" + odd
		if len(entered) != 1 || entered[0].Title != odd || entered[0].FoundIn != odd || entered[0].Text != text {
			t.Errorf("%s arrived as %+v", odd, entered)
			continue
		}
		var result dealersales.Lead
		if err := json.Unmarshal(raw, &result); err != nil {
			t.Fatal(err)
		}
		if result.CustomerID != odd || result.Comments != odd || result.LeadSourceID != odd {
			t.Errorf("%s came back as %+v", odd, result)
		}
		if verdict := p.Reconcile(t, a); !verdict.Applied {
			t.Errorf("%s: not found again", odd)
		}
	}
}

func (f *tracker) refusals(t *testing.T, p *flowtest.Player) {
	p.Refuses(t, "create-lead", f.lead(t, map[string]any{"leadTypeId": `In"cident'`}), flow.Invalid,
		`There is no lead type In"cident'; get-lead-types lists those that there are.`)
	const unknown = "There is no dealer elsewhere here; get-dealers names the one that there is."
	p.Refuses(t, "create-lead", f.lead(t, map[string]any{"dealerId": "elsewhere"}), flow.NotFound, unknown)
	p.Refuses(t, "get-users", map[string]any{"dealerId": "elsewhere"}, flow.NotFound, unknown)
}

func (f *tracker) rights(t *testing.T, p *flowtest.Player) {
	p.Gives(t, "get-dealers", nil) // signs in: a message of that time tells no user name
	message := func(page string) string {
		return "Use a different login with greater privilege than nina to access " + page + "."
	}
	p.Refuses(t, "create-lead", f.lead(t, nil), flow.Rejected, message("tktnew"))
	p.Refuses(t, "get-lead-types", nil, flow.Rejected, message("tktnew"))
	p.Refuses(t, "get-users", nil, flow.Rejected, message("setup_ulist"))
	if entered := f.tickets(t, "login = 'nina'"); len(entered) != 0 {
		t.Errorf("entered: %+v", entered)
	}
}

func (f *tracker) wrongPassword(t *testing.T, p *flowtest.Player) {
	p.Refuses(t, "create-lead", f.lead(t, nil), flow.Rejected, "You entered an unknown user or an incorrect password.")
}

func (f *tracker) lastMoment(t *testing.T, p *flowtest.Player) {
	p.Gives(t, "get-dealers", nil) // signs in
	a := p.Attempt("create-lead", f.lead(t, map[string]any{"comments": "without the right"}))
	a.BeforeAct = func() { f.run(t, "fossil", "user", "capabilities", "bert", "hjr", "-R", "r.fossil") }
	_, failure := p.Play(t, a)
	if failure == nil || !failure.Refusal() || failure.Message != "Use a different login with greater privilege than bert to access tktnew." {
		t.Errorf("got %+v", failure)
	}
	f.run(t, "fossil", "user", "capabilities", "bert", "hjnr", "-R", "r.fossil")

	a = p.Attempt("create-lead", f.lead(t, map[string]any{"comments": "without a session"}))
	a.BeforeAct = func() { f.sql(t, "UPDATE user SET cookie = NULL WHERE login = 'bert'", nil) }
	_, failure = p.Play(t, a)
	if failure == nil || !failure.EffectStarted || failure.Refusal() {
		t.Errorf("got %+v, want doubt", failure)
	}
	if verdict := p.Reconcile(t, a); verdict.Applied {
		t.Error("the reconcile flow finds what was not entered")
	}
	if entered := f.tickets(t, "icomment LIKE '%without%'"); len(entered) != 0 {
		t.Errorf("entered: %+v", entered)
	}
}
