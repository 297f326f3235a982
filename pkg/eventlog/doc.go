// Package eventlog is the event log: events in Postgres, which are the truth,
// and a copy in a JetStream stream, which can be rebuilt at any time.
//
// A [Log] appends to streams and reads them. An append is one round trip and
// takes no lock but its own stream's; those that a process makes at the same
// moment share a transaction. The database links each event to its predecessor
// by a hash (see contracts/event).
//
// A [Keeper] brings the events of all streams into one order, publishes them
// and signs for them. Of all the keepers that run, one leads, chosen by a lock
// in the database. Its sequencer gives each event a dense seq, once no
// transaction can commit an event that would have to stand before it; its
// relay publishes event n as message n of the JetStream stream, so that a
// subscriber misses nothing, gets nothing twice and sees the order of the log;
// its notary extends the log's Merkle tree and signs checkpoints, so that an
// auditor who kept one can tell whether anything was changed since.
//
//	append → events → sequencer → log → relay → JetStream → subscribers
//	                                  → notary → checkpoints → auditors
//
// Each task keeps what it has reached in the database or in the stream, so
// that another keeper can go on from there at any moment. [State] tells any
// process how it stands with all of them.
//
// A [Journal] in JetStream knows of an effect before it begins, whether its event
// has a seq or not. The log takes events only once the leader has compared it
// with the copy, the journal and the last checkpoint, since the database server
// started and the log's tables were made: until then, and from the moment that a
// task finds another log than it published or signed ([ErrMismatch]), it is closed
// and refuses them with [ErrClosed]. [Recovery] restores what the log lacks.
//
// A process connects with the role that its part needs (see pkg/schema): the
// tables only grow, whoever asks, and only functions of theirs let them grow.
//
// Transactions that write for a long time, anywhere in the database cluster,
// hold the sequencer back: never does it skip them.
package eventlog
