package applications_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// quoted is a piece of a file that the introduction for newcomers shows.
var quoted = regexp.MustCompile("(?m)^<!-- (\\S+) -->\n```[a-z]+\n((?s:.*?))^```$") //nolint:gocritic // the second ^ begins a line

// linked is a file or folder that it links to.
var linked = regexp.MustCompile(`\]\(([^):#]+)\)`)

func TestWhatTheReadmeShowsIsInTheFiles(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	pieces := quoted.FindAllStringSubmatch(string(text), -1)
	for _, piece := range pieces {
		whole, err := os.ReadFile(filepath.Join("..", piece[1]))
		if err != nil {
			t.Error(err)
		}
		if !strings.Contains(string(whole), piece[2]) {
			t.Errorf("%s does not hold\n%s", piece[1], piece[2])
		}
	}
	links := linked.FindAllStringSubmatch(string(text), -1)
	for _, link := range links {
		if _, err := os.Stat(filepath.Join("..", link[1])); err != nil {
			t.Error(err)
		}
	}
	if len(pieces) < 8 || len(links) < 15 {
		t.Errorf("%d pieces and %d links were found", len(pieces), len(links))
	}
}
