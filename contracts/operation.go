package contracts

import (
	"net/http"
	"time"
)

// Effect names the irreversible change that an operation makes at the
// application. The zero value marks a read, which can be repeated at will.
type Effect string

// The kinds of effect. A flow's effect step names the same kind.
const (
	NoEffect    Effect = ""
	Order       Effect = "order"       // an order is placed
	Cart        Effect = "cart"        // a shopping cart is changed
	Message     Effect = "message"     // a message is sent
	Record      Effect = "record"      // a record is created, changed or ended
	Appointment Effect = "appointment" // an appointment is booked
)

// Access says what a caller presents to use an operation.
type Access int

// The kinds of access.
const (
	// AccountToken needs an access token and an account token.
	AccountToken Access = iota
	// SoleAccount needs an access token; the account token may be left out
	// by a caller that has one account of the integration and no more.
	SoleAccount
	// AdminToken needs the operator's token.
	AdminToken
	// CallerOrAdmin needs an access token, for what is that caller's own, or
	// the operator's token. An account token may come with the former.
	CallerOrAdmin
	// Internal operations have no route; only other services call them.
	Internal
)

// AdminCaller is the caller of commands that come with the operator's token. No
// other caller has such an id.
const AdminCaller = "admin"

// DefaultTimeout bounds an operation that names no time limit of its own.
const DefaultTimeout = 60 * time.Second

// Operation is one entry of the catalogue: where it is found over HTTP and
// over NATS, what it takes (Req), what it gives (Res) and how it behaves.
//
// Req is a struct whose fields carry a path or query tag, and a json tag of
// the same name; a request body stands in a field named Body with the tag
// json:"body". Res is the response body.
type Operation[Req, Res any] struct {
	Integration string // path segment, service name and package, such as "marketplace"
	Name        string // unique within the integration, such as "buy-now"
	Method      string // HTTP method
	Path        string // HTTP path with {parameters}
	Summary     string // one line for the API document
	Description string // Markdown for the API document
	Effect      Effect
	Creates     string // field of Res, by its dotted JSON name, that identifies what the effect newly makes; empty for none
	Access      Access
	Timeout     time.Duration // limit of the whole command; zero means DefaultTimeout
	Polled      bool          // it is asked again and again, so that only a change of its outcome is logged
}

// Info is an operation without its types, for code that treats all alike.
type Info struct {
	Integration string
	Name        string
	Method      string
	Path        string
	Summary     string
	Description string
	Effect      Effect
	Creates     string
	Access      Access
	Timeout     time.Duration
	Polled      bool
}

// Info returns the operation without its types, its defaults filled in.
func (o Operation[Req, Res]) Info() Info {
	info := Info(o)
	if info.Timeout == 0 {
		info.Timeout = DefaultTimeout
	}
	return info
}

// Subject is where the operation's service listens on NATS:
// cmd.<integration>.<operation>.
func (i Info) Subject() string { return "cmd." + i.Integration + "." + i.Name }

// ID names the operation in documents and messages, such as
// "marketplace-buy-now". It is the OpenAPI operationId.
func (i Info) ID() string { return i.Integration + "-" + i.Name }

// ActsOnAccount reports whether the operation is carried out on an end user's
// linked account, which makes it a command of the event log.
func (i Info) ActsOnAccount() bool { return i.Access == AccountToken || i.Access == SoleAccount }

// TakesKey reports whether a caller may name the command with an
// Idempotency-Key: on all that acts on an account and is not a GET.
func (i Info) TakesKey() bool { return i.ActsOnAccount() && i.Method != http.MethodGet }

// TakesRisk reports whether a caller may accept that the effect happens twice:
// on all that has one on an account.
func (i Info) TakesRisk() bool { return i.ActsOnAccount() && i.Effect != NoEffect }

// Validator is a request with a rule that struct tags cannot express. Both
// ends check it: the gateway before it sends, the service after it decodes.
type Validator interface {
	// Validate returns an *Error of kind Invalid, or nil. Its text names the
	// field and never holds the value.
	Validate() error
}
