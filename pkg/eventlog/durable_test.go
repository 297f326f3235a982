package eventlog

import (
	"strings"
	"testing"

	"integration.gateway/pkg/testenv"
)

func TestADatabaseThatConfirmsWhatACrashLosesIsRefused(t *testing.T) {
	t.Parallel()
	url := testenv.DatabaseURL(t)
	if err := CheckDurability(limited(t), newPool(t, url)); err != nil {
		t.Error(err)
	}
	careless := newPool(t, url+"&synchronous_commit=off")
	if err := CheckDurability(limited(t), careless); err == nil || !strings.Contains(err.Error(), "synchronous_commit") {
		t.Errorf("got %v", err)
	}
}
