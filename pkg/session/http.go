package session

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/contracts/sessions"
	"integration.gateway/pkg/devtools"
	"integration.gateway/pkg/session/live"
)

// errUnknown does not tell a ticket that is wrong from a session that is not
// there, or not any more.
var errUnknown = errors.New("there is no such session, or it has ended")

// Handler serves the sessions under the paths of contracts/sessions.
func (k *Keeper) Handler() http.Handler {
	mux := http.NewServeMux()
	root := sessions.Path("{id}")
	mux.HandleFunc("GET "+root+sessions.BrowserPath+"{ticket}", k.serveBrowser)
	page := live.Handler()
	mux.Handle("GET "+root+sessions.LivePath, page)
	mux.Handle("GET "+root+sessions.LivePath+"/", page)
	mux.HandleFunc("GET "+root+sessions.StatusPath, k.with(event.View, tellStatus))
	mux.HandleFunc("POST "+root+sessions.ViewPath, k.with(event.Control, makeViewLink))
	mux.HandleFunc("POST "+root+sessions.StopPath, k.with(event.Control, stop))
	return mux
}

// find returns the session that a ticket is for, and what for; nil when it is
// for none.
func (k *Keeper) find(id, ticket string) (*session, event.Purpose) {
	s := k.session(id)
	if s == nil || s.life.Err() != nil {
		return nil, ""
	}
	purpose := s.tickets.purpose(ticket)
	if purpose == "" {
		return nil, ""
	}
	return s, purpose
}

// serveBrowser carries a client of the DevTools protocol.
func (k *Keeper) serveBrowser(w http.ResponseWriter, r *http.Request) {
	s, purpose := k.find(r.PathValue("id"), r.PathValue("ticket"))
	if s == nil {
		refuse(w, http.StatusNotFound, errUnknown)
		return
	}
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		w.Header().Set("Upgrade", "websocket")
		refuse(w, http.StatusUpgradeRequired, errors.New("connect with a client of the DevTools protocol, over a WebSocket"))
		return
	}
	detach, err := s.attach(purpose)
	if errors.Is(err, errClients) || errors.Is(err, errAttached) {
		refuse(w, http.StatusServiceUnavailable, err)
		return
	}
	if err != nil {
		refuse(w, http.StatusNotFound, errUnknown)
		return
	}
	defer detach()
	err = devtools.Serve(s.life, w, r, s.page, devtools.Config{
		Purpose: purpose, Logger: k.parts.Logger.With("session", s.id),
		Close: func() { s.end(event.SessionReleased) },
	})
	k.parts.Logger.Debug("a client of a session has gone", "session", s.id, "cause", err)
}

// with lets a request through that has a ticket for a purpose, or for more.
func (k *Keeper) with(least event.Purpose, serve func(*session, event.Purpose, http.ResponseWriter)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ticket, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		s, purpose := k.find(r.PathValue("id"), ticket)
		switch {
		case s == nil:
			refuse(w, http.StatusNotFound, errUnknown)
		case least == event.Control && purpose != event.Control:
			refuse(w, http.StatusForbidden, errors.New("this link is to look only"))
		default:
			serve(s, purpose, w)
		}
	}
}

func tellStatus(s *session, purpose event.Purpose, w http.ResponseWriter) {
	write(w, http.StatusOK, s.status(purpose))
}

// makeViewLink makes a link to look only.
func makeViewLink(s *session, _ event.Purpose, w http.ResponseWriter) {
	link, err := s.link(event.View)
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, err)
		return
	}
	write(w, http.StatusOK, sessions.Link{URL: link})
}

// stop gives the session back and answers when nothing of it is left.
func stop(s *session, _ event.Purpose, w http.ResponseWriter) {
	s.end(event.SessionReleased)
	select {
	case <-s.done:
		w.WriteHeader(http.StatusNoContent)
	case <-time.After(sessions.AskTimeout):
		refuse(w, http.StatusServiceUnavailable, errors.New("the session is still ending"))
	}
}

func refuse(w http.ResponseWriter, status int, err error) {
	write(w, status, contracts.NewErrorBody(status, err.Error()))
}

func write(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client has gone
}
