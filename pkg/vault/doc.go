// Package vault keeps the secrets and the personal data of end users at rest,
// sealed with a key that each account has for itself.
//
// An account's key is a tink keyset. It is stored wrapped by the operator's
// key-encryption key, which never leaves its keeper. Everything sealed is bound
// to its account and to what it is, so that a ciphertext that is moved to
// another account or another name does not open.
//
// The vault serves two ends. Put and Get keep named secrets, such as
// credentials and the state of a browser. SealFields and OpenFields seal the
// fields of a record that carry the struct tag sensitive:"true", and SealValue
// a whole value, so that they can go into the event log, which is never changed.
//
// An account ends in two steps. CloseAccount, when it is unlinked, deletes its
// secrets and takes no more; its key still opens the event log's records. Erase
// destroys the key: nothing sealed with it opens any more, wherever it is kept,
// and a tombstone stays so that no new key is made.
//
// Each call reads the account's wrapped key from the database, by one indexed
// read, so an erasure holds at once in every process. The keeper is asked only
// for a wrapped key that it has not unwrapped within the last minute: up to
// 1,000 unwrapped keys are kept so long, and what is kept of a destroyed one is
// found by nobody. What a call seals at the very moment of an erasure does not
// open afterwards: no secret is stored, and a sealed field may go into the log,
// where it stands as erased.
//
// Backups of the vault's database hold wrapped keys as well, and so do, for a
// while, the database's own files: a row's old version stays in the table until
// vacuum and in the write-ahead log until that is recycled. An erasure is complete
// when the backups and archived logs made before it are gone.
//
// # Keepers
//
// The key-encryption key is named by a URL of gocloud.dev/secrets. Compiled in
// is base64key://, with 32 bytes in base64url as its host. Another keeper is
// added by importing its package for its side effect in a process's main
// package: gocloud.dev/secrets/awskms (awskms://), gcpkms (gcpkms://),
// azurekeyvault (azurekeyvault://) or hashivault (hashivault://). A keeper that
// rotates its key must go on decrypting what the older versions encrypted, as
// these do.
package vault
