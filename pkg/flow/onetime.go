package flow

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pquerna/otp/totp"
)

// A one-time code changes every codePeriod. Applications take each code once:
// one that was typed before is refused, whether it was taken then or not.
const (
	codePeriod = 30 * time.Second
	// codeLeft is what a code must have left to reach the application in time.
	codeLeft = 2 * time.Second
)

// spentCodes remembers, by a hash of the secret, until when the code that was
// last typed is the current one. It holds nothing for longer than that.
type spentCodes struct {
	mu    sync.Mutex
	until map[[sha256.Size]byte]time.Time
}

var spent = spentCodes{until: map[[sha256.Size]byte]time.Time{}}

// take returns when the code may be made, and notes that it is typed then.
func (s *spentCodes) take(secret string, now time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, until := range s.until {
		if !now.Before(until) {
			delete(s.until, key)
		}
	}
	key := sha256.Sum256([]byte(secret))
	at := now
	if until, typed := s.until[key]; typed {
		at = until
	} else if end := endOfCode(now); end.Sub(now) < codeLeft {
		at = end
	}
	s.until[key] = endOfCode(at)
	return at
}

// giveBack says that the code of a time that take returned was not typed.
func (s *spentCodes) giveBack(secret string, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if key := sha256.Sum256([]byte(secret)); s.until[key].Equal(endOfCode(at)) {
		s.until[key] = at
	}
}

func endOfCode(t time.Time) time.Time { return t.Truncate(codePeriod).Add(codePeriod) }

// claim is ClaimCode within this process, by its clock.
func (s *spentCodes) claim(_ context.Context, secret string) (at time.Time, wait time.Duration, release func(), err error) {
	now := time.Now()
	at = s.take(secret, now)
	return at, at.Sub(now), func() { s.giveBack(secret, at) }, nil
}

// oneTimeCode makes a code for an account, as soon as there is one that was
// not typed before.
func oneTimeCode(ctx context.Context, secret string, claim ClaimCode) (string, error) {
	at, wait, release, err := claim(ctx, secret)
	if err != nil {
		return "", err
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		release()
		return "", fmt.Errorf("waiting for a one-time code that was not typed before: %w", context.Cause(ctx))
	}
	code, err := totp.GenerateCode(secret, at)
	if err != nil {
		return "", errors.New("making a one-time code: the account's secret is not base32")
	}
	return code, nil
}

// needsCode chooses the code of a sign-in when the first of its steps asks for
// one: it may be typed into six boxes.
func (p *player) needsCode(ctx context.Context, s *Step) error {
	if !p.signing || p.credentials == nil || p.credentials.OneTimeSecret == "" || p.code != "" {
		return nil
	}
	if !slices.ContainsFunc(s.uses, func(u use) bool {
		return slices.ContainsFunc(u.template.Names(), func(name []string) bool { return slices.Equal(name, []string{"account", "oneTimeCode"}) })
	}) {
		return nil
	}
	claim := p.job.Account.ClaimCode
	if claim == nil {
		claim = spent.claim
	}
	code, err := oneTimeCode(ctx, p.credentials.OneTimeSecret, claim)
	p.code = code
	return err
}
