package contracts_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"integration.gateway/contracts"
)

func TestErrorBodyNamesPlacesAndNotValues(t *testing.T) {
	t.Parallel()
	body := contracts.NewErrorBody(400, "validation failed",
		&huma.ErrorDetail{Location: "body.phone", Message: "expected string", Value: "+1 217 555 0134"},
		errors.New("provide asin"),
		&huma.ErrorDetail{Message: "expected object", Value: "Jane"},
	)
	const want = `{"error":"validation failed: body.phone: expected string; provide asin; expected object"}`
	if got, err := json.Marshal(body); err != nil || string(got) != want {
		t.Errorf("got %s (%v), want %s", got, err, want)
	}
	if body.GetStatus() != 400 || body.Error() != body.Message {
		t.Errorf("status %d, error %q", body.GetStatus(), body.Error())
	}
}

func TestErrorBodyIsBounded(t *testing.T) {
	t.Parallel()
	var details []error
	for range 1000 {
		details = append(details, &huma.ErrorDetail{Location: "body." + strings.Repeat("é", 1000), Message: "unexpected property"})
	}
	text := contracts.NewErrorBody(400, "validation failed", details...).Message
	if len(text) > 1200 || !strings.HasSuffix(text, "; and 992 more") || strings.ContainsRune(text, '\uFFFD') {
		t.Errorf("%d bytes: %s", len(text), text)
	}
}

func TestHumaErrorsKeepToTheStatusesOfTheAPI(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]int{
		400: 400, 401: 401, 403: 400, 404: 404, 406: 400, 408: 400, 413: 400, 415: 400, 422: 400,
		500: 500, 501: 500, 503: 500, 504: 500,
	} {
		err := huma.NewError(status, "text", errors.New("detail"))
		if err.GetStatus() != want {
			t.Errorf("%d becomes %d, want %d", status, err.GetStatus(), want)
		}
		if shown := strings.Contains(err.Error(), "detail"); shown != (want < 500) {
			t.Errorf("%d: %q", status, err.Error())
		}
	}
}
