package vault

import (
	"bytes"
	"maps"
	"sync"
	"time"
)

const (
	keyLasts = time.Minute // that an unwrapped key is kept
	maxKeys  = 1000        // that are kept at a time
)

// keys are the accounts' keys that were unwrapped a short time ago. A key is
// found by its wrapped form alone, which each call reads from the database: what
// is kept of a key that was destroyed is of no use, and goes when it is noticed
// or its time is over. Tink has no way to overwrite it in memory.
type keys struct {
	mu    sync.Mutex
	of    map[string]keptKey // by account
	sweep *time.Timer        // runs while there are any
}

type keptKey struct {
	*key
	until time.Time
}

// find returns an account's key if it is kept; nil if it is not.
func (k *keys) find(account string, wrapped []byte) *key {
	k.mu.Lock()
	defer k.mu.Unlock()
	kept, is := k.of[account]
	if !is || !bytes.Equal(kept.wrapped, wrapped) || !time.Now().Before(kept.until) {
		return nil
	}
	return kept.key
}

// keep keeps a key, in place of the oldest one where there are too many.
func (k *keys) keep(fresh *key) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, is := k.of[fresh.account]; !is && len(k.of) >= maxKeys {
		delete(k.of, k.oldest())
	}
	if k.of == nil {
		k.of = map[string]keptKey{}
	}
	if len(k.of) == 0 {
		k.sweep = time.AfterFunc(keyLasts, k.dropOld)
	}
	k.of[fresh.account] = keptKey{fresh, time.Now().Add(keyLasts)}
}

// oldest returns the account of the key that was unwrapped first. The mutex is held.
func (k *keys) oldest() (account string) {
	for of, kept := range k.of {
		if account == "" || kept.until.Before(k.of[account].until) {
			account = of
		}
	}
	return account
}

// dropOld drops the keys whose time is over, and comes again for the others.
func (k *keys) dropOld() {
	k.mu.Lock()
	defer k.mu.Unlock()
	maps.DeleteFunc(k.of, func(_ string, kept keptKey) bool { return !time.Now().Before(kept.until) })
	if len(k.of) > 0 {
		k.sweep.Reset(time.Until(k.of[k.oldest()].until))
	}
}

// drop drops an account's key.
func (k *keys) drop(account string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if delete(k.of, account); len(k.of) == 0 && k.sweep != nil {
		k.sweep.Stop()
	}
}

// dropAll drops all keys.
func (k *keys) dropAll() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if clear(k.of); k.sweep != nil {
		k.sweep.Stop()
	}
}
