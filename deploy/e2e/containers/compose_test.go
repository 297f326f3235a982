package containers_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"

	"integration.gateway/contracts"
	"integration.gateway/gateway"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/integration"
	"integration.gateway/pkg/service"
	"integration.gateway/pkg/settings"
	"integration.gateway/services/applications"
)

// composed is what these tests read of compose.yaml.
type composed struct {
	Services map[string]struct {
		Image       string            `yaml:"image"`
		ReadOnly    bool              `yaml:"read_only"`
		Dropped     []string          `yaml:"cap_drop"`
		Security    []string          `yaml:"security_opt"`
		Memory      string            `yaml:"mem_limit"`
		Processes   int               `yaml:"pids_limit"`
		Restart     string            `yaml:"restart"`
		Environment map[string]string `yaml:"environment"`
		Health      map[string]any    `yaml:"healthcheck"`
		Networks    []string          `yaml:"networks"`
		Scale       string            `yaml:"scale"`
		StopGrace   string            `yaml:"stop_grace_period"`
	} `yaml:"services"`
	Networks map[string]struct {
		Internal bool `yaml:"internal"`
	} `yaml:"networks"`
}

func read(t *testing.T) composed {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(deploy, "compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var file composed
	if err := yaml.UnmarshalWithOptions(content, &file, yaml.AllowDuplicateMapKey()); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestEachIntegrationHasAContainerAndACase(t *testing.T) {
	t.Parallel()
	file := read(t)
	for _, app := range applications.All {
		container, has := file.Services[app.Name]
		if !has || container.Image != "integration-gateway/"+app.Name+":${TAG}" {
			t.Errorf("compose.yaml has no container of %s, or of another image: %q", app.Name, container.Image)
		}
		folder, err := fs.Sub(app.Sites, "sites/"+applications.SandboxSite)
		if err != nil {
			t.Fatal(err)
		}
		site, err := flow.Load(folder, flow.ContractsOf(app.Entries()...))
		if err != nil {
			t.Fatal(err)
		}
		suffix := strings.ToUpper(strings.ReplaceAll(app.Name, "-", "_"))
		url := strings.Replace(site.BaseURL, "127.0.0.1", "sandboxes", 1)
		want := fmt.Sprintf("${SITE_URLS_%s:-%s=%s}", suffix, applications.SandboxSite, url)
		if got := container.Environment["SITE_URLS"]; got != want {
			t.Errorf("%s: SITE_URLS is %q, want %q", app.Name, got, want)
		}
		if want := fmt.Sprintf("${SCALE_%s:-1}", suffix); container.Scale != want {
			t.Errorf("%s: its scale is %q, want %q", app.Name, container.Scale, want)
		}
		if c, has := cases[app.Name]; !has || c.op.Info().Integration != app.Name {
			t.Errorf("%s has no case of its own", app.Name)
		}
	}
}

func TestContainersMayDoLittleAndTellHowTheyAre(t *testing.T) {
	t.Parallel()
	for name, container := range read(t).Services {
		if !container.ReadOnly || !slices.Equal(container.Dropped, []string{"ALL"}) ||
			!slices.Contains(container.Security, "no-new-privileges:true") || container.Memory == "" || container.Processes == 0 {
			t.Errorf("%s: %+v", name, container)
		}
		if container.Restart == "unless-stopped" && len(container.Health["test"].([]any)) == 0 {
			t.Errorf("%s has no health check", name)
		}
	}
}

// TestNetworksDivideWhatNeedNotMeet says which networks each container is on:
// nothing leads out of the bus's, and the sandboxes are not on it.
func TestNetworksDivideWhatNeedNotMeet(t *testing.T) {
	t.Parallel()
	file := read(t)
	if diff := cmp.Diff([]string{"applications", "bus", "callers"}, slices.Sorted(maps.Keys(file.Networks))); diff != "" {
		t.Errorf("networks (-want +got):\n%s", diff)
	}
	if !file.Networks["bus"].Internal {
		t.Error("the network of the bus leads out")
	}
	want := map[string][]string{"gateway": {"bus", "callers"}, "sandboxes": {"applications"}}
	for _, name := range []string{"postgres", "nats", "migrate", "logins", "accounts", "audit", "igw"} {
		want[name] = []string{"bus"}
	}
	for _, app := range applications.All {
		want[app.Name] = []string{"bus", "applications"}
	}
	got := map[string][]string{}
	for name, container := range file.Services {
		got[name] = container.Networks
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("networks of the containers (-want +got):\n%s", diff)
	}
}

// closingMargin is for the ends of connections, after all else.
const closingMargin = 5 * time.Second

func TestContainersAreLeftTheTimeThatTheirProgramsTakeToEnd(t *testing.T) {
	t.Parallel()
	edge, err := settings.FromMap[gateway.Config](map[string]string{"ADMIN_TOKEN": "igw_admin_" + strings.Repeat("x", 48)})
	if err != nil {
		t.Fatal(err)
	}
	host, err := settings.FromMap[service.Config](map[string]string{"DATABASE_URL": "postgres:///", "VAULT_KEEPER_URL": "base64key://"})
	if err != nil {
		t.Fatal(err)
	}
	takes := map[string]time.Duration{
		"gateway": edge.DrainDelay + edge.DrainTimeout, "accounts": host.DrainTimeout, "audit": host.DrainTimeout,
	}
	for _, app := range applications.All {
		takes[app.Name] = host.DrainTimeout + 2*integration.CloseTimeout // its sessions, and its browser of operations
	}
	file := read(t)
	for name, longest := range takes {
		grace, err := time.ParseDuration(file.Services[name].StopGrace)
		if err != nil || grace < longest+closingMargin {
			t.Errorf("%s is killed %v after it was told to stop (%v), and may take %v", name, grace, err, longest+closingMargin)
		}
	}
}

func TestNATSCarriesTheLongestMessage(t *testing.T) {
	t.Parallel()
	options, err := server.ProcessConfigFile(filepath.Join(deploy, "nats.conf"))
	if err != nil {
		t.Fatal(err)
	}
	if options.MaxPayload != contracts.MaxMessageBytes || !options.JetStream {
		t.Errorf("max_payload is %d, want %d; JetStream: %v", options.MaxPayload, contracts.MaxMessageBytes, options.JetStream)
	}
}
