package flow

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// In a bubble the clock begins at a full minute, and goes on when all wait.
func TestOneTimeCodeIsTypedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		codes := spentCodes{until: map[[32]byte]time.Time{}}
		begun := time.Now()
		seen := map[string]bool{}
		for range 3 {
			code, err := oneTimeCode(t.Context(), "JBSWY3DPEHPK3PXP", codes.claim)
			if err != nil || seen[code] {
				t.Errorf("%q a second time, %v", code, err)
			}
			seen[code] = true
		}
		if waited := time.Since(begun); waited != 2*codePeriod {
			t.Errorf("waited %s", waited)
		}
		if _, err := oneTimeCode(t.Context(), "KRSXG5CTMVRXEZLU", codes.claim); err != nil || time.Since(begun) != 2*codePeriod {
			t.Errorf("another account waited too: %s, %v", time.Since(begun), err)
		}
		time.Sleep(codePeriod)
		if _, err := oneTimeCode(t.Context(), "KRSXG5CTMVRXEZLU", codes.claim); err != nil || len(codes.until) != 1 {
			t.Errorf("%d codes are remembered for longer than they last, %v", len(codes.until), err)
		}
	})
}

func TestOneTimeCodeThatIsNearlyOverIsNotBegunWith(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		codes := spentCodes{until: map[[32]byte]time.Time{}}
		time.Sleep(codePeriod - codeLeft + time.Millisecond)
		before := time.Now()
		if _, err := oneTimeCode(t.Context(), "JBSWY3DPEHPK3PXP", codes.claim); err != nil || time.Since(before) != codeLeft-time.Millisecond {
			t.Errorf("waited %s, %v", time.Since(before), err)
		}
	})
}

func TestWaitForAOneTimeCodeEndsWithTheCommand(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		codes := spentCodes{until: map[[32]byte]time.Time{}}
		if _, err := oneTimeCode(t.Context(), "JBSWY3DPEHPK3PXP", codes.claim); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for range 2 {
			if _, err := oneTimeCode(ctx, "JBSWY3DPEHPK3PXP", codes.claim); !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		}
		begun := time.Now()
		if _, err := oneTimeCode(t.Context(), "JBSWY3DPEHPK3PXP", codes.claim); err != nil || time.Since(begun) > codePeriod {
			t.Errorf("waited %s for what was not typed, %v", time.Since(begun), err)
		}
	})
}

func TestSecretThatIsNoBase32IsNotQuoted(t *testing.T) {
	t.Parallel()
	codes := spentCodes{until: map[[32]byte]time.Time{}}
	if code, err := oneTimeCode(t.Context(), "not base 32!", codes.claim); err == nil || code != "" || err.Error() != "making a one-time code: the account's secret is not base32" {
		t.Errorf("%q, %v", code, err)
	}
}
