package vault_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"integration.gateway/pkg/schema"
	"integration.gateway/pkg/vault"
)

func TestFingerprintIsTheSameInEveryProcessAndTellsPartsApart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var both [2]string
	var calls sync.WaitGroup
	for i := range both {
		calls.Go(func() { // the two make the key at the same time
			v := b.vault
			if i == 1 {
				v = b.other
			}
			var err error
			if both[i], err = v.Fingerprint(t.Context(), "user", "jane.roe@example.com"); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	if both[0] == "" || both[0] != both[1] {
		t.Errorf("two processes have the fingerprints %q and %q", both[0], both[1])
	}
	for _, parts := range [][]string{{"user", "jane.roe@example.co"}, {"userjane.roe@example.com"}, {"user", "jane.roe@example.com", ""}} {
		if other, err := b.vault.Fingerprint(t.Context(), parts...); err != nil || other == both[0] {
			t.Errorf("%q has the fingerprint %q, %v", parts, other, err)
		}
	}
}

func TestFingerprintDependsOnTheInstallation(t *testing.T) {
	t.Parallel()
	a, err := setup(t).vault.Fingerprint(t.Context(), "user", "jane")
	b, errB := setup(t).vault.Fingerprint(t.Context(), "user", "jane")
	if err != nil || errB != nil || a == b {
		t.Errorf("two installations have the fingerprints %q and %q, %v, %v", a, b, err, errB)
	}
}

func TestFingerprintKeyOfAnotherKeeperDoesNotOpen(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if _, err := b.vault.Fingerprint(t.Context(), "user"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.open(t, newKeeperURL()).Fingerprint(t.Context(), "user"); err == nil {
		t.Error("a fingerprint was made without the key")
	}
}

// Who asks for the first fingerprint may get no connection for long. Those who do
// get one do not wait for it.
func TestFingerprintWaitsForNoOther(t *testing.T) {
	t.Parallel()
	b := setup(t)
	type slow struct{}
	asks, goOn := make(chan struct{}), make(chan struct{})
	config := newPool(t, schema.As(b.databaseURL, schema.Accounts)).Config()
	config.PrepareConn = func(ctx context.Context, _ *pgx.Conn) (bool, error) {
		if ctx.Value(slow{}) != nil {
			close(asks)
			<-goOn
		}
		return true, ctx.Err()
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	v, err := vault.Open(t.Context(), pool, b.keeperURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.Close() })
	var both sync.WaitGroup
	defer both.Wait()
	defer close(goOn)
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), slow{}, true))
	both.Go(func() {
		if _, err := v.Fingerprint(ctx, "user"); err == nil {
			t.Error("it was not slow")
		}
	})
	<-asks
	cancel()
	answered := make(chan error, 1)
	both.Go(func() {
		_, err := v.Fingerprint(t.Context(), "user")
		answered <- err
	})
	select {
	case err := <-answered:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("it waits for another one")
	}
}
