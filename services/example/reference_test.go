package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"integration.gateway/pkg/flow"
)

// block is a piece of YAML or JSON in the reference, with the file that it is
// taken from, if any.
var block = regexp.MustCompile("(?m)(?:^<!-- (example/\\S+) -->\n|^)```(?:yaml|json)\n((?s:.*?))^```$") //nolint:gocritic // the second ^ begins a line

func TestWhatTheReferenceShowsIsRead(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../SITES.md")
	if err != nil {
		t.Fatal(err)
	}
	shown, quoted := 0, map[string]bool{}
	for _, match := range block.FindAllStringSubmatch(string(text), -1) {
		file, content := match[1], match[2]
		shown++
		if file == "" {
			if _, err := flow.Load(folderOf(content), nil); err != nil {
				t.Errorf("%v in\n%s", err, content)
			}
			continue
		}
		quoted[file] = true
		whole, err := os.ReadFile("../" + file)
		if err != nil {
			t.Error(err)
		}
		if !strings.Contains(string(whole), content) {
			t.Errorf("%s does not hold what the reference shows of it:\n%s", file, content)
		}
	}
	if shown < 15 || len(quoted) != 5 {
		t.Errorf("%d pieces were found, of %v", shown, quoted)
	}
}

// folderOf makes a site of what the reference shows: steps, or a part of
// site.yaml.
func folderOf(content string) fstest.MapFS {
	site := "site: x\nintegration: x\nbaseUrl: https://x.example\n"
	files := map[string]string{"op.yaml": "steps: []\n"}
	switch {
	case strings.HasPrefix(content, "- "):
		files["op.yaml"] = "steps:\n" + content
	case strings.HasPrefix(content, "{"):
		files["op.yaml"] = `{"steps": [` + content + `]}`
	}
	if strings.HasPrefix(content, "signIn:") {
		site += content
	} else {
		site += "signIn: {flow: sign-in.json, home: /, signedIn: {exists: body}, remember: {token: {const: x}}}\n"
	}
	files["site.yaml"] = site + "operations: {op: {flow: op.yaml}}\n"
	folder := fstest.MapFS{}
	for _, name := range []string{"sign-in.json", "one-time-code.json"} {
		folder[name] = &fstest.MapFile{Data: []byte(`{"steps": []}`)}
	}
	for name, text := range files {
		folder[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return folder
}
