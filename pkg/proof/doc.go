// Package proof makes the event log evidence: the Merkle tree over the log,
// the checkpoints that the log signs, proofs from the tree, bundles that carry
// events and proofs to an auditor, and their verification. It needs no
// database and no network, so that what it says can be checked anywhere.
//
// # Tree and checkpoints
//
// The tree is that of RFC 6962. Leaf n-1 is the hash (event.Hash, 32 bytes) of the
// event with seq n. A checkpoint says how many events the log has and what the
// root over them is; it is a C2SP tlog-checkpoint in a signed note
// (golang.org/x/mod/sumdb/note, Ed25519). Its origin is the name of the log's
// key. A key that replaces another has the same name.
//
// # Bundle
//
// A bundle is a file of lines, read in one pass. It begins with
//
//	integration.gateway/bundle/v1
//	key <verifier key>
//
// with one key line or more, goes on with these records and ends with end:
//
//	checkpoint <bytes>
//	<signed note, which ends with a line end of its own>
//	consistency <from> <to> <hash> …
//	event <seq> <bytes> <leaf>
//	<canonical text of the event, see event.AppendCanonical>
//	proof <size> <hash> …
//	end <number of events>
//
// Numbers are decimal; hashes are 32 bytes in base64. An event's leaf is the hash
// that the log holds for it, so that the text of each event is checked for
// itself.
//
// A whole bundle begins with event 1 and has all events up to its last
// checkpoint. Each checkpoint stands behind the last event that it covers: the
// verifier builds the tree anew and needs no proofs.
//
// A partial bundle begins with its checkpoints, the second and later ones each
// behind the consistency record that leads there from the one before. Its events
// follow in the order of seq, each with its proof against the last checkpoint.
// Nothing shows that a partial bundle left no event out.
//
// A bundle of keys and checkpoints alone is what an auditor keeps from one time
// to the next (ReadKept, WriteKept). With it the auditor also finds that the log was
// cut off, or written anew with its own key.
package proof
