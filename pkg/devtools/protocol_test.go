package devtools

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/go-rod/rod/lib/launcher"
	"github.com/google/go-cmp/cmp"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/testenv"
)

var update = flag.Bool("update", false, "write testdata/protocol.txt for the Chromium that is installed")

const tablePath = "testdata/protocol.txt"

// TestEveryMethodOfTheProtocolIsDecidedUpon compares what becomes of each method
// with the table. A method that the table does not have comes from another
// Chromium; it must be refused everywhere until somebody has looked at it.
func TestEveryMethodOfTheProtocolIsDecidedUpon(t *testing.T) {
	t.Parallel()
	methods := protocolMethods(t)
	if *update {
		var table strings.Builder
		table.WriteString("# What becomes of each method: of a client that controls, to the browser and to a page; of one that looks, to the same.\n")
		for _, method := range methods {
			fmt.Fprintln(&table, line(method))
		}
		if err := os.WriteFile(tablePath, []byte(table.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(tablePath)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for want := range strings.Lines(string(text)) {
		method, _, _ := strings.Cut(want, " ")
		if method == "#" {
			continue
		}
		known[method] = true
		if diff := cmp.Diff(strings.TrimSuffix(want, "\n"), line(method)); diff != "" {
			t.Error(diff)
		}
	}
	for _, method := range methods {
		if !known[method] {
			t.Logf("new in this Chromium, and refused: %s", method)
			if got, none := line(method), line("New."+method); strings.Fields(got)[1] != strings.Fields(none)[1] {
				t.Errorf("not in the table, but not refused: %s", got)
			}
		}
	}
	for _, policy := range policies {
		for _, rules := range policy {
			for method := range rules {
				if !known[method] {
					t.Errorf("a rule for %s, which the table does not have", method)
				}
			}
		}
	}
}

// line is a method's in the table.
func line(method string) string {
	words := []any{method}
	for _, purpose := range []event.Purpose{event.Control, event.View} {
		for _, at := range []level{browserLevel, targetLevel} {
			word := "-"
			if rule, is := policies[purpose][at][method]; is {
				word = rule.word
			}
			words = append(words, word)
		}
	}
	return fmt.Sprintf("%-60s %-8s %-8s %-8s %s", words...)
}

// protocolMethods are all that the installed Chromium has, as it describes them.
func protocolMethods(t *testing.T) (methods []string) {
	t.Helper()
	l := launcher.New().Bin(testenv.Chromium(t)).NoSandbox(true).Leakless(false).Headless(true)
	address, err := l.Launch()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Cleanup()
	defer l.Kill()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+u.Host+"/json/protocol", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	defer http.DefaultClient.CloseIdleConnections()
	var protocol struct {
		Domains []struct {
			Domain   string
			Commands []struct{ Name string }
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&protocol); err != nil {
		t.Fatal(err)
	}
	for _, domain := range protocol.Domains {
		for _, command := range domain.Commands {
			methods = append(methods, domain.Domain+"."+command.Name)
		}
	}
	if len(methods) < 500 {
		t.Errorf("only %d methods", len(methods))
	}
	return methods
}

func TestAddressesThatCanBeOpened(t *testing.T) {
	t.Parallel()
	for address, opens := range map[string]bool{
		"https://shop.example/": true, "http://shop.example": true, "HTTP://SHOP.EXAMPLE": true, "about:blank": true, "about:blank#a": true,
		"data:text/html,x": true, "blob:https://shop.example/1": true,
		"file:///etc/passwd": false, "FILE:///etc/passwd": false, "\x20file:///etc/passwd": false, "\tfile:///etc/passwd": false,
		"fi\nle:///etc/passwd": false, "/etc/passwd": false, "etc/passwd": false, `\\host\share`: false, "view-source:http://shop.example": false,
		"chrome://settings": false, "chrome-untrusted://print": false, "chrome-extension://a/b": false, "devtools://devtools/bundled/inspector.html": false,
		"about:settings": false, "about:version": false, "about:": false, "about:blankx": false, "about:srcdoc": false,
		"javascript:alert(1)": false, "filesystem:http://shop.example/temporary/a": false, "ftp://shop.example": false, "ws://shop.example": false,
		"isolated-app://a": false, "content://a": false, "\x00http://a": false, "http": false, "httpx://a": false,
	} {
		cmd := &command{method: "Page.navigate"}
		if err := cmd.encode(fields{"url": quote(t, address)}); err != nil {
			t.Fatal(err)
		}
		_, err := pageRules["Page.navigate"].judge(context.Background(), &client{}, cmd)
		if (err == nil) != opens {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func quote(t testing.TB, text string) json.RawMessage {
	t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return quoted
}

// FuzzCommands looks for a message of which Chromium would understand something
// else than what was looked at.
func FuzzCommands(f *testing.F) {
	for _, seed := range []string{
		`{"id":1,"method":"Page.navigate","params":{"url":"http://a"}}`,
		`{"id":1,"method":"Page.navigate","params":{"url":"http://a","url":"file:///a"}}`,
		`{"id":1,"method":"Page.enable","Method":"Browser.crash","sessionId":"AB"}`,
		`{"id":1,"method":"Input.dispatchDragEvent","params":{"data":{"files":["/etc/passwd"],"files":[]}}}`,
		`{"id":-9999,"method":"Browser.close"}`, `{"id":1.5}`, `[]`, `{"id":1,"method":"Fetch.continueRequest","params":{"u\u0072l":"file:///a"}}`,
		`{"id":1,"method":"Page.navigate","params":{"URL":"http://a","url":"\u0066ile:///a"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		cmd, err := decodeCommand(text)
		if err != nil {
			var answer map[string]any
			if json.Unmarshal(encodeFailure(cmd, err), &answer) != nil || answer["error"] == nil {
				t.Errorf("%q: the answer to an error is %q", text, encodeFailure(cmd, err))
			}
			return
		}
		rule, known := policies[event.Control][targetLevel][cmd.method]
		if !known {
			return
		}
		if rule.word != "checked" {
			if len(cmd.params) > 0 && !json.Valid(cmd.params) || strings.ContainsRune(string(cmd.params), 0) {
				t.Errorf("%q: parameters that are no JSON: %q", text, cmd.params)
			}
			return
		}
		if strings.HasPrefix(cmd.method, "Target.") {
			return // they ask Chromium
		}
		answer, err := rule.judge(context.Background(), &client{contextID: "OURS"}, cmd)
		if err != nil || answer != nil {
			return
		}
		checkParams(t, cmd)
	})
}

// checkParams looks at what goes to Chromium, in another way than the rules do.
func checkParams(t *testing.T, cmd *command) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(string(cmd.params)))
	seen := map[string]bool{}
	if _, err := decoder.Token(); err != nil {
		t.Fatal(err)
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			t.Fatal(err)
		}
		key := fmt.Sprint(name)
		if seen[key] {
			t.Errorf("%s: %q twice: %s", cmd.method, key, cmd.params)
		}
		seen[key] = true
		var value any
		if err := decoder.Decode(&value); err != nil {
			t.Fatal(err)
		}
		text := strings.ToLower(fmt.Sprint(value))
		switch {
		case key == "url" && (strings.HasPrefix(text, "file:") || strings.HasPrefix(text, "chrome")):
			t.Errorf("%s goes to %q", cmd.method, text)
		case key == "browserContextId" && value != "OURS":
			t.Errorf("%s is about context %q", cmd.method, text)
		case key == "handle" || key == "windowId":
			t.Errorf("%s has %s %q, of which the client was not told", cmd.method, key, text)
		}
		if data, is := value.(map[string]any); is && key == "data" {
			if files, is := data["files"].([]any); is && len(files) > 0 {
				t.Errorf("%s brings files %v", cmd.method, files)
			}
		}
	}
}
