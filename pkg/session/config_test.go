package session_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"integration.gateway/pkg/command"
	"integration.gateway/pkg/session"
	"integration.gateway/pkg/settings"
)

func TestSettingsOfSessionsAreChecked(t *testing.T) {
	t.Parallel()
	for variable, value := range map[string]string{
		"SESSIONS_MAX": "-1", "SESSIONS_PER_CALLER": "1001", "SESSIONS_RESERVE": "101", "SESSION_TIME": "25h", "SESSION_IDLE": "1ms",
		"PUBLIC_URL": "gateway.example", "SESSIONS_URL": "ws://10.0.0.7",
	} {
		_, err := settings.FromMap[session.Config](map[string]string{variable: value})
		if err == nil || !strings.Contains(err.Error(), variable) {
			t.Errorf("%s=%s: %v", variable, value, err)
		}
	}
	if _, err := settings.FromMap[session.Config](map[string]string{"PUBLIC_URL": "https://gateway.example/igw/"}); err != nil {
		t.Error(err)
	}
}

func TestHostsNameStandsInTheAddressOfItsSessions(t *testing.T) {
	t.Parallel()
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := settings.FromMap[session.Config](map[string]string{"SESSIONS_URL": "http://{hostname}:9070"})
	if err != nil || cfg.URL != "http://"+name+":9070" {
		t.Errorf("got %s, %v", cfg.URL, err)
	}
}

func TestAddressesOfASessionAreThoseOfTheGateway(t *testing.T) {
	t.Parallel()
	cfg := defaults
	cfg.PublicURL, cfg.URL, cfg.Addr = "https://gateway.example/igw/", "http://10.0.0.7:9070/", "0.0.0.0:0"
	k := newHouse(t).keeper(cfg)
	s := k.open("caller", "anna")
	if !strings.HasPrefix(s.WSURL, "wss://gateway.example/igw/sessions/"+s.id+"/devtools/browser/igw_st_") ||
		!strings.HasPrefix(s.DebuggerFullscreenURL, "https://gateway.example/igw/sessions/"+s.id+"/live#igw_st_") {
		t.Errorf("%+v", s.Session)
	}
	holder, err := s.ask("")
	if err != nil || holder.URL != "http://10.0.0.7:9070" {
		t.Errorf("%+v, %v", holder, err)
	}
}

func TestAKeeperThatListensEverywhereMustSayWhereItIs(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	cfg := defaults
	cfg.Addr = "0.0.0.0:0"
	instance, err := command.NewInstance(t.Context(), h.pool, lease, quiet)
	h.must(err)
	parts := session.Parts{Config: cfg, Pool: h.pool, Bus: h.nc, Log: h.log, Instance: instance, Logger: quiet}
	_, err = session.Open(t.Context(), parts)
	if err == nil || !strings.Contains(err.Error(), "SESSIONS_URL") {
		t.Errorf("got %v", err)
	}
	parts.Config.Addr = "nowhere"
	if _, err := session.Open(t.Context(), parts); err == nil || !strings.Contains(err.Error(), "SESSIONS_ADDR") || errors.Unwrap(err) == nil {
		t.Errorf("got %v", err)
	}
}
