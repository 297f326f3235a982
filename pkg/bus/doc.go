// Package bus carries operations over NATS: a caller's request to one instance
// of the integration's service, and the typed result or error back.
//
// A service listens on cmd.<integration>.<operation> as a NATS micro service,
// so that "nats micro ls" shows the fleet. Handle binds an operation to a
// method as a go-kit endpoint; Call is the other end. A request is the JSON of
// the operation's request type; its headers carry who asks, which command it
// is and how long it may take. An error travels in the headers of
// NATS's service protocol and arrives as the same *contracts.Error.
//
// An instance carries out a bounded number of requests at once, the writes of
// one account one after the other; a bounded number waits. It tells the caller
// that it has the request, and answers on alive.<instance> while it runs, so that
// the callers of one that died learn that at once. A caller that hangs
// up is told of on gone.<integration>, to all instances: its request is not
// begun any more, or cancelled if it only reads.
package bus
