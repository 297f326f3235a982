// Package event is the language of the event log: what an event is, which
// types there are, what each type carries, how events travel over NATS and
// how anybody proves that a stream of them was not tampered with.
//
// Everything that happens to a command, a session, an account or a site is one Event
// in one stream. A stream is append-only; its events are numbered from 1 and
// each carries the hash of its predecessor, so that [VerifyStream] finds an
// event that was changed, inserted, swapped or taken out.
//
// # Subscribing
//
// Events are published as CloudEvents 1.0 in the binary mode of the NATS
// protocol binding: attributes in headers that begin with ce-, data verbatim
// in the body. [Decode] turns a message back into an Event; a subscriber needs
// nothing else. Subjects have four tokens, always, and hold no ids:
//
//	evt.<integration>.<operation>.<event>
//
// where <event> is the last word of the type: command.accepted of marketplace
// buy-now is found at evt.marketplace.buy-now.accepted. An event that belongs
// to no operation has the first word of its type in the operation's place:
// account.linked is found at evt.marketplace.account.linked. The last token
// alone tells the type, so evt.*.*.confirmed is every confirmed effect.
//
// The JetStream stream [JetStreamName] keeps them for ever: its message n is
// the event with Seq n. A consumer gets a message again until it acknowledges
// it; the event's ID is what tells that it was there before. The document for
// subscribers in other languages is asyncapi.gen.yaml of package catalog, and
// deploy/examples/subscriber is a consumer to begin with.
//
// # Replays
//
// What is sent once more has the attribute ce-replay, which is Replay in Event,
// and comes on a subject outside evt.; all else of it is as it was.
package event
