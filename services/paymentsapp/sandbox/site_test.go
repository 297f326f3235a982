package sandbox_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/services/paymentsapp/sandbox"
)

func TestSignInLeadsOutOfTheFrameAndBack(t *testing.T) {
	t.Parallel()
	v := visit(t)
	code := codeOf(t, sandbox.Jane)
	v.givePassword("/pay?to=mila-novak", sandbox.Jane)
	v.Answered(http.StatusOK, "six digits")
	v.giveCode("00")
	v.Answered(http.StatusOK, "This code is wrong")
	v.giveCode(code)
	if v.Path != "/pay?to=mila-novak" {
		t.Fatalf("after the sign-in at %s", v.Path)
	}
	v.Submit("/sign-out", nil)
	v.givePassword("/", sandbox.Jane)
	v.giveCode(code)
	v.Answered(http.StatusOK, "used before")
	v.Open("/activity")
	if !strings.HasPrefix(v.Path, "/sign-in?") {
		t.Errorf("at %s without the code", v.Path)
	}
	if got := v.State(); got.RejectedCodes != 2 || got.SignedIn != 0 {
		t.Errorf("%+v", got.Traffic)
	}
}

func TestSignInIsRefused(t *testing.T) {
	t.Parallel()
	v := visit(t)
	for message, user := range map[string]kit.User{
		"We do not know this e-mail address": {Username: sandbox.Mila.Username, Password: "x"},
		"This account has been closed":       sandbox.Viktor,
	} {
		v.givePassword("/", user)
		v.Answered(http.StatusOK, message)
	}
	v.Open("/sign-in/code")
	if !strings.HasPrefix(v.Path, "/sign-in?") {
		t.Errorf("asked for a code without a password, at %s", v.Path)
	}
	v.givePassword("/sign-in?return=//elsewhere.example/", sandbox.Mila)
	v.Answered(http.StatusOK, "Your money")
}

func TestPaymentIsReviewedAndMade(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.givePassword("/pay", sandbox.Mila)
	typed := url.Values{"to": {"@jane-roe"}, "amount": {"$12.50"}, "note": {"Tea & <cake>"}}
	v.Submit("/pay", typed)
	v.Answered(http.StatusOK, "Is this right?", "$12.50", "Jane Roe", "Tea & <cake>")
	if got := v.State(); len(got.Payments) != 0 {
		t.Errorf("paid before the confirmation: %+v", got.Payments)
	}
	review := v.Page
	v.Submit("/pay/confirm", nil)
	v.Answered(http.StatusOK, "You paid Jane Roe", "QPAY100001", "Tea & <cake>")
	v.Page = review
	v.Submit("/pay/confirm", nil) // a second click really pays again
	want := []sandbox.Payment{
		{ID: "QPAY100001", From: sandbox.Mila.Username, To: "jane-roe", Amount: "12.50", Note: "Tea & <cake>"},
		{ID: "QPAY100002", From: sandbox.Mila.Username, To: "jane-roe", Amount: "12.50", Note: "Tea & <cake>"},
	}
	got := v.State()
	if diff := cmp.Diff(want, got.Payments); diff != "" {
		t.Errorf("payments (-want +got):\n%s", diff)
	}
	if got.Effects["payment"] != 2 || got.Repeated["POST /pay/confirm"] != 1 {
		t.Errorf("%+v", got.Traffic)
	}
	v.Open("/activity")
	v.Answered(http.StatusOK, "QPAY100001", "QPAY100002")
	v.Submit("/sign-out", nil)
	v.givePassword("/activity/QPAY100001", sandbox.Jane)
	v.giveCode(codeOf(t, sandbox.Jane))
	v.Answered(http.StatusOK, "Mila Novak paid you")
}

func TestPaymentIsRefused(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.givePassword("/pay", sandbox.Mila)
	for name, c := range map[string]struct{ to, amount, note, says string }{
		"nobody":      {"nobody", "5", "", "We do not know anyone"},
		"oneself":     {"@mila-novak", "5", "", "You cannot pay yourself"},
		"no amount":   {"jane-roe", "five", "", "Type an amount"},
		"nothing":     {"jane-roe", "0.00", "", "Type an amount"},
		"one decimal": {"jane-roe", "5.5", "", "Type an amount"},
		"too much":    {"jane-roe", "99,000", "", "You do not have that much"},
		"a long note": {"jane-roe", "5", strings.Repeat("é", 121), "within 120 characters"},
	} {
		v.Open("/pay")
		v.Submit("/pay", url.Values{"to": {c.to}, "amount": {c.amount}, "note": {c.note}})
		if v.Answered(http.StatusUnprocessableEntity, c.says); t.Failed() {
			t.Fatal(name)
		}
		v.Send(http.MethodPost, "/pay/confirm", url.Values{"to": {c.to}, "amount": {c.amount}})
		v.Answered(http.StatusForbidden) // without a token
	}
	v.Open("/activity/Q0")
	v.Answered(http.StatusNotFound, "no such page")
	if got := v.State(); len(got.Payments) != 0 || len(got.Effects) != 0 {
		t.Errorf("%+v", got)
	}
}
