package sandbox_test

import (
	"net/http"
	"net/url"
	"testing"

	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/pkg/sandbox/sandboxtest"
	"integration.gateway/services/marketplaceseller/sandbox"
)

// visitor is a person with a browser at the desk.
type visitor struct {
	*sandbox.Site
	*sandboxtest.Visitor
}

func visit(t *testing.T) *visitor {
	t.Helper()
	site := sandbox.New()
	return &visitor{Site: site, Visitor: sandboxtest.Visit(t, site)}
}

func (v *visitor) giveName(name string) {
	v.T.Helper()
	v.Submit("/sign-in", url.Values{"name": {name}})
}

func (v *visitor) givePassword(password string) {
	v.T.Helper()
	v.Submit("/sign-in/password", url.Values{"password": {password}})
}

func (v *visitor) signIn(user kit.User) {
	v.T.Helper()
	v.giveName(user.Username)
	v.givePassword(user.Password)
}

func TestSignInHasTwoStepsAndLeadsBack(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.Open("/orders")
	v.giveName(" Jane.Roe@example.com ")
	v.Sees("jane.roe@example.com")
	v.givePassword("wrong")
	v.Sees("User name or password is wrong.")
	v.givePassword(sandbox.Jane.Password)
	v.At("/sign-in/password")
	v.Sees(`<a id="continue" href="/orders">`)
	v.Open("/sign-in")
	v.At("/") // for the seller is signed in already
	if traffic := v.Traffic(); traffic.SignIns != 1 || traffic.RejectedSignIns != 1 || traffic.SignedIn != 1 {
		t.Errorf("traffic %+v", traffic)
	}
}

// Whether there is such a seller is not told.
func TestUnknownSellersAreRefusedAtThePassword(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.Open("/sign-in?return=https://elsewhere.example")
	v.signIn(kit.User{Username: "nobody@example.com", Password: sandbox.Jane.Password})
	v.Sees("User name or password is wrong.")
	v.Open("/sign-in?return=https://elsewhere.example")
	v.signIn(sandbox.Jane)
	v.Sees(`<a id="continue" href="/">`)
}

func TestPasswordIsNotAskedForWithoutAName(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.Open("/sign-in/password")
	v.At("/sign-in?return=%2F")
}

func TestDeskShowsSalesListingsAndOrders(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.Open("/")
	v.signIn(sandbox.Jane)
	v.Open("/")
	v.Sees("Orders to ship")
	v.Sees(`<dd class="listings">16</dd>`)
	v.Open("/listings")
	v.Sees("Linen tea towel, striped")
	v.Open("/orders")
	v.Sees("MS-704118")
	v.Open("/nowhere")
	v.Answered(http.StatusNotFound)
	v.Submit("/sign-out", nil)
	v.Open("/listings")
	v.Sees("Continue")
}

func TestNewSellersHaveNothingYet(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.Open("/listings")
	v.signIn(sandbox.Omar)
	v.Open("/listings")
	v.Sees("You have not listed anything yet.")
	v.Open("/orders")
	v.Sees("There is nothing to ship.")
}
