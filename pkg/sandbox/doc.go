// Package sandbox is the kit that the stand-in web applications are made
// with. A stand-in plays a third-party application that tests and
// demonstrations cannot reach: it has its own pages, sign-in and state, and
// knows nothing of the service that will drive it.
//
// A site builds an [http.ServeMux] of its own pages and hands it to
// [Kit.Handler], which adds what all stand-ins share: sessions with cookies,
// anti-forgery tokens on everything that changes something, faults that can be
// switched on from outside, and the truth about what really happened:
//
//	GET    /_sandbox/state    everything that happened there, as JSON
//	GET    /_sandbox/user     the user of the browser that asks, as JSON
//	PUT    /_sandbox/faults   switches to exactly these faults (see [Faults])
//	DELETE /_sandbox/faults   switches all faults off
//
// All state is in memory and bounded. The control endpoints have no
// protection of their own; [Listen] therefore takes loopback addresses only.
package sandbox
