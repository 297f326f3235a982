package vault_test

import (
	"sync"
	"testing"
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
