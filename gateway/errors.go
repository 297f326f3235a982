package gateway

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"integration.gateway/contracts"
)

// init puts this file in charge of every error answer that huma writes, which
// huma offers as a variable of the package.
func init() { huma.NewErrorWithContext = humaError }

// respond makes the body of an error answer, sets the headers that go with it
// and notes the error in x for the log. Each kind of error has one status, as
// contracts.Kind says: 400, 401, 404 or 500. Of an operation it also tells whether
// and how to send the request again.
func respond(x *exchange, e *contracts.Error) *contracts.ErrorBody {
	x.failure = e
	if !x.sent {
		before := *e
		before.Outcome = contracts.NotBegun
		e = &before
	}
	advice := e.Advise(x.op, x.keyed, x.commandID)
	x.header.Set(contracts.OutcomeHeader, string(advice.Outcome))
	status, message := e.Kind.HTTPStatus(), e.Message
	if x.op.Name != "" {
		message = advice.Message
	}
	if advice.RetryAfter > 0 && status == http.StatusInternalServerError {
		seconds := int(math.Ceil(advice.RetryAfter.Seconds()))
		x.header.Set("Retry-After", strconv.Itoa(seconds)) // RFC 9110, section 10.2.3
	}
	if status == http.StatusUnauthorized {
		x.header.Set("WWW-Authenticate", "Bearer") // RFC 9110, section 11.6.1
	}
	return contracts.NewErrorBody(status, message)
}

// refuse answers a request with an error, in front of huma.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	body := respond(exchangeFrom(r.Context()), contracts.AsError(err))
	data, err := json.Marshal(body)
	if err != nil { // cannot be: it is a struct of one string
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(body.GetStatus())
	_, _ = w.Write(append(data, '\n')) // a caller that is gone needs no answer
}

// humaError answers a request that huma finds invalid, or whose operation
// returned an error. Huma's statuses for the former are 400 here.
func humaError(ctx huma.Context, status int, message string, details ...error) huma.StatusError {
	x := exchangeFrom(ctx.Context())
	var e *contracts.Error
	switch err := errors.Join(details...); {
	case errors.As(err, &e):
		return respond(x, e)
	case status >= http.StatusInternalServerError:
		return respond(x, contracts.AsError(err))
	default:
		text := contracts.NewErrorBody(status, message, details...).Message
		return respond(x, invalid("%s", text))
	}
}

// noRoute is the error for a path, or a method on a known path, that is not
// in the catalogue. This API has no 405.
func noRoute() *contracts.Error {
	return contracts.Errorf(contracts.NotFound, "no such route; /docs/ lists them all")
}

// invalid is the error for a request that the caller has to change.
func invalid(format string, args ...any) *contracts.Error {
	return contracts.Errorf(contracts.Invalid, format, args...)
}
