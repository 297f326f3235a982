package catalog_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"integration.gateway/contracts"
	"integration.gateway/contracts/catalog"
)

// edge is a server of the whole catalogue whose calls are answered with answer
// and kept as the JSON that would go over NATS.
func edge(answer error, requests chan<- string) http.Handler {
	mux := http.NewServeMux()
	catalog.Mount(catalog.NewAPI(humago.NewAdapter(mux, "")), func(_ context.Context, op contracts.Info, req, res any) error {
		data, err := json.Marshal(req)
		if err != nil {
			return err
		}
		if requests != nil {
			requests <- op.ID() + " " + string(data)
		}
		contracts.FillExample(res)
		return answer
	})
	return mux
}

func send(handler http.Handler, method, target, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

func TestRequestsReachTheirService(t *testing.T) {
	t.Parallel()
	requests := make(chan string, 1)
	handler := edge(nil, requests)
	for _, c := range []struct{ method, target, body, want string }{
		{
			"GET", "/v1/clinic-records/appointments?clinicId=12&startDate=2026-11-23&endDate=2026-11-23&providerIds=7&providerIds=9", "",
			`clinic-records-get-appointments {"clinicId":12,"startDate":"2026-11-23","endDate":"2026-11-23","providerIds":[7,9]}`,
		},
		{
			"GET", "/v1/clinic-records/clients/5/appointments?pageSize=3", "",
			`clinic-records-get-client-appointments {"clientId":5,"pageSize":3}`,
		},
		{
			"GET", "/v1/marketplace-business/orders", "",
			`marketplace-business-get-orders {"timespan":"last-30-days"}`,
		},
		{
			"PATCH", "/v1/agency/employees/E-1", `{"effectiveDateOfChange":"2026-12-01","earnings":0}`,
			`agency-edit-employee {"employeeId":"E-1","body":{"effectiveDateOfChange":"2026-12-01","earnings":0}}`,
		},
		{
			"DELETE", "/v1/agency/employees/E-1", `{"dateOfTermination":"2026-12-31"}`,
			`agency-terminate-employee {"employeeId":"E-1","body":{"dateOfTermination":"2026-12-31"}}`,
		},
		{
			"PUT", "/v1/dispatch/customers/c1", `{"customer":{"phones":[{"number":"+1 217 555 0143"}],"taxExempt":false}}`,
			`dispatch-edit-customer {"customerId":"c1","body":{"customer":{"phones":[{"number":"+1 217 555 0143"}],"taxExempt":false}}}`,
		},
		{
			"POST", "/v1/dealer-sales/sales/appointments",
			`{"leadId":"1","customerId":"2","dealerId":"3","description":"","startDate":"any form","endDate":"at all","assignedUserId":"4"}`,
			`dealer-sales-create-sales-appointment {"body":{"leadId":"1","customerId":"2","dealerId":"3","description":"","endDate":"at all","startDate":"any form","assignedUserId":"4"}}`,
		},
		{
			"POST", "/v1/marketplace/items/buy-now", `{"asin":"B0CX23V2ZK","itemUrl":null}`,
			`marketplace-buy-now {"body":{"asin":"B0CX23V2ZK"}}`,
		},
		{"POST", "/v1/photo-social/session", "", `photo-social-create-session {}`},
	} {
		w := send(handler, c.method, c.target, c.body)
		if w.Code != http.StatusOK {
			t.Errorf("%s %s: %d %s", c.method, c.target, w.Code, w.Body)
			continue
		}
		if got := <-requests; got != c.want {
			t.Errorf("%s %s reached the service as\n%s, want\n%s", c.method, c.target, got, c.want)
		}
	}
}

func TestRequestsAreRefused(t *testing.T) {
	t.Parallel()
	const buyNow, employees = "/v1/marketplace/items/buy-now", "/v1/agency/employees"
	requests := make(chan string, 1)
	handler := edge(nil, requests)
	for _, c := range []struct{ name, method, target, body, want string }{
		{"neither asin nor itemUrl", "POST", buyNow, `{}`, "provide asin or itemUrl"},
		{"no body", "POST", buyNow, "", "request body is required"},
		{"body null", "POST", buyNow, "null", "body: expected object"},
		{"body a list", "POST", buyNow, "[]", "body: expected object"},
		{"body cut off", "POST", buyNow, `{"asin":`, "body: not valid JSON at byte 8"},
		{"two bodies", "POST", buyNow, `{} {}`, "body: not valid JSON at byte 4"},
		{"wrong type", "POST", buyNow, `{"asin":1234567890}`, "body.asin: expected string"},
		{"wrong pattern", "POST", buyNow, `{"asin":"SECRETS"}`, "body.asin: expected string to be ten capital letters or digits"},
		{"not an address", "POST", buyNow, `{"itemUrl":"SECRETS"}`, "body.itemUrl: expected string to be an http or https address"},
		{"malformed address", "POST", buyNow, `{"itemUrl":"http://SECRETS:%zz"}`, "body.itemUrl: expected string to be RFC 3986 uri"},
		{"unknown field", "POST", buyNow, `{"asin":"B0CX23V2ZK","quantity":2}`, "body.quantity: unexpected property"},
		{"field in another case", "POST", buyNow, `{"asin":"B0CX23V2ZK","ASIN":"SECRETS"}`, "body.ASIN: unexpected property"},
		{"missing field", "POST", "/v1/marketplace-business/items/add-to-cart", `{}`, "body: expected required property itemUrl to be present"},
		{"number for text", "DELETE", employees + "/E-1", `{"dateOfTermination":20261231}`, "body.dateOfTermination: expected string"},
		{"not a date", "DELETE", employees + "/E-1", `{"dateOfTermination":"31.12.2026"}`, "body.dateOfTermination: expected string to be RFC 3339 date"},
		{"not of the enumeration", "DELETE", employees + "/E-1", `{"dateOfTermination":"2026-12-31","terminationReason":"SECRETS"}`, `body.terminationReason: expected value to be one of`},
		{"terminate without a body", "DELETE", employees + "/E-1", "", "request body is required"},
		{"number too large", "PATCH", employees + "/E-1", `{"effectiveDateOfChange":"2026-12-31","workHours":1e400}`, "body: a value does not fit"},
		{"out of bounds", "PATCH", employees + "/E-1", `{"effectiveDateOfChange":"2026-12-31","workHours":169}`, "body.workHours: expected number <= 168"},
		{"hired before born", "POST", employees, `{"firstName":"a","lastName":"b","birthDate":"2000-01-02","hireDate":"2000-01-01","workHours":1,"currentSalary":1,"salaryFrequency":"daily"}`, "hireDate must not be before birthDate"},
		{"not an e-mail address", "POST", "/v1/dispatch/customers", `{"customer":{"firstName":"a","email":"SECRETS"}}`, "body.customer.email: expected string to be RFC 5322 email"},
		{"a customer without a name", "POST", "/v1/dispatch/customers", `{"customer":{"notes":"SECRETS"}}`, "provide customer.firstName"},
		{"an object for a number", "POST", "/v1/clinic-records/appointments", `{"clientId":1,"clinicId":1,"providerId":1,"serviceIds":[{"a":1}],"modality":"virtual","startTime":"2026-11-24T10:00:00Z"}`, "body.serviceIds[0]: expected integer"},
		{"a time without an offset", "POST", "/v1/clinic-records/appointments", `{"clientId":1,"clinicId":1,"providerId":1,"serviceIds":[1],"modality":"virtual","startTime":"2026-11-24T10:00:00"}`, "body.startTime: expected string to be RFC 3339 date-time"},
		{"a fraction for a number", "POST", "/v1/clinic-records/appointments", `{"clientId":1.5,"clinicId":1,"providerId":1,"serviceIds":[1],"modality":"virtual","startTime":"2026-11-24T10:00:00Z"}`, "body.clientId: expected integer"},
		{"missing parameter", "GET", "/v1/marketplace/items/search", "", "query.query: required query parameter is missing"},
		{"empty parameter", "GET", "/v1/marketplace/items/search?query=", "", "query.query: required query parameter is missing"},
		{"unknown parameter", "GET", "/v1/marketplace/items/search?query=a&page=2", "", "query.page: unknown query parameter"},
		{"not a boolean", "GET", "/v1/marketplace/items/search?query=a&isGroceryChain=SECRETS", "", "query.isGroceryChain: invalid boolean"},
		{"parameter too long", "GET", "/v1/marketplace/items/search?query=" + strings.Repeat("a", 501), "", "query.query: expected length <= 500"},
		{"not a number", "GET", "/v1/clinic-records/clients/SECRETS", "", "path.clientId: invalid integer"},
		{"below one", "GET", "/v1/clinic-records/clients/0", "", "path.clientId: expected number >= 1"},
		{"page zero", "GET", "/v1/clinic-records/clients?page=0", "", "query.page: expected number >= 1"},
		{"not a list of numbers", "GET", "/v1/clinic-records/appointments?clinicId=1&startDate=2026-11-23&endDate=2026-11-24&providerIds=7&providerIds=SECRETS", "", "query.providerIds: invalid integer"},
		{"end before start", "GET", "/v1/clinic-records/appointments?clinicId=1&startDate=2026-11-23&endDate=2026-11-22&providerIds=7", "", "endDate must not be before startDate"},
		{"not of the enumeration", "GET", "/v1/marketplace-business/orders?timespan=SECRETS", "", `query.timespan: expected value to be one of "last-30-days, `},
		{"years out of order", "GET", "/v1/dealer-sales/vehicles?yearFrom=2025&yearTo=2024", "", "yearTo must not be before yearFrom"},
	} {
		w := send(handler, c.method, c.target, c.body)
		var body map[string]string
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || len(body) != 1 {
			t.Errorf("%s: body %s", c.name, w.Body)
		}
		if w.Code != http.StatusBadRequest || !strings.Contains(body["error"], c.want) {
			t.Errorf("%s: %d %q, want 400 with %q", c.name, w.Code, body["error"], c.want)
		}
		if strings.Contains(w.Body.String(), "SECRETS") {
			t.Errorf("%s: the answer repeats what was sent: %s", c.name, w.Body)
		}
		select {
		case got := <-requests:
			t.Errorf("%s reached the service as %s", c.name, got)
		default:
		}
	}
}

func TestAnotherContentTypeIsRefused(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest(http.MethodPost, "/v1/marketplace/items/buy-now", strings.NewReader("asin=B0CX23V2ZK"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	edge(nil, nil).ServeHTTP(w, r)
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "unknown content type") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestErrorsOfACallBecomeTheirStatus(t *testing.T) {
	t.Parallel()
	for kind, want := range map[contracts.Kind]int{
		contracts.Invalid: 400, contracts.Rejected: 400, contracts.Unauthorized: 401, contracts.NotFound: 404,
		contracts.NotImplemented: 500, contracts.Busy: 500, contracts.Timeout: 500, contracts.Unknown: 500,
		contracts.Unavailable: 500, contracts.Fault: 500,
	} {
		w := send(edge(contracts.Errorf(kind, "says why"), nil), http.MethodGet, "/v1/agency/account", "")
		if w.Code != want || w.Body.String() != `{"error":"says why"}`+"\n" {
			t.Errorf("%s: %d %s, want %d", kind, w.Code, w.Body, want)
		}
	}
	w := send(edge(context.DeadlineExceeded, nil), http.MethodGet, "/v1/agency/account", "")
	if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "deadline") {
		t.Errorf("an unexpected error: %d %s", w.Code, w.Body)
	}
}

func TestResultsWithoutRowsHaveEmptyLists(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	catalog.Mount(catalog.NewAPI(humago.NewAdapter(mux, "")), func(context.Context, contracts.Info, any, any) error { return nil })
	w := send(mux, http.MethodGet, "/v1/marketplace/items/buy-again", "")
	if w.Code != http.StatusOK || w.Body.String() != `{"items":[]}`+"\n" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// FuzzBody sends any body to any operation that takes one: it is refused with
// an error body, or reaches the service as JSON that is accepted again.
func FuzzBody(f *testing.F) {
	requests := make(chan string, 1)
	handler := edge(nil, requests)
	var targets []contracts.Info
	for _, entry := range catalog.All() {
		req, _ := entry.New()
		contracts.FillExample(req)
		data, err := json.Marshal(req)
		if err != nil {
			f.Fatal(err)
		}
		var example struct{ Body json.RawMessage }
		if err := json.Unmarshal(data, &example); err != nil {
			f.Fatal(err)
		}
		if example.Body != nil {
			f.Add(len(targets), []byte(example.Body))
			targets = append(targets, entry.Info())
		}
	}
	f.Add(0, []byte(`{"serviceIds":[{}],"startTime":"","clientId":1e999}`))
	f.Fuzz(func(t *testing.T, n int, body []byte) {
		info := targets[max(n, -(n+1))%len(targets)]
		target := strings.NewReplacer("{", "", "}", "").Replace(info.Path)
		w := send(handler, info.Method, target, string(body))
		switch w.Code {
		case http.StatusBadRequest:
			var e struct{ Error string }
			if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || e.Error == "" || len(e.Error) > 4096 {
				t.Errorf("%s: error body %s", info.ID(), w.Body)
			}
		case http.StatusOK:
			_, wire, _ := strings.Cut(<-requests, " ")
			var request struct{ Body json.RawMessage }
			if err := json.Unmarshal([]byte(wire), &request); err != nil {
				t.Fatal(err)
			}
			if again := send(handler, info.Method, target, string(request.Body)); again.Code != http.StatusOK {
				t.Fatalf("%s accepts %s, but not its own form %s: %s", info.ID(), body, request.Body, again.Body)
			}
			if _, second, _ := strings.Cut(<-requests, " "); second != wire {
				t.Errorf("%s: %s became %s", info.ID(), wire, second)
			}
		default:
			t.Errorf("%s: status %d for %s", info.ID(), w.Code, body)
		}
	})
}
