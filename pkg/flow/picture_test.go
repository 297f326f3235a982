package flow_test

import (
	"bytes"
	"context"
	"errors"
	"image/jpeg"
	"slices"
	"strings"
	"testing"

	"integration.gateway/pkg/flow"
)

// pictureOf plays an operation that breaks and returns its picture.
func pictureOf(t *testing.T, s *shop, account *flow.Account) *flow.Picture {
	t.Helper()
	_, trace, err := s.play(s.load(nil), flow.Job{Operation: "op", Account: account})
	var failure *flow.Failure
	if !errors.As(err, &failure) {
		t.Fatalf("got %v, want a failure", err)
	}
	if trace.Unclean != nil {
		t.Errorf("the page is unclean: %v", trace.Unclean)
	}
	if failure.Picture == nil {
		t.Fatalf("%v has no picture", err)
	}
	return failure.Picture
}

// brightness tells how light the picture is at a point, from 0 to 1.
func brightness(t *testing.T, picture *flow.Picture, x, y int) float64 {
	t.Helper()
	image, err := jpeg.Decode(bytes.NewReader(picture.Image))
	if err != nil {
		t.Fatal(err)
	}
	r, g, b, _ := image.At(x, y).RGBA()
	return float64(r+g+b) / 3 / 0xffff
}

func TestBrokenFlowHasAPictureOfThePage(t *testing.T) {
	t.Parallel()
	site, files := one(`
  - {type: setViewport, width: 600, height: 400, deviceScaleFactor: 1, isMobile: false, hasTouch: false, isLandscape: false}
  - {type: navigate, url: "{{ baseUrl }}/checkout"}
  - {type: change, selectors: ["#quantity"], value: "31337"}
  - {type: click, timeout: 200, selectors: ["#place-order", "aria/Place order"]}
`)
	s := newShop(t, site, files, map[string]string{"/checkout": `<style>body{background:black;color:white}</style>
		<nav><a href=/>Home</a></nav>
		<form><h2>Your order</h2><label>How many <input id=quantity></label> <textarea>a note of Jane's</textarea>
		<p>Only <b>3</b> left</p><button type=button class="order now">Order at once</button><button hidden>Never</button></form>
		<button>Feedback</button>`})
	picture := pictureOf(t, s, nil)
	want := []string{
		`heading "Your order" h2`, `label "How many" label`, `textbox "How many" input#quantity`, `textbox "" textarea`,
		`button "Order at once" button.order.now`, `text "Only 3 left" p`, `text "3" b`, // the form that was filled in comes first
		`button "Feedback" button`, `link "Home" a`,
	}
	if !slices.Equal(picture.Near, want) {
		t.Errorf("near:\n%s\nwant:\n%s", strings.Join(picture.Near, "\n"), strings.Join(want, "\n"))
	}
	if picture.Address != s.url+"/checkout" {
		t.Errorf("address %s", picture.Address)
	}
	if light := brightness(t, picture, 590, 390); light > 0.05 {
		t.Errorf("the page's corner has a brightness of %v", light)
	}
}

func TestPictureShowsThePartOfThePageWhereAChainStillMatches(t *testing.T) {
	t.Parallel()
	site, files := one(`
  - {type: navigate, url: "{{ baseUrl }}/"}
  - {type: click, timeout: 200, selectors: [["#orders", ".cancel"]]}
`)
	s := newShop(t, site, files, map[string]string{"/": `<button>Elsewhere</button><div id=orders><p>Order 7</p><a href=#>Revoke</a></div>`})
	picture := pictureOf(t, s, nil)
	if want := []string{`text "Order 7" p`, `link "Revoke" a`, `button "Elsewhere" button`}; !slices.Equal(picture.Near, want) {
		t.Errorf("near: %q", picture.Near)
	}
}

func TestPictureTellsOfTheFrameThatTheStepWasFor(t *testing.T) {
	t.Parallel()
	site, files := one(`
  - {type: navigate, url: "{{ baseUrl }}/"}
  - {type: waitForElement, frame: [0], selectors: ["#save"]}
  - {type: click, frame: [0], timeout: 200, selectors: ["#gone"]}
`)
	s := newShop(t, site, files, map[string]string{"/": `<button>Elsewhere</button><iframe src=/form></iframe>`, "/form": `<button id=save>Save</button>`})
	picture := pictureOf(t, s, nil)
	if want := []string{`button "Save" button#save`}; !slices.Equal(picture.Near, want) {
		t.Errorf("near: %q", picture.Near)
	}
}

func TestBadSelectorHasAPictureAllTheSame(t *testing.T) {
	t.Parallel()
	site, files := one(`
  - {type: navigate, url: "{{ baseUrl }}/"}
  - {type: click, timeout: 200, selectors: ["xpath///["]}
`)
	s := newShop(t, site, files, map[string]string{"/": "<button>Buy</button>"})
	if picture := pictureOf(t, s, nil); !slices.Equal(picture.Near, []string{`button "Buy" button`}) || len(picture.Image) == 0 {
		t.Errorf("near: %q", picture.Near)
	}
}

func TestDeclaredFailureHasNoPicture(t *testing.T) {
	t.Parallel()
	for _, outcome := range []string{"not-found", "unavailable"} {
		t.Run(outcome, func(t *testing.T) {
			t.Parallel()
			site, files := one(`
  - {type: navigate, url: "{{ baseUrl }}/"}
  - {type: customStep, name: fail, parameters: {outcome: ` + outcome + `, message: none}}
`)
			s := newShop(t, site, files, map[string]string{"/": "hello"})
			_, _, err := s.play(s.load(nil), flow.Job{Operation: "op"})
			var failure *flow.Failure
			if !errors.As(err, &failure) || !failure.Declared || failure.Picture != nil {
				t.Errorf("got %+v", err)
			}
		})
	}
}

func TestPictureHoldsNoCredentials(t *testing.T) {
	t.Parallel()
	const page = `<style>*{margin:0;padding:0;border:0;outline:0;font:80px/80px monospace}input{display:block;width:100%;height:80px}</style>
		<form id=login><input id=user aria-label=Name><input id=code aria-label=Code><input id=password type=password aria-label=Password>
		<p id=echo></p><button type=button aria-label=Show onclick="password.type = 'text'; echo.textContent = 'You typed ' + password.value">Show</button></form>`
	s := newShop(t, `
signIn:
  flow: sign-in.yaml
  home: /account
  signedIn: {selectors: ["#menu"]}
  signedOut: {selectors: ["#login"]}
operations: {op: {flow: op.yaml}}
`, map[string]string{
		"op.yaml": "steps:\n  - {type: navigate, url: \"{{ baseUrl }}/\"}\n",
		"sign-in.yaml": `steps:
  - {type: setViewport, width: 1000, height: 600, deviceScaleFactor: 1, isMobile: false, hasTouch: false, isLandscape: false}
  - {type: navigate, url: "{{ baseUrl }}/login"}
  - {type: change, selectors: ["#user"], value: "{{ account.username }}"}
  - {type: change, selectors: ["#password"], value: "{{ account.password }}"}
  - {type: change, selectors: ["#code"], value: "99"}
  - {type: click, selectors: [button]}
  - {type: click, timeout: 200, selectors: ["#submit"]}
`,
	}, map[string]string{"/login": page, "/account": page, "/": page})
	picture := pictureOf(t, s, &flow.Account{Credentials: func(context.Context) (flow.Credentials, error) {
		return flow.Credentials{Username: "MMMMMMMMMM", Password: "WWWWWWWWWW"}, nil
	}})
	all := strings.Join(picture.Near, "\n")
	if !strings.Contains(all, `button "Show"`) || !strings.Contains(all, `textbox "Name" input#user`) {
		t.Errorf("near:\n%s", all)
	}
	for _, secret := range []string{"MMMM", "WWWW", "99"} {
		if strings.Contains(all, secret) {
			t.Errorf("%s stands in\n%s", secret, all)
		}
	}
	// A dot is round: its upper edge is blank where a letter as high as a line would be black.
	for name, y := range map[string]int{"user name": 0, "code": 80, "password": 160} {
		if dark := darkIn(t, picture, y+12, y+26); dark > 0 {
			t.Errorf("the %s can be read: %d dark points", name, dark)
		}
		if dark := darkIn(t, picture, y, y+80); dark == 0 {
			t.Errorf("the %s is not even dots", name)
		}
	}
	if dark := darkAfter(t, picture, 600, 240, 320); dark > 0 {
		t.Errorf("the text that quotes the password can be read: %d dark points", dark)
	}
}

// darkIn counts the dark points in lines of a picture.
func darkIn(t *testing.T, picture *flow.Picture, from, to int) int {
	t.Helper()
	return darkAfter(t, picture, 0, from, to)
}

// darkAfter counts them from a column on.
func darkAfter(t *testing.T, picture *flow.Picture, left, from, to int) (dark int) {
	t.Helper()
	image, err := jpeg.Decode(bytes.NewReader(picture.Image))
	if err != nil {
		t.Fatal(err)
	}
	for y := from; y < to; y++ {
		for x := left; x < image.Bounds().Dx(); x++ {
			if r, g, b, _ := image.At(x, y).RGBA(); (r+g+b)/3 < 0x8000 {
				dark++
			}
		}
	}
	return dark
}

// A page that hangs costs the picture and no more.
func TestPageThatHangsHasNoPicture(t *testing.T) {
	t.Parallel()
	site, files := one(`
  - {type: navigate, url: "{{ baseUrl }}/"}
  - {type: click, timeout: 200, selectors: [button]}
  - {type: waitForElement, timeout: 200, selectors: ["#done"]}
`)
	s := newShop(t, site, files, map[string]string{"/": `<button onclick="setTimeout(() => { for (;;); })">Go`})
	_, _, err := s.play(s.load(nil), flow.Job{Operation: "op"})
	var failure *flow.Failure
	if !errors.As(err, &failure) || failure.Picture != nil {
		t.Errorf("got %+v", err)
	}
}
