package chaos_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/audit"
)

// patience is how long a client waits for an answer before it asks again.
const patience = 4 * time.Second

// request is one request with a key of its own, or without any.
type request struct {
	trial *trial
	key   string

	mu      sync.Mutex
	answers []answer
}

// answer is what a client was told.
type answer struct {
	at         time.Time
	took       time.Duration
	gateway    int
	status     int // 0: no answer
	retryAfter string
	command    string
	outcome    contracts.Outcome
	body       []byte
	definite   bool
}

func (a answer) String() string {
	mark := ""
	if a.definite {
		mark = " definite"
	}
	return fmt.Sprintf("%s +%dms gateway %d: %d%s %s command %s %s", a.at.Format(clock), a.took.Milliseconds(), a.gateway, a.status, mark, a.outcome, a.command, a.body)
}

// send sends the request once and notes the answer.
func (r *request) send(ctx context.Context, gateway int, patience time.Duration) {
	known := r.command()
	ended := r.trial.world.endOf(ctx, r.trial.account.accessToken, known)
	a := answer{at: time.Now(), gateway: gateway % len(r.trial.world.gateways)}
	if err := r.exchange(ctx, &a, patience); err != nil {
		a.status, a.body = 0, []byte(err.Error())
	}
	a.took = time.Since(a.at)
	switch a.status {
	case 0:
	case http.StatusInternalServerError:
		// Whether another answer can still come, the command itself tells: what its
		// caller was answered after its end is the stored answer.
		now := r.trial.world.endOf(ctx, r.trial.account.accessToken, known)
		a.definite = a.retryAfter == "" && a.outcome != contracts.NotKnown && a.command == known && ended != nil && now != nil && now.Equal(*ended)
	default:
		a.definite = true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers = append(r.answers, a)
}

func (r *request) exchange(ctx context.Context, a *answer, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	t := r.trial
	body, err := jsonOf(t.wish.body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, t.operation.Method, t.world.url(a.gateway)+cmp.Or(t.wish.path, t.operation.Path), body)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+t.account.accessToken)
	req.Header.Set(contracts.AccountTokenHeader, t.account.token)
	if r.key != "" {
		req.Header.Set(contracts.IdempotencyKeyHeader, r.key)
	}
	resp, err := t.world.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	a.command, a.outcome = resp.Header.Get(contracts.CommandIDHeader), contracts.Outcome(resp.Header.Get(contracts.OutcomeHeader))
	if a.body, err = io.ReadAll(resp.Body); err != nil {
		return err
	}
	a.status, a.retryAfter = resp.StatusCode, resp.Header.Get("Retry-After")
	return nil
}

func (r *request) all() []answer {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.answers)
}

// definite returns the first definite answer, or nil.
func (r *request) definite() *answer {
	for _, a := range r.all() {
		if a.definite {
			return &a
		}
	}
	return nil
}

func (r *request) succeeded() bool {
	a := r.definite()
	return a != nil && a.status == http.StatusOK && a.outcome != contracts.NothingDone
}

// differ returns definite answers that tell different things, if there are any.
// Of refusals the status counts: the stored one says in its words that it is.
func (r *request) differ() (first, other answer, differ bool) {
	one := r.definite()
	for _, a := range r.all() {
		if a.definite && (a.status != one.status || a.status == http.StatusOK && !sameJSON(a.body, one.body)) {
			return *one, a, true
		}
	}
	return answer{}, answer{}, false
}

func sameJSON(a, b []byte) bool {
	var one, other any
	if json.Unmarshal(a, &one) != nil || json.Unmarshal(b, &other) != nil {
		return bytes.Equal(a, b)
	}
	x, _ := json.Marshal(one)
	y, _ := json.Marshal(other)
	return bytes.Equal(x, y)
}

// command returns the id of the request's command, as far as it was told.
func (r *request) command() string {
	for _, a := range r.all() {
		if a.command != "" {
			return a.command
		}
	}
	return ""
}

// endOf returns when a command ended, by the log's clock; nil if it has not.
func (w *world) endOf(ctx context.Context, accessToken, command string) *time.Time {
	if command == "" {
		return nil
	}
	var story audit.CommandStory
	path := strings.Replace(audit.GetCommand.Path, "{commandId}", url.PathEscape(command), 1)
	if err := w.call(ctx, accessToken, http.MethodGet, path, nil, &story); err != nil || story.Command == nil {
		return nil
	}
	return story.Command.EndedAt
}

// call asks any gateway for an operation of the operator's API.
func (w *world) call(ctx context.Context, token, method, path string, body, into any) error {
	var err error
	for i := range w.gateways {
		if err = w.callAt(ctx, i, token, method, path, body, into); err == nil {
			return nil
		}
	}
	return err
}

func (w *world) callAt(ctx context.Context, gateway int, token, method, path string, body, into any) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	content, err := jsonOf(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, w.url(gateway)+path, content)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := w.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, answer)
	}
	return json.Unmarshal(answer, into)
}

// jsonOf returns the JSON of a request's body, or nothing for none.
func jsonOf(body any) (io.Reader, error) {
	if body == nil {
		return http.NoBody, nil
	}
	encoded, err := json.Marshal(body)
	return bytes.NewReader(encoded), err
}
