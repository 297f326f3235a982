package readmodel

import (
	"reflect"
	"strings"
	"time"

	"integration.gateway/contracts/event"
)

// row is a *T that is one of the folds.
type row[T any] interface {
	*T
	// Apply counts in the next event of the row's stream.
	Apply(e event.Event) error
	key() string
	// times returns all its times; some are nil.
	times() []*time.Time
}

// model is what there is to know of one read model besides its fold.
type model[T any, R row[T]] struct {
	name    string // of one row, such as "command"
	table   string // in Postgres; also the bucket in a rebuilt file
	prefix  string // of the streams that its rows follow
	columns []string
}

var (
	commands = newModel[Command]("command", "read_commands", event.CommandStream(""))
	sessions = newModel[Session]("session", "read_sessions", event.SessionStream(""))
	accounts = newModel[Account]("account", "read_accounts", event.AccountStream(""))
)

// models are all read models.
var models = []interface {
	projected
	rebuilt
}{commands, sessions, accounts}

func newModel[T any, R row[T]](name, table, prefix string) model[T, R] {
	return model[T, R]{name: name, table: table, prefix: prefix, columns: columnsOf(reflect.TypeFor[T]())}
}

// columnsOf returns the names of a row's fields, which are those of the
// table's columns.
func columnsOf(t reflect.Type) []string {
	var columns []string
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			columns = append(columns, columnsOf(f.Type)...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		columns = append(columns, name)
	}
	return columns
}

func (m model[T, R]) idOf(stream string) string { return strings.TrimPrefix(stream, m.prefix) }

// idsOf returns the ids of the rows that events concern, each once.
func (m model[T, R]) idsOf(events []event.Event) []string {
	var ids []string
	seen := map[string]bool{}
	for _, e := range events {
		if id, ok := strings.CutPrefix(e.Stream, m.prefix); ok && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}

// fold applies events in their order to rows, which has those that are there
// already, by id; new ones are added. problem is told what a row could not take.
func (m model[T, R]) fold(rows map[string]R, events []event.Event, problem func(error)) {
	for _, e := range events {
		id, ok := strings.CutPrefix(e.Stream, m.prefix)
		if !ok {
			continue
		}
		r := rows[id]
		if r == nil {
			r = new(T)
			rows[id] = r
		}
		if err := r.Apply(e); err != nil {
			problem(err)
		}
	}
}

// utc sets a row's times to UTC, whatever the place of the database.
func utc[T any, R row[T]](r R) {
	for _, t := range r.times() {
		if t != nil {
			*t = t.UTC()
		}
	}
}
