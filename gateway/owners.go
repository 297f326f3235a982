package gateway

import (
	"net/http"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
	"integration.gateway/pkg/bus"
)

// ownersKept is how many pairs of tokens a gateway remembers the owners of.
const ownersKept = 4096

// owners remembers whose tokens came, so that a request with a key can be told its
// Command-Id while the accounts service cannot be asked. They name commands and
// authorize nothing. Since a token is of one caller, or account, for ever, what is
// remembered stays true.
type owners struct {
	known *lru.Cache[tokenHashes, owner]
}

type tokenHashes struct{ access, account string }

type owner struct{ caller, account string }

func newOwners() *owners {
	known, err := lru.New[tokenHashes, owner](ownersKept)
	if err != nil { // cannot be: the size is positive
		panic(err)
	}
	return &owners{known}
}

// keep remembers whose tokens a request came with. Which account is meant where
// no token names one can change.
func (o *owners) keep(req *accounts.AuthorizeRequest, caller, account string) {
	if req.AccountTokenHash != "" && caller != "" && account != "" {
		o.known.Add(tokenHashes{req.AccessTokenHash, req.AccountTokenHash}, owner{caller, account})
	}
}

// nameAnyway tells the caller of a request that could not be identified which
// command its key names, where that is known.
func (s *Server) nameAnyway(x *exchange, r *http.Request) {
	token, err := bearer(r.Header.Values("Authorization"))
	if !x.keyed || err != nil {
		return
	}
	account := strings.Join(r.Header.Values(contracts.AccountTokenHeader), ",")
	who, known := s.owners.known.Get(tokenHashes{accounts.HashToken(token), accounts.HashToken(account)})
	if !known {
		return
	}
	id, err := nameCommand(r, x.op, bus.Identity{CallerID: who.caller, AccountID: who.account})
	if err == nil {
		x.name(id)
	}
}
