package draft_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/flow/draft"
)

const base = "https://shop.example"

func recording(t *testing.T, steps string) *draft.Recording {
	t.Helper()
	r, err := draft.Parse([]byte(`{"title": "Recording 1", "steps": [` + steps + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const opened = `{"type": "navigate", "url": "` + base + `/in", "assertedEvents": [{"type": "navigation", "url": "` + base + `/in", "title": ""}]}`

func change(selector, value string) string {
	return `{"type": "change", "value": "` + value + `", "selectors": [["` + selector + `"], ["aria/Field"]], "target": "main"}`
}

// search is the operation as its contract has it, in short.
func search(r *draft.Recording) draft.Operation {
	return draft.Operation{
		Name: "search", Recording: r,
		Request: []draft.Field{{Name: "query", Kind: "text", Required: true}, {Name: "isGroceryChain", Kind: "boolean"}},
		Result: []draft.Field{{Name: "items", Kind: "object", List: true, Required: true, Fields: []draft.Field{
			{Name: "asin", Kind: "text", Required: true},
			{Name: "title", Kind: "text", Required: true},
			{Name: "itemUrl", Kind: "URL", Required: true},
			{Name: "imageUrl", Kind: "URL"},
			{Name: "price", Kind: "money"},
			{Name: "available", Kind: "boolean", Required: true},
		}}},
	}
}

func makeDraft(t *testing.T, plan draft.Plan) *draft.Draft {
	t.Helper()
	plan.Name, plan.Integration = "corner-shop", "marketplace"
	made, err := draft.Make(plan)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// Wherever and however a password was typed, it stays in the recording.
func TestTypedPasswordsAreNeverCopied(t *testing.T) {
	t.Parallel()
	const secret = "sword-Fish 41&"
	user := change("#user", "jane@shop.example")
	for name, c := range map[string]struct {
		signIn, operation string
		want              string // in sign-in.yaml
	}{
		"a field that says so":        {signIn: user + "," + change("#password", secret), want: "{{ account.password }}"},
		"a field in another language": {signIn: user + "," + change("aria/Kennwort", secret), want: "{{ account.password }}"},
		"a field without a name":      {signIn: user + "," + change("xpath///input[2]", secret), want: "{{ account.password }}"},
		"typed twice":                 {signIn: user + "," + change("#password", secret) + "," + change("#password", secret), want: "{{ account.password }}"},
		"after a tenant's name":       {signIn: change("#tenant", secret) + "," + user + "," + change("#password", secret), want: `value: ""`},
		"an only field":               {signIn: change("#q", secret), want: "{{ account.password }}"},
		"key by key":                  {signIn: user + `,{"type":"keyDown","key":"s"},{"type":"keyUp","key":"s"},` + change("#password", secret), want: "{{ account.username }}"},
		"a code":                      {signIn: user + "," + change("#password", secret) + "," + change("#otp", "123456"), want: "{{ account.oneTimeCode }}"},
		"in an operation":             {signIn: user + "," + change("#password", "other"), operation: change("[name=password]", secret), want: "{{ account.username }}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made := makeDraft(t, draft.Plan{
				SignIn:     recording(t, opened+","+c.signIn),
				Operations: []draft.Operation{search(recording(t, opened+","+c.operation+strings.Repeat(`{"type": "close"}`, 1-min(1, len(c.operation)))))},
			})
			if got := made.Files["sign-in.yaml"]; !strings.Contains(got, c.want) || strings.Contains(got, `key: "s"`) || strings.Contains(got, "123456") {
				t.Errorf("%q is not in\n%s", c.want, got)
			}
			for file, text := range made.Files {
				if strings.Contains(text, "sword-") || strings.Contains(text, "jane@") {
					t.Errorf("%s:\n%s", file, text)
				}
			}
			for _, note := range made.Notes {
				if strings.Contains(note, "sword-") {
					t.Error(note)
				}
			}
		})
	}
}

func TestARecordingThatShowsThePasswordElsewhereIsRefused(t *testing.T) {
	t.Parallel()
	signIn := opened + "," + change("#password", "sword-Fish 41&")
	for name, elsewhere := range map[string]string{
		"an address": `{"type": "navigate", "url": "` + base + `/in?p=sword-Fish+41%26"}`,
		"a selector": `{"type": "click", "selectors": [["text/sword-Fish 41&"]]}`,
	} {
		_, err := draft.Make(draft.Plan{SignIn: recording(t, signIn+","+elsewhere)})
		if err == nil || !strings.Contains(err.Error(), "sign-in.yaml") || strings.Contains(err.Error(), "Fish") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestADraftIsWholeButForWhatNobodyCanKnow(t *testing.T) {
	t.Parallel()
	made := makeDraft(t, draft.Plan{
		SignIn: recording(t, opened+","+change("#user", "jane")+","+change("#password", "swordfish")+
			`,{"type": "click", "selectors": [["#go"], ["aria/Go"]], "assertedEvents": [{"type": "navigation", "url": "`+base+`/home?sid=1", "title": "Home"}]}`),
		Operations: []draft.Operation{
			search(recording(t, `{"type": "navigate", "url": "`+base+`/find?q=coffee+beans&by=coffeehouse"},`+change("#q", "coffee beans")+","+change("#zip", "10115")+
				`,{"type": "click", "selectors": [["aria/coffee beans"], ["#go"]], "assertedEvents": [{"type": "navigation", "url": "https://cdn.example/found/0815-4711?q=coffee%20beans", "title": "coffee beans – 1234 found"}]}`)),
			{
				Name: "buy-now", Effect: "order",
				Recording: recording(t, opened+`,{"type": "click", "selectors": [["#buy"], ["aria/Buy"]]},{"type": "keyUp", "key": "Enter"}`),
				Reconcile: recording(t, opened),
				Request:   []draft.Field{{Name: "asin", Kind: "text"}, {Name: "itemUrl", Kind: "URL"}},
				Result:    []draft.Field{{Name: "orderId", Kind: "text", Required: true}, {Name: "total", Kind: "money", Required: true}},
			},
		},
		Inputs: draft.Flatten(map[string]any{"query": "coffee beans", "unknown": "Go", "deep": map[string]any{"list": []any{"x", true}}}),
	})
	for _, file := range []string{"site.yaml", "search.yaml", "buy-now.yaml", "buy-now.reconcile.yaml", "sign-in.yaml"} {
		golden(t, file, made.Files[file])
	}
	golden(t, "notes.txt", strings.Join(made.Notes, "\n")+"\n")

	folder := fstest.MapFS{}
	for name, text := range made.Files {
		folder[name] = &fstest.MapFile{Data: []byte(text)}
	}
	_, err := flow.Load(folder, flow.ContractsOf(marketplace.Operations...))
	if err == nil {
		t.Fatal("selectors are missing, and it loads")
	}
	for line := range strings.Lines(err.Error()) {
		if !strings.Contains(line, "selector is empty") {
			t.Error(line)
		}
	}
	// Filled in, it loads.
	for name, text := range made.Files {
		text = strings.NewReplacer(`""`, `"#x"`, "steps:\n", "steps:\n").Replace(text)
		folder[name] = &fstest.MapFile{Data: []byte(text)}
	}
	_, err = flow.Load(folder, flow.ContractsOf(marketplace.Operations...))
	if want := "the flow of buy-now does not use the field"; err == nil || strings.Count(err.Error(), want) != 2 || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("filled in: %v", err)
	}
}

// golden compares a text with a file of testdata; UPDATE_GOLDEN=1 writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestWhatIsNoRecordingIsToldSo(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "[]", "{}", "null", "import puppeteer from 'puppeteer';", `{"steps": 1}`, `{"steps": [1]}`, `{"steps": [{"type"`} {
		if _, err := draft.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), "Recorder") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := draft.Make(draft.Plan{SignIn: recording(t, `{"type": "navigate", "url": "chrome://newtab"}`)}); err == nil || !strings.Contains(err.Error(), "--base-url") {
		t.Error(err)
	}
}

func TestValuesAreReplacedWhereTheyStandByThemselves(t *testing.T) {
	t.Parallel()
	steps := change("[data-item='B0-77']", "B0-77") + "," + change("#n", "7") + "," + change("#note", "call B0-77 first") +
		`,{"type": "click", "selectors": [["#row-B0-77"], ["#xB0-77"], ["aria/Order B0-77 now"], ["#step-7"]]}`
	op := draft.Operation{Name: "op", Recording: recording(t, opened+","+steps), Request: []draft.Field{{Name: "id"}, {Name: "count"}}}
	text := makeDraft(t, draft.Plan{Operations: []draft.Operation{op}, Inputs: map[string]string{"id": "B0-77", "count": "7"}}).Files["op.yaml"]
	for _, want := range []string{
		`["[data-item='{{ id }}']"]`, `value: "{{ id }}"`, `value: "{{ count }}"`, `["#row-{{ id }}"]`, `["#xB0-77"]`, `["aria/Order {{ id }} now"]`, `["#step-7"]`,
		`value: "call B0-77 first"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
}
