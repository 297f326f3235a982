// Package sites_test plays the sign-in of the payments-app sandbox site on a
// real browser at the real stand-in.
package sites_test

import (
	"os"
	"testing"

	contracts "integration.gateway/contracts/paymentsapp"
	"integration.gateway/pkg/flow/flowtest"
	"integration.gateway/pkg/testenv"
	"integration.gateway/services/paymentsapp/sandbox"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// TestAWrongCodeIsTypedOnce signs in with the secret of somebody else's one-time
// codes. The end-to-end tests show the other ways in which a sign-in ends.
func TestAWrongCodeIsTypedOnce(t *testing.T) {
	t.Parallel()
	site := flowtest.LoadSite(t, os.DirFS("sandbox"), flowtest.Patient, contracts.Operations...)
	app := sandbox.New()
	p := flowtest.Visit(t, flowtest.OpenPool(t), site, app, sandbox.Noor.Username, sandbox.Noor.Password)
	p.OneTimeSecret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
	const want = "This code is wrong, or was used before. Wait for the next one."
	if failure := p.SignIn(t); failure == nil || !failure.SignIn || failure.Message != want {
		t.Errorf("got %v, want a refusal: %s", failure, want)
	}
	if state := app.State(); state.SignedIn != 0 || state.RejectedCodes != 1 {
		t.Errorf("%d signed in, %d codes rejected; want 0, 1", state.SignedIn, state.RejectedCodes)
	}
}
