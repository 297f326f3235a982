package sandbox

import (
	"crypto/subtle"
	"time"

	"github.com/pquerna/otp/totp"
)

// codePeriod is how long a one-time code is the current one (RFC 6238). The
// codes right before and after it are taken too, for clocks differ.
const codePeriod = 30 * time.Second

// HasSecret says whether the user is asked for a one-time code after the
// password.
func (k *Kit) HasSecret(username string) bool { return k.secrets[username] != "" }

// CheckCode says whether the one-time code is the user's, and counts one that
// is not. Each code is taken once; an older one is not taken after it.
func (k *Kit) CheckCode(username, code string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := time.Now()
	for _, at := range []time.Time{now.Add(-codePeriod), now, now.Add(codePeriod)} {
		step := at.Unix() / int64(codePeriod/time.Second)
		if step <= k.lastCode[username] {
			continue
		}
		want, err := totp.GenerateCode(k.secrets[username], at)
		if err == nil && k.secrets[username] != "" && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			k.lastCode[username] = step
			return true
		}
	}
	k.traffic.RejectedCodes++
	return false
}

// AwaitCode notes that the user's password was given in the session, and that
// only the one-time code is missing. Nobody is signed in until [Session.SignIn].
// The session gets a new cookie, as at a sign-in.
func (s *Session) AwaitCode(user string) {
	s.kit.mu.Lock()
	defer s.kit.mu.Unlock()
	s.kit.sessions.renew(s.record)
	s.record.awaited = user
	s.kit.setCookie(s.w, s.record.id)
}

// Awaited returns whose one-time code the session still has to give, or "".
func (s *Session) Awaited() string {
	s.kit.mu.Lock()
	defer s.kit.mu.Unlock()
	return s.record.awaited
}
