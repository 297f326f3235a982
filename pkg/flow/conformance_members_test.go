package flow_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/pquerna/otp/totp"
)

// members is the part of a fixture's application that has a sign-in, for Jane
// with the password "correct horse". The session's cookie counts the sign-ins.
//
//	/login          a form, unless the fixture has one of its own
//	/enter          takes it; leads on to its field next, or back to the form
//	/code?secret=   takes a one-time code, leads on to its field next, or again
//	/home           the first page of a member
//	/members/NAME   the fixture's file of that name, for members only
//	/leave/NAME     signs out; /leave-once/NAME the first time, and shows NAME after that
func (s *fixtureServer) members(mux *http.ServeMux) {
	var signIns, left atomic.Int32
	enter := func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "session", Value: strconv.Itoa(int(signIns.Add(1))), Path: "/"})
		lead(w, r, r.FormValue("next"), "/home")
	}
	leave := func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "session", Path: "/", MaxAge: -1})
		lead(w, r, "", "/login")
	}
	mux.HandleFunc("GET /login", func(w http.ResponseWriter, r *http.Request) {
		if r.SetPathValue("name", "login"); s.has(s.name + ".login.html") {
			s.serveFile(w, r)
			return
		}
		word := ""
		if r.URL.Query().Has("refused") {
			word = "<p class=error>Wrong password</p>"
		}
		writePage(w, `<form id=login method=post action=/enter><input id=user name=user><input id=password name=password type=password><button id=enter>Enter</button></form>`+word)
	})
	mux.HandleFunc("POST /enter", func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.FormValue("user") != "jane" || r.FormValue("password") != "correct horse":
			lead(w, r, r.FormValue("again"), "/login?refused")
		case r.FormValue("factor") != "":
			lead(w, r, r.FormValue("factor"), "")
		default:
			enter(w, r)
		}
	})
	mux.HandleFunc("POST /code", func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		if !totp.Validate(strings.Join(r.PostForm["code"], ""), r.URL.Query().Get("secret")) {
			lead(w, r, r.FormValue("again"), "/login?refused")
			return
		}
		enter(w, r)
	})
	mux.HandleFunc("/members/{name}", func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("session"); err != nil {
			lead(w, r, "", "/login")
			return
		}
		s.serveFile(w, r)
	})
	mux.HandleFunc("/home", func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("session"); err != nil {
			lead(w, r, "", "/login")
			return
		}
		writePage(w, "<p id=menu>Jane</p>")
	})
	mux.HandleFunc("/leave/{name}", leave)
	mux.HandleFunc("/leave-once/{name}", func(w http.ResponseWriter, r *http.Request) {
		if left.Add(1) == 1 {
			leave(w, r)
			return
		}
		s.serveFile(w, r)
	})
	mux.HandleFunc("/sub/{name}", s.serveFile)
}

func lead(w http.ResponseWriter, r *http.Request, to, otherwise string) {
	if to == "" {
		to = otherwise
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

func writePage(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = fmt.Fprint(w, "<!doctype html><title>Members</title>", body)
}
