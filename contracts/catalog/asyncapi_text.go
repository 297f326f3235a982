package catalog

import "integration.gateway/contracts/event"

// subscribing is what a subscriber has to know besides channels and messages.
const subscribing = `Everything that happens to a command, a session or an account of the Integration Gateway is an event, and each event is a message on NATS. To subscribe you need a NATS client and this document. The actions are seen from the gateway: it sends, you receive.

## Messages

Each message is a CloudEvent 1.0 in the binary mode of the NATS protocol binding. Its attributes are headers whose names begin with ` + "`ce-`" + `; their values are text, in which space, double quote, percent sign and all that is not printable ASCII are percent-encoded as UTF-8. Ignore headers that you do not know, such as those that begin with ` + "`Nats-`" + `. The payload is the event's data, byte for byte as it was recorded, in JSON. Ignore fields that you do not know: new ones may be added.

## Subjects

A subject has four tokens: ` + "`evt.<integration>.<operation>.<event>`" + `. The last one tells the type of the event (` + "`confirmed`" + ` is ` + "`effect.confirmed`" + `), so that ` + "`evt.*.*.confirmed`" + ` is every confirmed effect, ` + "`evt.marketplace.buy-now.*`" + ` all of one operation and ` + "`evt.>`" + ` everything. Events that belong to no operation have ` + "`account`" + ` or ` + "`site`" + ` in its place.

## The stream

The JetStream stream ` + "`" + event.JetStreamName + "`" + ` holds all events, for ever, on file; nothing is deleted or replaced. Message n of the stream is the event whose ` + "`ce-seq`" + ` is n, without gaps, in the order of the gateway's log. The events of one command, session or account (` + "`ce-stream`" + `) come in the order of their ` + "`ce-version`" + `.

Make a durable pull consumer on that stream, with a name of your own, filter subjects, explicit acknowledgement and the deliver policy ` + "`all`" + `; it starts with the first event there ever was and goes on, after a restart, where it stopped. For example, with the NATS command line:

    nats consumer add ` + event.JetStreamName + ` my-system --pull --ack explicit --deliver all --filter 'evt.*.*.confirmed'
    nats consumer next ` + event.JetStreamName + ` my-system

Delivery is at least once: a message whose acknowledgement is lost comes again. An event has one ` + "`ce-id`" + ` for ever; keep the ids of what you have carried out, in the same transaction as the work, and acknowledge after it. With more than one message under way at once (` + "`max ack pending`" + ` above 1), one that comes again comes after later ones.

## Attempts

A command that ended and did nothing, for a reason that passes, says ` + "`repeatable`" + ` in its last event. When its caller sends the request again with the same Idempotency-Key, the same stream goes on with another ` + "`command.accepted`" + ` and all that can follow it. Count what you count by ` + "`effect.confirmed`" + ` and ` + "`effect.reconciled`" + `: a command has an effect once, in its last attempt.

## Replays

The operator can send events once more, on a subject outside ` + "`evt.`" + `. Such a message has the attribute ` + "`ce-replay`" + `, the id of the replay; all else, the ` + "`ce-id`" + ` too, is as it was. Nothing under ` + "`evt.`" + ` is a replay.

## Personal data

Where a field is personal data or a secret, the event holds ` + "`{\"sealed\": \"…\"}`" + ` in place of its value (schema Sealed): encrypted with a key of the account's own, which never leaves the gateway. When the account is erased, the key is destroyed.

## Proof

` + "`ce-hash`" + ` is the SHA-256 of the event's canonical text, ` + "`ce-prevhash`" + ` that of the event before it in its ` + "`ce-stream`" + `. The Go package ` + "`integration.gateway/contracts/event`" + ` decodes messages and checks the chains.
`

// eventSummaries says in a sentence what each type of event means.
var eventSummaries = map[string]string{
	event.TypeCommandAccepted:    "The request is valid and will be carried out.",
	event.TypeCommandRejected:    "The command will not be carried out; nothing was done. This is its last event, unless its data says repeatable.",
	event.TypeCommandCompleted:   "The command has ended, with its result or with an error. This is its last event, unless its data says repeatable or effect.found-late follows.",
	event.TypeEffectStarted:      "From here on the effect may have happened.",
	event.TypeEffectConfirmed:    "The application confirmed the effect.",
	event.TypeEffectNotApplied:   "There was no effect.",
	event.TypeEffectUnknown:      "Nobody can say yet whether the effect happened; effect.reconciled follows when it is known.",
	event.TypeEffectReconciled:   "An effect in doubt is settled: it happened, or it did not.",
	event.TypeEffectFoundLate:    "The application carried the effect out after it had been settled that there was none.",
	event.TypeSessionOpened:      "A signed-in browser is ready for its caller.",
	event.TypeSessionAttached:    "A client connected to the session's browser.",
	event.TypeSessionDetached:    "A client of the session is connected no more.",
	event.TypeSessionClosed:      "The session's browser has ended.",
	event.TypeAccountLinked:      "An end user's account was linked.",
	event.TypeAccountSignedIn:    "A browser signed in to the account.",
	event.TypeAccountNeedsSignIn: "The application refused the account's stored user name and password.",
	event.TypeAccountUnlinked:    "The account's token works no more.",
	event.TypeAccountErased:      "The account's key is destroyed; what it sealed cannot be read any more, by anybody.",
	event.TypeSiteDrifted:        "The first choice of element of a flow's step has started losing, or a required field to be missing: the application's pages are changing.",
}
