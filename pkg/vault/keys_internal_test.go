package vault

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

func TestKeysAreKeptForAShortTimeAndNotTooMany(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var k keys
		wrapped := []byte("wrapped")
		holds := func(account string, want bool) {
			t.Helper()
			if got := k.find(account, wrapped) != nil; got != want {
				t.Errorf("%s is kept: %t", account, got)
			}
		}
		k.keep(&key{account: "ann", wrapped: wrapped})
		holds("ann", true)
		holds("bob", false)
		if k.find("ann", []byte("wrapped anew")) != nil {
			t.Error("another key was found")
		}
		time.Sleep(keyLasts / 2)
		k.keep(&key{account: "bob", wrapped: wrapped})
		k.drop("carl")
		time.Sleep(keyLasts / 2)
		synctest.Wait()
		if len(k.of) != 1 { // without being asked for
			t.Errorf("%d keys are kept", len(k.of))
		}
		holds("bob", true)
		k.drop("bob")
		holds("bob", false)

		for i := range maxKeys + 1 {
			k.keep(&key{account: strconv.Itoa(i), wrapped: wrapped})
			time.Sleep(time.Millisecond)
		}
		holds("0", false)
		holds("1", true)
		k.dropAll()
		if len(k.of) != 0 {
			t.Errorf("%d keys are left", len(k.of))
		}
	})
}
