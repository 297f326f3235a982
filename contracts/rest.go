package contracts

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// The headers of the HTTP API that operations share.
const (
	AccountTokenHeader   = "X-Account-Token" // selects the end user's linked account
	CommandIDHeader      = "Command-Id"      // finds the command in the log; with a key that of its command, or absent
	OutcomeHeader        = "Command-Outcome" // what became of the request, on every response of an operation
	IdempotencyKeyHeader = "Idempotency-Key" // names a command, so that a repeated request is the same command

	// DuplicateRiskHeader names the command whose effect may still appear at the
	// application: the caller accepts that the request's may then be there twice.
	DuplicateRiskHeader = "Accept-Duplicate-Risk"
)

// The security schemes of the API document.
const (
	AccessTokenScheme = "accessToken"
	AdminTokenScheme  = "adminToken"
)

const jsonType = "application/json"

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

// Mount adds the operation's route and its documentation to api. Errors of the
// request's own rules and of call go to huma.NewErrorWithContext as they are.
func (o Operation[Req, Res]) Mount(api huma.API, call Call) {
	info := o.Info()
	op := info.rest(api.OpenAPI().Components)
	addExamples(&op, new(Req), new(Res))
	huma.Register(api, op, func(ctx context.Context, req *Req) (*response[Res], error) {
		if v, ok := any(req).(Validator); ok {
			if err := v.Validate(); err != nil {
				return nil, err
			}
		}
		res := new(response[Res])
		if err := call(ctx, info, req, &res.Body); err != nil {
			return nil, err
		}
		EmptyLists(&res.Body)
		return res, nil
	})
}

// rest describes the operation to the API document.
func (i Info) rest(components *huma.Components) huma.Operation {
	op := huma.Operation{
		OperationID:   i.ID(),
		Method:        i.Method,
		Path:          i.Path,
		Summary:       i.Summary,
		Description:   i.Description,
		Tags:          []string{i.Integration},
		Metadata:      map[string]any{"operation": i},
		Responses:     responses(components),
		DefaultStatus: http.StatusOK,
	}
	i.describeAccess(&op)
	if i.TakesKey() {
		op.Parameters = append(op.Parameters, idempotencyKeyParam())
	}
	if i.TakesRisk() {
		op.Parameters = append(op.Parameters, duplicateRiskParam())
	}
	return op
}

// describeAccess says which tokens the operation takes.
func (i Info) describeAccess(op *huma.Operation) {
	caller, operator := map[string][]string{AccessTokenScheme: {}}, map[string][]string{AdminTokenScheme: {}}
	text := "Account token of the end user's linked account at the application."
	switch i.Access {
	case AccountToken:
		op.Security = []map[string][]string{caller}
	case SoleAccount:
		op.Security = []map[string][]string{caller}
		text += " May be left out by a caller that has exactly one account of this integration."
	case CallerOrAdmin:
		op.Security = []map[string][]string{caller, operator}
		text = "With an access token: account token of one of the caller's linked accounts, of whatever integration, where the operation needs one."
	case AdminToken, Internal:
		op.Security = []map[string][]string{operator}
		return
	}
	op.Parameters = []*huma.Param{{
		Name:        AccountTokenHeader,
		In:          "header",
		Required:    i.Access == AccountToken,
		Description: text,
		Schema:      &huma.Schema{Type: huma.TypeString},
	}}
}

// MaxIdempotencyKey is the longest Idempotency-Key, in characters.
const MaxIdempotencyKey = 255

func idempotencyKeyParam() *huma.Param {
	longest := MaxIdempotencyKey
	return &huma.Param{
		Name: IdempotencyKeyHeader,
		In:   "header",
		Description: "Names the command, so that the request can be sent again without doing it twice: choose a new key, such as a UUID, for each thing to do. " +
			"The same key of the same caller, account and operation is the same command, with the same `Command-Id`, and gives its result, also after years; " +
			"while the command is under way, the answer waits for its end. An account that was unlinked and linked anew is another account, where the key names nothing yet. The same key with another request is refused with 400. " +
			"As long as no answer tells how the command ended, send the request again with the same key. " +
			"A command that did nothing, for a reason that passes (the application or a part of ours was down, busy or too slow, or lacks the operation), is tried again when it is sent again with the same key. " +
			"What was refused, and what was found not to have happened after it had been in doubt, stays the answer of its key, unless its effect appears late at the application: to try again, use a new one. Each error says which holds.",
		Schema: &huma.Schema{Type: huma.TypeString, Pattern: "^[!-~]+$", MaxLength: &longest},
	}
}

func duplicateRiskParam() *huma.Param {
	return &huma.Param{
		Name: DuplicateRiskHeader,
		In:   "header",
		Description: "The `Command-Id` of an earlier command. The application showed no effect of it, and may still carry it out, so that the same request is refused for a day. " +
			"The refusal names the command, unless it is of another account of the same user: send its id to have the request carried out all the same, at the risk that both are. Send a new `Idempotency-Key` with it.",
		Schema: &huma.Schema{Type: huma.TypeString, Format: "uuid"},
	}
}

// errorResponses names the statuses other than 200, and what they mean.
var errorResponses = map[string]struct{ name, text string }{
	"400": {"BadRequest", "The request is malformed or not valid, or the application refuses it; it was not carried out."},
	"401": {"Unauthorized", "The access token is missing or not valid, or the account token does not belong to it."},
	"404": {"NotFound", "There is no such resource."},
	"500": {"Failure", "The operation failed, timed out or is not available; with Retry-After where trying again may help. " +
		"`Command-Outcome` and the message say whether something was done or may have been, and whether to send the request again, with which key and after how long."},
}

// responses lists the answers that every operation can give; those of errors
// stand in the document once. They are listed here and not left to huma, which
// would add a 422, which this API never answers.
func responses(components *huma.Components) map[string]*huma.Response {
	all := map[string]*huma.Response{"200": describedResponse("The operation's result.")}
	for status, e := range errorResponses {
		r := describedResponse(e.text)
		r.Content = map[string]*huma.MediaType{jsonType: {
			Schema: components.Schemas.Schema(reflect.TypeFor[ErrorBody](), true, ""),
		}}
		if components.Responses == nil {
			components.Responses = map[string]*huma.Response{}
		}
		components.Responses[e.name] = r
		all[status] = &huma.Response{Ref: "#/components/responses/" + e.name}
	}
	return all
}

func describedResponse(text string) *huma.Response {
	return &huma.Response{
		Description: text,
		Headers: map[string]*huma.Param{
			CommandIDHeader: {
				Description: "Finds the command in the event log. With an Idempotency-Key it is the id of the key's command; it is absent where that cannot be told, as when neither caller nor account are known.",
				Schema:      &huma.Schema{Type: huma.TypeString},
			},
			OutcomeHeader: {
				Description: "What became of the request. `not-begun`: this request was not begun, though one before it with the same key may have been; `nothing-done`: it ended without doing anything; `done`: it was carried out; `unknown`: it may have been, or may be still.",
				Schema:      &huma.Schema{Type: huma.TypeString, Enum: []any{NotBegun, NothingDone, Done, NotKnown}},
			},
		},
	}
}

// addExamples puts a whole request body and a whole result into the document.
func addExamples(op *huma.Operation, req, res any) {
	FillExample(req)
	if body := reflect.ValueOf(req).Elem().FieldByName("Body"); body.IsValid() {
		op.RequestBody = &huma.RequestBody{Content: map[string]*huma.MediaType{
			jsonType: {Example: body.Interface()},
		}}
	}
	FillExample(res)
	op.Responses["200"].Content = map[string]*huma.MediaType{
		jsonType: {Example: reflect.ValueOf(res).Elem().Interface()},
	}
}

// OperationOf returns the catalogue entry that a mounted huma operation stands
// for; ok is false for a route that is not of the catalogue.
func OperationOf(op *huma.Operation) (info Info, ok bool) {
	info, ok = op.Metadata["operation"].(Info)
	return info, ok
}
