// Package devtools lets a client that is not trusted speak the DevTools protocol
// with one account's browser.
//
// [Serve] carries one client's WebSocket. The client finds what it would find at
// Chromium's own /devtools/browser address, with the account's isolated context
// in the place of the default one, so chromedp, go-rod, Puppeteer and Playwright
// work unchanged. Each of its commands is looked at first:
//
//   - A method that is not listed is refused: see methods.go. Chromium's whole
//     protocol with what becomes of each method is in testdata/protocol.txt.
//   - Of methods that could reach out of the context, the parameters are looked
//     at too, and go on in our own encoding: see rules.go.
//   - Targets that are not the context's are neither told of nor attached to:
//     see target.go.
//
// What no command can do, because Chromium sees to it: a page of http, data or
// blob opens no page of file or chrome, not by a redirect, a changed request or a
// world with universal access either. What the context's relay sees to: no
// private address but the site's own (see package browser).
//
// A client whose purpose is to look gets the picture of pages and their
// addresses, by a handful of methods, and changes nothing.
package devtools
