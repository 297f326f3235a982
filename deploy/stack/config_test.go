package stack

import (
	"slices"
	"strings"
	"testing"

	"integration.gateway/pkg/settings"
	"integration.gateway/services/applications"
)

func TestServedIntegrations(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string][]string{
		"":                          applications.Names(),
		"marketplace":               {"marketplace"},
		"payments-app,photo-social": {"photo-social", "payments-app"},
	} {
		cfg, err := settings.FromMap[Config](map[string]string{"INTEGRATIONS": setting})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range cfg.applications() {
			got = append(got, a.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q serves %v", setting, got)
		}
	}
	_, err := settings.FromMap[Config](map[string]string{"INTEGRATIONS": "marketplace,market"})
	if err == nil || !strings.Contains(err.Error(), "INTEGRATIONS") || !strings.Contains(err.Error(), "photo-social") {
		t.Errorf("an unknown one: %v", err)
	}
}
