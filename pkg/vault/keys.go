package vault

import (
	"bytes"
	"container/list"
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
	of    map[string]*list.Element // by account
	order list.List                // of keptKey, the oldest first
	sweep *time.Timer              // at the end of the oldest one's time
}

type keptKey struct {
	*key
	until time.Time
}

// find returns an account's key if it is kept; nil if it is not.
func (k *keys) find(account string, wrapped []byte) *key {
	k.mu.Lock()
	defer k.mu.Unlock()
	e := k.of[account]
	if e == nil {
		return nil
	}
	kept := e.Value.(keptKey)
	if !bytes.Equal(kept.wrapped, wrapped) || !time.Now().Before(kept.until) {
		k.remove(e)
		return nil
	}
	return kept.key
}

// keep keeps a key, in place of the oldest one where there are too many.
func (k *keys) keep(fresh *key) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e := k.of[fresh.account]; e != nil {
		k.remove(e)
	}
	if k.order.Len() >= maxKeys {
		k.remove(k.order.Front())
	}
	if k.of == nil {
		k.of = map[string]*list.Element{}
	}
	k.of[fresh.account] = k.order.PushBack(keptKey{fresh, time.Now().Add(keyLasts)})
	if k.order.Len() == 1 {
		k.sweep = time.AfterFunc(keyLasts, k.dropOld)
	}
}

// dropOld drops the keys whose time is over.
func (k *keys) dropOld() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for e := k.order.Front(); e != nil; e = k.order.Front() {
		if left := time.Until(e.Value.(keptKey).until); left > 0 {
			k.sweep.Reset(left)
			return
		}
		k.remove(e)
	}
}

// drop drops an account's key.
func (k *keys) drop(account string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e := k.of[account]; e != nil {
		k.remove(e)
	}
}

// dropAll drops all keys.
func (k *keys) dropAll() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for e := k.order.Front(); e != nil; e = k.order.Front() {
		k.remove(e)
	}
}

// remove drops a key. The mutex is held.
func (k *keys) remove(e *list.Element) {
	delete(k.of, e.Value.(keptKey).account)
	k.order.Remove(e)
	if k.order.Len() == 0 {
		k.sweep.Stop()
	}
}
