package contracts

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// The headers of the HTTP API that operations share.
const (
	AccountTokenHeader = "X-Account-Token" // selects the end user's linked account
	CommandIDHeader    = "Command-Id"      // on every response; finds the command in the log
)

// The security schemes of the API document.
const (
	AccessTokenScheme = "accessToken"
	AdminTokenScheme  = "adminToken"
)

// Call carries one decoded and validated request to its service and decodes
// the answer into res, which points to the operation's result type.
type Call func(ctx context.Context, op Info, req, res any) error

// Entry is an operation of any types, as the catalogue lists it.
type Entry interface {
	Info() Info
	// Mount adds the operation's route and its documentation to api.
	Mount(api huma.API, call Call)
	// New returns pointers to a zero request and a zero result.
	New() (req, res any)
}

// New returns pointers to a zero request and a zero result.
func (o Operation[Req, Res]) New() (req, res any) { return new(Req), new(Res) }

type response[Res any] struct {
	Body Res
}

// Mount adds the operation's route and its documentation to api.
func (o Operation[Req, Res]) Mount(api huma.API, call Call) {
	info := o.Info()
	huma.Register(api, info.rest(), func(ctx context.Context, req *Req) (*response[Res], error) {
		if v, ok := any(req).(Validator); ok {
			if err := v.Validate(); err != nil {
				return nil, err
			}
		}
		res := new(response[Res])
		if err := call(ctx, info, req, &res.Body); err != nil {
			return nil, err
		}
		return res, nil
	})
}

// rest describes the operation to the API document.
func (i Info) rest() huma.Operation {
	op := huma.Operation{
		OperationID: i.ID(),
		Method:      i.Method,
		Path:        i.Path,
		Summary:     i.Summary,
		Description: i.Description,
		Tags:        []string{i.Integration},
		Metadata:    map[string]any{"operation": i},
		Errors: []int{http.StatusBadRequest, http.StatusUnauthorized,
			http.StatusNotFound, http.StatusInternalServerError},
		DefaultStatus: http.StatusOK,
	}
	if i.Access == AdminToken {
		op.Security = []map[string][]string{{AdminTokenScheme: {}}}
		return op
	}
	op.Security = []map[string][]string{{AccessTokenScheme: {}}}
	op.Parameters = []*huma.Param{{
		Name:        AccountTokenHeader,
		In:          "header",
		Required:    i.Access == AccountToken,
		Description: "Account token of the end user's linked account at the application.",
		Schema:      &huma.Schema{Type: huma.TypeString},
	}}
	return op
}

// OperationOf returns the catalogue entry that a mounted huma operation stands
// for; ok is false for a route that is not of the catalogue.
func OperationOf(op *huma.Operation) (info Info, ok bool) {
	info, ok = op.Metadata["operation"].(Info)
	return info, ok
}

// ErrorBody is the body of every answer that is not 200.
type ErrorBody struct {
	Message string `json:"error" doc:"What went wrong and what to do about it." example:"provide asin or itemUrl"`

	status int
}

// NewErrorBody makes the body of an error answer with an HTTP status. The
// details are appended to the message.
func NewErrorBody(status int, message string, details ...error) *ErrorBody {
	texts := []string{message}
	for _, d := range details {
		texts = append(texts, d.Error())
	}
	return &ErrorBody{Message: strings.Join(texts, "; "), status: status}
}

// Error returns the message.
func (e *ErrorBody) Error() string { return e.Message }

// GetStatus returns the HTTP status.
func (e *ErrorBody) GetStatus() int { return e.status }
