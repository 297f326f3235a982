// Package eventlog is the event log: events in Postgres, which are the truth,
// and a copy in a JetStream stream, which can be rebuilt at any time.
//
// A [Log] appends to streams and reads them. An append is one round trip and
// takes no lock but its own stream's; those that a process makes at the same
// moment share a transaction. The database links each event to its predecessor
// by a hash (see contracts/event).
//
// A [Keeper] brings the events of all streams into one order and publishes
// them. Of all the keepers that run, one leads, chosen by a lock in the
// database. Its sequencer gives each event a dense seq, once no transaction
// can commit an event that would have to stand before it; its relay publishes
// event n as message n of the JetStream stream, so that a subscriber misses
// nothing, gets nothing twice and sees the order of the log.
//
//	append → events → sequencer → log → relay → JetStream → subscribers
//
// Transactions that write for a long time, anywhere in the database cluster,
// hold the sequencer back: never does it skip them.
package eventlog
