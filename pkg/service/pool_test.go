package service_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"integration.gateway/pkg/service"
	"integration.gateway/pkg/settings"
	"integration.gateway/pkg/testenv"
)

func TestPoolsFollowFromWhatIsDoneAtOnce(t *testing.T) {
	t.Parallel()
	database := testenv.DatabaseURL(t)
	more := "?"
	if strings.Contains(database, "?") {
		more = "&"
	}
	for name, c := range map[string]struct {
		settings   map[string]string
		atOnce     int
		log, vault int32
	}{
		"few workers":             {settings: map[string]string{}, log: 4, vault: 4},
		"some workers":            {settings: map[string]string{"WORKERS": "16"}, log: 10, vault: 10},
		"many workers":            {settings: map[string]string{"WORKERS": "256"}, log: 20, vault: 20},
		"several services":        {settings: map[string]string{}, atOnce: 24, log: 14, vault: 14},
		"a bound":                 {settings: map[string]string{"WORKERS": "256", "DATABASE_CONNECTIONS": "13"}, log: 7, vault: 6},
		"a size in one's address": {settings: map[string]string{"WORKERS": "16", "VAULT_DATABASE_URL": database + more + "pool_max_conns=3"}, log: 10, vault: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.settings["DATABASE_URL"], c.settings["NATS_URL"], c.settings["VAULT_KEEPER_URL"] = database, testenv.NATSURL(t), keeperURL
			cfg, err := settings.FromMap[service.Config](c.settings)
			if err != nil {
				t.Fatal(err)
			}
			cfg.AtOnce = c.atOnce
			var told bytes.Buffer
			host, err := service.OpenHost(t.Context(), cfg, slog.New(slog.NewTextHandler(&told, nil)))
			if err != nil {
				t.Fatal(err)
			}
			log, vault := host.LogPool.Config().MaxConns, host.VaultPool.Config().MaxConns
			if err := host.Close(); err != nil {
				t.Error(err)
			}
			if log != c.log || vault != c.vault {
				t.Errorf("%d connections for the log and %d for the vault, want %d and %d", log, vault, c.log, c.vault)
			}
			if strings.Count(told.String(), "database connections") != 2 {
				t.Errorf("it tells %s", told.String())
			}
		})
	}
}
