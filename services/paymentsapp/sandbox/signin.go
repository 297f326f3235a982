package sandbox

import (
	"net/http"
	"net/url"
	"strings"

	kit "integration.gateway/pkg/sandbox"
)

// signedIn lets only signed-in users pass; all others are sent to the sign-in
// page, and come back from there to the page they were on.
func (s *Site) signedIn(next func(http.ResponseWriter, *http.Request, *kit.Session)) http.HandlerFunc {
	return s.kit.SignedIn(next, func(w http.ResponseWriter, r *http.Request) {
		back := "/"
		if r.Method == http.MethodGet {
			back = r.URL.RequestURI()
		}
		http.Redirect(w, r, withReturn("/sign-in", back), http.StatusSeeOther)
	})
}

// withReturn adds where a sign-in leads back to.
func withReturn(path, back string) string {
	return path + "?" + url.Values{"return": {back}}.Encode()
}

// signInForm is what the pages of the sign-in show.
type signInForm struct {
	Email   string
	Return  string
	Frame   string // the address of the form, on the page around it
	Next    string // where the whole window goes, from inside the frame
	Refusal string
}

// showSignIn shows the page around the sign-in form.
func (s *Site) showSignIn(w http.ResponseWriter, r *http.Request) {
	back := kit.OwnPath(r.URL.Query().Get("return"), "/")
	if s.kit.Session(w, r).User() != "" {
		http.Redirect(w, r, back, http.StatusSeeOther) //nolint:gosec // OwnPath keeps it here
		return
	}
	s.show(w, r, http.StatusOK, "sign-in", "Sign in", signInForm{Frame: withReturn("/sign-in/form", back)})
}

// showForm shows the form that stands in the page's frame.
func (s *Site) showForm(w http.ResponseWriter, r *http.Request) {
	s.showFramed(w, r, "sign-in-form", signInForm{Return: kit.OwnPath(r.URL.Query().Get("return"), "/")})
}

// postForm takes user name and password. What is right leads the whole window
// on, out of the frame.
func (s *Site) postForm(w http.ResponseWriter, r *http.Request) {
	form := signInForm{
		Email:  strings.ToLower(strings.TrimSpace(r.PostFormValue("email"))),
		Return: kit.OwnPath(r.PostFormValue("return"), "/"),
	}
	switch {
	case !s.kit.Authenticate(form.Email, r.PostFormValue("password")):
		form.Refusal = "We do not know this e-mail address and password. Please try again."
	case closed[form.Email] != "":
		form.Refusal = closed[form.Email]
	}
	if form.Refusal != "" {
		s.showFramed(w, r, "sign-in-form", form)
		return
	}
	session := s.kit.Session(w, r)
	form.Next = form.Return
	if s.kit.HasSecret(form.Email) {
		session.AwaitCode(form.Email)
		form.Next = withReturn("/sign-in/code", form.Return)
	} else {
		session.SignIn(form.Email)
	}
	// The request's own cookie is worth nothing any more.
	views.Show(w, http.StatusOK, "signed-in", &page{Title: "Sign in", Framed: true, Content: form, session: session})
}

func (s *Site) showCode(w http.ResponseWriter, r *http.Request) {
	back := kit.OwnPath(r.URL.Query().Get("return"), "/")
	if s.kit.Session(w, r).Awaited() == "" {
		http.Redirect(w, r, withReturn("/sign-in", back), http.StatusSeeOther)
		return
	}
	s.show(w, r, http.StatusOK, "code", "Confirm that it is you", signInForm{Return: back})
}

// postCode takes the code, of which each digit has a field of its own.
func (s *Site) postCode(w http.ResponseWriter, r *http.Request) {
	session := s.kit.Session(w, r)
	form := signInForm{Return: kit.OwnPath(r.PostFormValue("return"), "/")}
	user := session.Awaited()
	code := strings.Join(r.PostForm["digit"], "")
	switch {
	case user == "":
		http.Redirect(w, r, withReturn("/sign-in", form.Return), http.StatusSeeOther)
	case !s.kit.CheckCode(user, code):
		form.Refusal = "This code is wrong, or was used before. Wait for the next one."
		s.show(w, r, http.StatusOK, "code", "Confirm that it is you", form)
	default:
		session.SignIn(user)
		http.Redirect(w, r, form.Return, http.StatusSeeOther)
	}
}

func (s *Site) postSignOut(w http.ResponseWriter, r *http.Request) {
	s.kit.Session(w, r).SignOut()
	http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
}
