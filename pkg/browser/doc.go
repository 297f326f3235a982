// Package browser runs Chromium for the integrations' services.
//
// A [Pool] owns one Chromium process. Each linked account gets an isolated
// browser context of its own in it (cookies, storage and cache apart from all
// others), restored from the account's [State] the first time and kept warm
// afterwards. [Pool.Acquire] leases a [Page] of an account's context; several
// pages of one account can be leased side by side.
//
//	pool, err := browser.Open(ctx, browser.Config{Log: log})
//	page, err := pool.Acquire(ctx, browser.Tenant{Account: account, Origins: origins, Restore: restore})
//	defer func() { page.Release(err == nil) }()
//	err = flow.Play(page.Rod(), ...)
//
// What can be relied upon:
//
//   - Chromium runs as an ordinary user with its sandbox on, also when the
//     caller is root, and with an environment that holds none of ours.
//   - It is spoken to over a pair of pipes, so there is no port to guard, and
//     it ends with the process that started it, whichever way that ends.
//   - Whatever happens to Chromium (killed, crashed, hung), the contexts of
//     the pages concerned end with a cause, within seconds, and the next
//     Acquire gets a working page.
//   - Pages reach private addresses only where the site itself is, and speak
//     nothing but TCP.
//   - Every wait has a deadline, every queue a bound.
//
// One rule for callers: go-rod's waits (EachEvent, WaitEvent …) return without
// an error when their context ends. Look at [Page.Err] after such a wait.
package browser
