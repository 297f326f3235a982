package gateway_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/marketplace"
)

func TestEachKindOfErrorHasItsStatus(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	kinds := make(chan *contracts.Error, 1)
	serve(t, e.bus, marketplace.BuyNow, func(context.Context, *marketplace.BuyNowRequest) (*marketplace.Order, error) {
		return nil, <-kinds
	})
	for kind, c := range map[contracts.Kind]struct {
		status  int
		outcome contracts.Outcome
	}{
		contracts.Invalid:        {400, contracts.NothingDone},
		contracts.Rejected:       {400, contracts.NothingDone},
		contracts.Unauthorized:   {401, contracts.NothingDone},
		contracts.NotFound:       {404, contracts.NothingDone},
		contracts.NotImplemented: {500, contracts.NothingDone},
		contracts.Busy:           {500, contracts.NothingDone},
		contracts.Timeout:        {500, contracts.NothingDone},
		contracts.Unknown:        {500, contracts.NotKnown},
		contracts.Unavailable:    {500, contracts.NotKnown},
		contracts.Fault:          {500, contracts.NotKnown},
		"a kind of tomorrow":     {500, contracts.NotKnown},
	} {
		t.Run(string(kind), func(t *testing.T) {
			kinds <- &contracts.Error{Kind: kind, Message: "do this instead", RetryAfter: 1200 * time.Millisecond}
			r := e.request(t, http.MethodPost, buyPath, buyBody)
			r.Header.Set("Idempotency-Key", key)
			a := send(t, r)
			if message := a.wantError(t, c.status); !strings.HasPrefix(message, "do this instead; ") {
				t.Errorf("message %q", message)
			}
			if got := a.Header.Get("Command-Outcome"); got != string(c.outcome) {
				t.Errorf("Command-Outcome is %q, want %q", got, c.outcome)
			}
			want := ""
			if c.status == http.StatusInternalServerError {
				want = "2"
			}
			if got := a.Header.Get("Retry-After"); got != want {
				t.Errorf("Retry-After is %q, want %q", got, want)
			}
		})
	}
}

func TestAFaultIsHiddenFromTheCallerAndLoggedWithTheCommand(t *testing.T) {
	t.Parallel()
	for name, method := range map[string]func(context.Context, *marketplace.SearchRequest) (*marketplace.SearchResults, error){
		"panic": func(context.Context, *marketplace.SearchRequest) (*marketplace.SearchResults, error) {
			panic("inner text")
		},
		"error": func(context.Context, *marketplace.SearchRequest) (*marketplace.SearchResults, error) {
			return nil, errors.New("inner text")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := start(t, nil)
			serve(t, e.bus, marketplace.Search, method)
			a := send(t, e.request(t, http.MethodGet, searchPath, ""))
			if message := a.wantError(t, http.StatusInternalServerError); strings.Contains(message, "inner") {
				t.Errorf("message %q", message)
			}
			if log := e.log.String(); !strings.Contains(log, a.Header.Get("Command-Id")) || strings.Contains(log, "dripper") {
				t.Errorf("log: %s", log)
			}
		})
	}
}

func TestWordsOfTheApplicationStayOutOfTheLog(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	serve(t, e.bus, marketplace.Search, func(context.Context, *marketplace.SearchRequest) (*marketplace.SearchResults, error) {
		return nil, &contracts.Error{Kind: contracts.Unavailable, Message: "closed for Jane Roe", Quotes: true}
	})
	a := send(t, e.request(t, http.MethodGet, searchPath, ""))
	if message := a.wantError(t, http.StatusInternalServerError); message != "closed for Jane Roe; send it again, after 5 s" {
		t.Errorf("the caller is told %q", message)
	}
	if log := e.log.String(); !strings.Contains(log, a.Header.Get("Command-Id")) || strings.Contains(log, "Jane") {
		t.Errorf("log: %s", log)
	}
}

func TestAnIntegrationWithoutAServiceAnswersAtOnce(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	begin := time.Now()
	a := send(t, e.request(t, http.MethodPost, buyPath, buyBody))
	if message := a.wantError(t, http.StatusInternalServerError); !strings.Contains(message, "marketplace service is not running") {
		t.Errorf("message %q", message)
	}
	if a.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestWithoutTheAccountsServiceNobodyIsLetIn(t *testing.T) {
	t.Parallel()
	e := startBare(t, nil)
	services := serveEverything(t, e.bus)
	message := send(t, e.request(t, http.MethodGet, searchPath, "")).wantError(t, http.StatusInternalServerError)
	if !strings.Contains(message, "accounts service is not running") {
		t.Errorf("message %q", message)
	}
	if msgs := services.take(t); len(msgs) != 0 {
		t.Errorf("%s was sent", msgs[0].Subject)
	}
}

func TestAReplyThatIsNotTheResultIsAFault(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	sub, err := e.bus.SubscribeSync(marketplace.Search.Info().Subject())
	if err != nil {
		t.Fatal(err)
	}
	if err := e.bus.Flush(); err != nil {
		t.Fatal(err)
	}
	answered := make(chan error, 1)
	go func() {
		msg, err := sub.NextMsg(patience)
		if err == nil {
			err = msg.Respond([]byte(`{"items":12}`))
		}
		answered <- err
	}()
	send(t, e.request(t, http.MethodGet, searchPath, "")).wantError(t, http.StatusInternalServerError)
	if err := <-answered; err != nil {
		t.Error(err)
	}
}
