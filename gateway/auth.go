package gateway

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
	"integration.gateway/pkg/bus"
)

// maxToken is the longest token that is looked at, in characters.
const maxToken = 512

// identify says on whose behalf a request of an operation is carried out. It
// reads headers only, so that nothing of a stranger's body is ever decoded.
func (s *Server) identify(r *http.Request, op contracts.Info) (bus.Identity, error) {
	token, err := bearer(r.Header.Values("Authorization"))
	if err != nil {
		return bus.Identity{}, err
	}
	id := bus.Identity{CommandID: exchangeFrom(r.Context()).commandID}
	switch {
	case !op.ActsOnAccount() && s.isAdmin(token):
		id.CallerID = contracts.AdminCaller
		return id, nil
	case op.Access == contracts.AdminToken:
		return id, unauthorized("the admin token is not valid")
	}
	return s.authorize(r, op, token, id)
}

// isAdmin compares hashes, which are of one length, so that the time tells
// nothing.
func (s *Server) isAdmin(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(sum[:], s.admin[:]) == 1
}

// bearer returns the token of the Authorization header: RFC 6750, section 2.1.
func bearer(values []string) (string, error) {
	if len(values) == 0 {
		return "", unauthorized("the Authorization header is missing; send \"Authorization: Bearer <access token>\"")
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	token = strings.TrimLeft(token, " ")
	if len(values) > 1 || !strings.EqualFold(scheme, "Bearer") || !wellFormed(token) {
		return "", unauthorized("the Authorization header is malformed; send \"Authorization: Bearer <access token>\" once")
	}
	return token, nil
}

// wellFormed reports whether a token has the form that RFC 6750 gives it
// (b64token) and a length that is worth looking up.
func wellFormed(token string) bool {
	if token == "" || len(token) > maxToken {
		return false
	}
	for _, c := range []byte(strings.TrimRight(token, "=")) {
		if !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/", rune(c)) {
			return false
		}
	}
	return true
}

func unauthorized(message string) *contracts.Error {
	return &contracts.Error{Kind: contracts.Unauthorized, Message: message}
}

// authorize asks the accounts service whose tokens these are. No answer is
// kept that would let a request in: a token that is revoked must stop working with
// the next one.
func (s *Server) authorize(r *http.Request, op contracts.Info, accessToken string, id bus.Identity) (bus.Identity, error) {
	req := accounts.AuthorizeRequest{
		Integration:     op.Integration,
		AccessTokenHash: accounts.HashToken(accessToken),
		SoleAccount:     op.Access == contracts.SoleAccount,
		CallerAlone:     op.Access == contracts.CallerOrAdmin,
	}
	// Several headers are one value with commas (RFC 9110, section 5.3), which
	// is no token. It is looked up like any other, and so refused like any other.
	if accountToken := strings.Join(r.Header.Values(contracts.AccountTokenHeader), ","); accountToken != "" {
		req.AccountTokenHash = accounts.HashToken(accountToken)
	}
	var res accounts.Authorization
	if err := bus.Call(bus.WithIdentity(r.Context(), id), s.bus, accounts.Authorize.Info(), &req, &res); err != nil {
		return id, unchecked(err)
	}
	s.owners.keep(&req, res.CallerID, res.AccountID)
	if res.CallerID == "" || res.AccountID == "" && op.ActsOnAccount() {
		return id, errors.New("the accounts service authorized a call without naming its caller and account")
	}
	id.CallerID, id.AccountID, id.Site, id.Grant = res.CallerID, res.AccountID, res.Site, res.Grant
	return id, nil
}

// unchecked is the error when the accounts service did not say whose tokens these
// are. What went wrong there, such as a database that is away, may pass.
func unchecked(err error) error {
	if contracts.AsError(err).Kind != contracts.Fault {
		return err
	}
	return &contracts.Error{
		Kind: contracts.Unavailable, Message: "whose tokens these are cannot be told now", RetryAfter: time.Second, Err: err,
	}
}
