package integration

import (
	"context"
	"reflect"
	"slices"

	"github.com/go-kit/kit/endpoint"

	"integration.gateway/contracts"
)

// answerRefusal makes, of what the application itself refused, the result that
// an operation has for it: one whose status says error. The command is recorded
// with the refusal and its reason; this is only what the caller is answered.
// Operations without a status answer with the error.
func answerRefusal(op contracts.Info, operations []contracts.Entry) endpoint.Middleware {
	at := slices.IndexFunc(operations, func(e contracts.Entry) bool { return e.Info().ID() == op.ID() })
	return func(next endpoint.Endpoint) endpoint.Endpoint {
		return func(ctx context.Context, request any) (any, error) {
			response, err := next(ctx, request)
			if err == nil || at < 0 || contracts.AsError(err).Kind != contracts.Rejected {
				return response, err
			}
			if result, has := statusError(operations[at]); has {
				return result, nil
			}
			return response, err
		}
	}
}

// statusError returns an operation's result with the status error; has is false
// where it has no status.
func statusError(entry contracts.Entry) (result any, has bool) {
	_, result = entry.New()
	v := reflect.ValueOf(result).Elem()
	if v.Kind() != reflect.Struct {
		return nil, false
	}
	status := v.FieldByName("Status")
	if !status.IsValid() || status.Type() != reflect.TypeFor[contracts.Status]() {
		return nil, false
	}
	status.Set(reflect.ValueOf(contracts.StatusError))
	return result, true
}
