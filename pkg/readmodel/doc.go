// Package readmodel keeps what the event log's events add up to: one row a
// command, a session and an account. The log is the truth; the read models
// follow from its events alone and can be rebuilt from nothing at any time.
//
// Each model is a fold: [Command], [Session] and [Account] have a method Apply
// that takes the next event of the row's stream. Two things use the same folds:
//
//   - A [Projector] follows the log and keeps the rows in Postgres, where
//     [Commands] and [Sessions] read them. Rows and the place in the log that they stand for
//     change in one transaction, so that any number of projectors may run, end
//     and start again at any moment.
//   - [Rebuild] replays the whole log into a file, and Compare then tells where
//     the live rows differ from what the log says.
//
// No event stops them. One of an unknown type, from a newer writer, is counted
// and otherwise ignored. One that a fold does not understand is counted too; the
// row names it as its Problem, the projector's log does, and the row goes on with
// the next event. Whatever cannot be stored, such as a NUL or a text of
// megabytes, is made storable by the fold, the same way live and rebuilt.
package readmodel
