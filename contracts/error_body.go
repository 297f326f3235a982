package contracts

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// ErrorBody is the body of every answer that is not 200.
type ErrorBody struct {
	Message string `json:"error" doc:"What went wrong and what to do about it." example:"provide asin or itemUrl"`

	status int
}

// NewErrorBody makes the body of an error answer with an HTTP status. The
// details are appended to the message: where in the request something is
// wrong and what was expected there, never the value that was sent.
func NewErrorBody(status int, message string, details ...error) *ErrorBody {
	if len(details) > 0 {
		message += ": " + joinDetails(details)
	}
	return &ErrorBody{Message: message, status: status}
}

// Error returns the message.
func (e *ErrorBody) Error() string { return e.Message }

// GetStatus returns the HTTP status.
func (e *ErrorBody) GetStatus() int { return e.status }

// HTTPStatus returns the status that answers an error of this kind.
func (k Kind) HTTPStatus() int {
	switch k {
	case Invalid, Rejected:
		return http.StatusBadRequest
	case Unauthorized:
		return http.StatusUnauthorized
	case NotFound:
		return http.StatusNotFound
	default:
		return http.StatusInternalServerError
	}
}

// Errors of a request are answered in this API's words and statuses. Huma keeps
// these settings in package variables; they are set here, for every process
// that mounts operations. The gateway also sets huma.NewErrorWithContext, which
// falls back on NewError, since it notes each error with its command.
func init() {
	huma.NewError = newError
	huma.ErrorFormatter = formatWithoutCause
	// Go decodes JSON names without regard to case, so a lenient check would
	// let an unchecked "ASIN" replace an "asin" that was checked.
	huma.ValidateStrictCasing = true
}

// newError is called by huma with the status that it would answer, and with
// what it found or the error that an operation returned.
func newError(status int, message string, details ...error) huma.StatusError {
	var e *Error
	switch {
	case errors.As(errors.Join(details...), &e):
		return NewErrorBody(e.Kind.HTTPStatus(), e.Message)
	case status >= http.StatusInternalServerError:
		return NewErrorBody(http.StatusInternalServerError, message) // without causes: they are for the log
	case status == http.StatusUnauthorized, status == http.StatusNotFound:
		return NewErrorBody(status, message, details...)
	default:
		return NewErrorBody(http.StatusBadRequest, message, details...)
	}
}

// formatWithoutCause leaves out a parser's error, whose text holds the value.
func formatWithoutCause(format string, args ...any) string {
	if len(args) == 1 {
		if _, ok := args[0].(error); ok {
			return strings.TrimSuffix(format, ": %v")
		}
	}
	return fmt.Sprintf(format, args...)
}

// Bounds of an error's text, whatever the request was.
const (
	maxDetails  = 8
	maxLocation = 80 // bytes; a location holds names that the caller made up
)

func joinDetails(details []error) string {
	texts := make([]string, 0, maxDetails+1)
	for i, detail := range details {
		if i == maxDetails {
			texts = append(texts, fmt.Sprintf("and %d more", len(details)-maxDetails))
			break
		}
		texts = append(texts, detailText(detail))
	}
	return strings.Join(texts, "; ")
}

func detailText(err error) string {
	var d *huma.ErrorDetail
	if !errors.As(err, &d) {
		return err.Error()
	}
	location := d.Location
	if len(location) > maxLocation {
		location = strings.ToValidUTF8(location[:maxLocation], "") + "…"
	}
	if location == "" {
		return d.Message
	}
	return location + ": " + d.Message
}
