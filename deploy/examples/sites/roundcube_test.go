package sites_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ory/dockertest/v3"

	"integration.gateway/contracts/dealersales"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/flow/flowtest"
)

// addressBook is a Roundcube with its site. Each of its users has an address book.
type addressBook struct {
	*application

	site *flow.Site
}

// contact is one as Roundcube's database holds it.
type contact struct {
	ID        string `json:"id"`
	FirstName string `json:"firstname"`
	LastName  string `json:"surname"`
	Email     string `json:"email"`
	Card      string `json:"vcard"`
	Groups    string `json:"groups"`
}

const roundcubeDatabase = "/var/lib/roundcube/db/roundcube.db"

// sql asks the database; rows may be nil.
func (b *addressBook) sql(t *testing.T, statement string, rows any) {
	t.Helper()
	output := b.run(t, "sqlite3", "-json", "-cmd", ".timeout 10000", roundcubeDatabase, statement)
	if rows == nil || strings.TrimSpace(output) == "" {
		return
	}
	if err := json.Unmarshal([]byte(output), rows); err != nil {
		t.Fatalf("%v in %s", err, output)
	}
}

// contacts are those with the condition.
func (b *addressBook) contacts(t *testing.T, where string) []contact {
	t.Helper()
	var found []contact
	b.sql(t, `SELECT contact_id || '-0' AS id, firstname, surname, email, replace(vcard, char(13), '') AS vcard,
		coalesce((SELECT group_concat(g.name) FROM contactgroupmembers JOIN contactgroups g USING (contactgroup_id) WHERE contact_id = c.contact_id), '') AS groups
		FROM contacts c JOIN users USING (user_id) WHERE c.del = 0 AND (`+where+`)`, &found)
	return found
}

// card is a contact's vCard with these lines.
func card(lines ...string) string {
	return "BEGIN:VCARD\nVERSION:3.0\n" + strings.Join(lines, "\n") + "\nEND:VCARD"
}

var (
	formToken    = regexp.MustCompile(`name="_token" value="([^"]+)"`)
	requestToken = regexp.MustCompile(`"request_token":"([^"]+)"`)
)

// addGroups signs a user in, as the browser does, and has groups made in their address book.
func (b *addressBook) addGroups(t *testing.T, username, password string, names ...string) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar, Timeout: 30 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	ask := func(task string, form url.Values) string {
		method, body := http.MethodGet, ""
		if form != nil {
			method, body = http.MethodPost, form.Encode()
		}
		request, err := http.NewRequestWithContext(t.Context(), method, b.URL+"/?_task="+task, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if form != nil {
			request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			request.Header.Set("X-Roundcube-Request", form.Get("_token"))
		}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		page, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s, %v", task, response.Status, err)
		}
		return string(page)
	}
	token := func(page string, pattern *regexp.Regexp) string {
		found := pattern.FindStringSubmatch(page)
		if found == nil {
			t.Fatalf("no token in %s", page)
		}
		return found[1]
	}
	ask("login", url.Values{"_token": {token(ask("login", nil), formToken)}, "_action": {"login"}, "_user": {username}, "_pass": {password}})
	key := token(ask("addressbook", nil), requestToken)
	for _, name := range names {
		answer := ask("addressbook&_action=group-create", url.Values{"_token": {key}, "_remote": {"1"}, "_source": {"0"}, "_name": {name}})
		if !strings.Contains(answer, "insert_contact_group") {
			t.Fatalf("the group %s: %s", name, answer)
		}
	}
}

func TestRoundcube(t *testing.T) {
	t.Parallel()
	a := start(t, "roundcube", "8000/tcp", "/", dockertest.RunOptions{Env: []string{"MAIL_USERS=jane:secret ann:other"}})
	b := &addressBook{application: a, site: load(t, "dealer-sales/roundcube", a, dealersales.Operations)}
	b.addGroups(t, "jane", "secret", `North <Yard> & "Co"`, "South")
	b.addGroups(t, "ann", "other")
	pool := flowtest.OpenPool(t)
	as := func(t *testing.T, username, password string) *flowtest.Player {
		return flowtest.NewPlayer(t, pool, b.site, username, password)
	}

	for name, test := range map[string]func(*testing.T){
		"a contact is created and found":                 func(t *testing.T) { b.creates(t, as(t, "jane", "secret")) },
		"a company without a person has a name":          func(t *testing.T) { b.company(t, as(t, "jane", "secret")) },
		"odd input arrives as itself":                    func(t *testing.T) { b.oddInput(t, as(t, "jane", "secret")) },
		"what cannot be created is told beforehand":      func(t *testing.T) { b.refusals(t, as(t, "jane", "secret")) },
		"what Roundcube refuses is told in its words":    func(t *testing.T) { b.rejected(t, as(t, "jane", "secret")) },
		"a session that ends is taken up again":          func(t *testing.T) { as(t, "jane", "secret").SignsInAgain(t, "get-dealers") },
		"a session that ends at the effect leaves doubt": func(t *testing.T) { b.lastMoment(t, as(t, "jane", "secret")) },
		"a wrong password is told in Roundcube's words":  func(t *testing.T) { b.wrongPassword(t, as(t, "jane", "public")) },
		"a long list is read page by page":               func(t *testing.T) { b.pages(t, as(t, "ann", "other")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

func (b *addressBook) creates(t *testing.T, p *flowtest.Player) {
	flowtest.Equal(t, p.Gives(t, "get-dealers", nil), map[string]any{"dealers": []any{
		map[string]any{"dealerId": "1", "name": `North <Yard> & "Co"`}, map[string]any{"dealerId": "2", "name": "South"},
	}})
	a := p.Attempt("create-customer", map[string]any{
		"dealerId": "1", "firstName": "Grace", "lastName": "Hopper", "companyName": "Navy", "email": "grace@navy.example",
		"mobilePhone": "+1 555 0100", "homePhone": "+1 555 0101", "workPhone": "+1 555 0102",
		"address": map[string]any{"line1": "1 Main St", "line2": "Apt 2", "city": "Arlington", "region": "VA", "postalCode": "22201", "country": "US"},
	})
	raw := p.HappensOnce(t, a, func() int { return len(b.contacts(t, "surname = 'Hopper'")) })
	entered := b.contacts(t, "surname = 'Hopper'")
	want := contact{
		ID: entered[0].ID, FirstName: "Grace", LastName: "Hopper", Email: "grace@navy.example", Groups: `North <Yard> & "Co"`,
		Card: card("N:Hopper;Grace;;;", "FN:Grace Hopper", "EMAIL;TYPE=home:grace@navy.example", "ORG:Navy",
			"TEL;TYPE=home:+1 555 0101", "TEL;TYPE=cell:+1 555 0100", "TEL;TYPE=work:+1 555 0102",
			"ADR;TYPE=home:;;1 Main St, Apt 2;Arlington;VA;22201;US", "NOTE:"+a.CommandID),
	}
	if diff := cmp.Diff(want, entered[0]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	created := map[string]any{
		"customerId": want.ID, "dealerId": "1", "firstName": "Grace", "lastName": "Hopper", "companyName": "Navy", "email": "grace@navy.example",
		"mobilePhone": "+1 555 0100", "homePhone": "+1 555 0101", "workPhone": "+1 555 0102",
	}
	flowtest.Equal(t, raw, created)
	var evidence dealersales.Customer
	if err := json.Unmarshal(p.FindsItsOwn(t, a), &evidence); err != nil || evidence.CustomerID != want.ID {
		t.Errorf("the reconcile flow finds %+v, %v", evidence, err)
	}

	created["address"] = map[string]any{"line1": "1 Main St, Apt 2", "city": "Arlington", "region": "VA", "postalCode": "22201", "country": "US"}
	found, none := map[string]any{"customers": []any{created}}, map[string]any{"customers": []any{}}
	for _, query := range []string{"hopp", "grace@navy", "555 0102", "Navy"} {
		flowtest.Equal(t, p.Gives(t, "search-customers", map[string]any{"query": query}), found)
	}
	flowtest.Equal(t, p.Gives(t, "search-customers", map[string]any{"query": "Hopper", "dealerId": "1"}), found)
	flowtest.Equal(t, p.Gives(t, "search-customers", map[string]any{"query": "Hopper", "dealerId": "2"}), none)
	flowtest.Equal(t, p.Gives(t, "search-customers", map[string]any{"query": `"]'<b> ` + strings.Repeat("0123456789", 20)}), none)
}

func (b *addressBook) company(t *testing.T, p *flowtest.Player) {
	a := p.Attempt("create-customer", map[string]any{"dealerId": "2", "companyName": "Müller & Söhne"})
	if _, failure := p.Play(t, a); failure != nil {
		t.Fatal(failure)
	}
	entered := b.contacts(t, "vcard LIKE '%"+a.CommandID+"%'")
	want := card("N:;;;;", "FN:Müller & Söhne", "ORG:Müller & Söhne", "NOTE:"+a.CommandID)
	if len(entered) != 1 || entered[0].Card != want || entered[0].Groups != "South" {
		t.Errorf("got %+v", entered)
	}
}

func (b *addressBook) oddInput(t *testing.T, p *flowtest.Player) {
	email := strings.Repeat("a", 60) + "@" + strings.Repeat(strings.Repeat("b", 43)+".", 3) + "example"
	for _, odd := range []string{
		`"It's <b>new</b>" & left'; DROP TABLE contacts; --`, `試乗したい Ünïcödé ﷺ 🚗 {{ account.password }} \`, `"]'] | //*[@id="x` + strings.Repeat("7", 33),
	} {
		a := p.Attempt("create-customer", map[string]any{
			"dealerId": "2", "firstName": odd, "lastName": odd, "companyName": odd, "email": email,
			"address": map[string]any{"line1": odd, "city": odd},
		})
		raw, failure := p.Play(t, a)
		if failure != nil {
			t.Errorf("%s: %v", odd, failure)
			continue
		}
		entered := b.contacts(t, "vcard LIKE '%"+a.CommandID+"%'")
		if len(entered) != 1 || entered[0].FirstName != odd || entered[0].LastName != odd || entered[0].Email != email {
			t.Errorf("%s arrived as %+v", odd, entered)
			continue
		}
		var result dealersales.Customer
		if err := json.Unmarshal(raw, &result); err != nil {
			t.Fatal(err)
		}
		if result.FirstName != odd || result.CompanyName != odd || result.Email != email || result.CustomerID != entered[0].ID {
			t.Errorf("%s came back as %+v", odd, result)
		}
		if !p.Reconcile(t, a).Applied {
			t.Errorf("%s: not found again", odd)
		}
	}
}

func (b *addressBook) refusals(t *testing.T, p *flowtest.Player) {
	const unknown = `There is no group 7"]; get-dealers lists those that there are.`
	p.Refuses(t, "create-customer", map[string]any{"dealerId": `7"]`, "firstName": "Ada"}, flow.NotFound, unknown)
	p.Refuses(t, "search-customers", map[string]any{"dealerId": `7"]`, "query": "Ada"}, flow.NotFound, unknown)
	const tooLong = "Roundcube takes at most 50 characters for a name, a street, a city and a region, 15 for a postal code, 20 for a telephone " +
		"number, 128 for a company and 254 for an e-mail address."
	p.Refuses(t, "create-customer", map[string]any{"dealerId": "1", "lastName": strings.Repeat("é", 51)}, flow.Invalid, tooLong)
	p.Refuses(t, "create-customer", map[string]any{"dealerId": "1", "lastName": "Long", "address": map[string]any{
		"line1": strings.Repeat("x", 30), "line2": strings.Repeat("y", 30), "city": "Town",
	}}, flow.Invalid, tooLong)
	p.Refuses(t, "search-customers", map[string]any{"query": " "}, flow.Invalid, "There is nothing to search for.")
}

// rejected shows an answer after the click on Save, which says that nothing was saved.
func (b *addressBook) rejected(t *testing.T, p *flowtest.Player) {
	a := p.Attempt("create-customer", map[string]any{"dealerId": "1", "lastName": "Rejected", "email": "bob@nowhere"})
	_, failure := p.Play(t, a)
	if failure == nil || !failure.Refusal() || failure.Outcome != flow.Rejected || failure.Message != "Invalid email address: bob@nowhere" {
		t.Errorf("got %+v", failure)
	}
	if p.Reconcile(t, a).Applied {
		t.Error("the reconcile flow finds what was refused")
	}
	if entered := b.contacts(t, "surname = 'Rejected'"); len(entered) != 0 {
		t.Errorf("entered: %+v", entered)
	}
}

func (b *addressBook) wrongPassword(t *testing.T, p *flowtest.Player) {
	p.Refuses(t, "get-dealers", nil, flow.Rejected, "Login failed.")
}

func (b *addressBook) lastMoment(t *testing.T, p *flowtest.Player) {
	a := p.Attempt("create-customer", map[string]any{"dealerId": "1", "lastName": "Lost"})
	a.BeforeAct = func() {
		if err := p.Page.Rod().SetCookies(nil); err != nil {
			t.Error(err)
		}
	}
	_, failure := p.Play(t, a)
	if failure == nil || !failure.EffectStarted || failure.Refusal() {
		t.Errorf("got %+v, want doubt", failure)
	}
	if p.Reconcile(t, a).Applied {
		t.Error("the reconcile flow finds what was not saved")
	}
	if entered := b.contacts(t, "surname = 'Lost'"); len(entered) != 0 {
		t.Errorf("entered: %+v", entered)
	}

	p.Gives(t, "create-customer", map[string]any{"dealerId": "1", "companyName": a.CommandID})
	if _, _, err := p.Site.Reconcile(t.Context(), p.Page.Rod(), a.Job); err == nil {
		t.Error("the reconcile flow decides by a contact that only has the command's id for a name")
	}
}

// pages has more contacts than Roundcube shows on one page, which ann wants short.
func (b *addressBook) pages(t *testing.T, p *flowtest.Player) {
	imported := func(name string, count int) {
		b.sql(t, fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
			INSERT INTO contacts (user_id, changed, del, name, email, firstname, surname, vcard, words)
			SELECT user_id, datetime(), 0, '%[2]s ' || i, '', '%[2]s', i, '%[3]s', ' %[2]s '
			FROM n, users WHERE username = 'ann'`, count, name, "BEGIN:VCARD\nVERSION:3.0\nN:;"+name+";;;\nFN:"+name+"\nEND:VCARD"), nil)
	}
	b.sql(t, `UPDATE users SET preferences = 'a:1:{s:20:"addressbook_pagesize";i:5;}' WHERE username = 'ann'`, nil)
	imported("paged", 12)
	imported("crowd", 101)
	var result struct {
		Customers []dealersales.Customer `json:"customers"`
	}
	if err := json.Unmarshal(p.Gives(t, "search-customers", map[string]any{"query": "paged"}), &result); err != nil {
		t.Fatal(err)
	}
	different := map[string]bool{}
	for _, customer := range result.Customers {
		different[customer.CustomerID] = customer.FirstName == "paged"
	}
	if len(result.Customers) != 12 || len(different) != 12 {
		t.Errorf("%d customers, %d different ones", len(result.Customers), len(different))
	}
	p.Refuses(t, "search-customers", map[string]any{"query": "crowd"}, flow.Invalid, "More than 100 contacts match: ask for more of the name.")
}
