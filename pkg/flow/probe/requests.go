package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
)

// Request is a request for JSON that a page made.
type Request struct {
	Method  string   `json:"method"`
	Address string   `json:"address"`
	Status  int      `json:"status"`
	Headers []Header `json:"headers,omitempty"` // those that are not a browser's own
	Body    string   `json:"body,omitempty"`
	Answer  []Value  `json:"answer"`
}

// Header is a header of a request. The values of those that hold a token, or
// look like it, are redacted.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

const (
	maxRequests = 50
	maxAnswer   = 4 << 20 // bytes of an answer that are read
	maxEvents   = 256     // that may wait to be looked at
	// quietFor is how long a page must not ask for anything.
	quietFor = time.Second
)

// listener gathers the requests of a page.
type listener struct {
	page     *rod.Page
	events   chan any
	cancel   context.CancelFunc
	done     chan struct{}
	open     map[proto.NetworkRequestID]*proto.NetworkRequestWillBeSent
	answered map[proto.NetworkRequestID]*proto.NetworkResponse
	requests []Request
}

func listen(page *rod.Page) (*listener, error) {
	ctx, cancel := context.WithCancel(page.GetContext())
	l := &listener{
		page: page, events: make(chan any, maxEvents), cancel: cancel, done: make(chan struct{}), requests: []Request{},
		open: map[proto.NetworkRequestID]*proto.NetworkRequestWillBeSent{}, answered: map[proto.NetworkRequestID]*proto.NetworkResponse{},
	}
	send := func(event any) {
		select {
		case l.events <- event:
		case <-ctx.Done():
		}
	}
	wait := page.Context(ctx).EachEvent(
		func(e *proto.NetworkRequestWillBeSent) { send(e) },
		func(e *proto.NetworkResponseReceived) { send(e) },
		func(e *proto.NetworkLoadingFinished) { send(e) },
		func(e *proto.NetworkLoadingFailed) { send(e) },
	)
	go func() {
		defer close(l.done)
		wait()
	}()
	if err := (proto.NetworkEnable{}).Call(page); err != nil {
		l.stop()
		return nil, fmt.Errorf("listen to the page: %w", err)
	}
	return l, nil
}

func (l *listener) stop() {
	l.cancel()
	<-l.done
}

// untilQuiet gathers requests until the page has been quiet, or the wait is over.
func (l *listener) untilQuiet(ctx context.Context, wait time.Duration) error {
	over := time.After(wait)
	for {
		var quiet <-chan time.Time
		if len(l.open) == 0 {
			quiet = time.After(quietFor)
		}
		select {
		case event := <-l.events:
			l.take(event)
		case <-quiet:
			return nil
		case <-over:
			return nil
		case <-ctx.Done():
			return fmt.Errorf("listen to the page: %w", context.Cause(ctx))
		}
	}
}

func (l *listener) take(event any) {
	switch e := event.(type) {
	case *proto.NetworkRequestWillBeSent:
		if slices.Contains([]proto.NetworkResourceType{proto.NetworkResourceTypeXHR, proto.NetworkResourceTypeFetch}, e.Type) {
			l.open[e.RequestID] = e
		}
	case *proto.NetworkResponseReceived:
		l.answered[e.RequestID] = e.Response
	case *proto.NetworkLoadingFailed:
		delete(l.open, e.RequestID)
		delete(l.answered, e.RequestID)
	case *proto.NetworkLoadingFinished:
		sent, answer := l.open[e.RequestID], l.answered[e.RequestID]
		delete(l.open, e.RequestID)
		delete(l.answered, e.RequestID)
		if sent != nil && answer != nil && strings.Contains(strings.ToLower(answer.MIMEType), "json") && len(l.requests) < maxRequests {
			l.requests = append(l.requests, l.describe(sent, answer))
		}
	}
}

func (l *listener) describe(sent *proto.NetworkRequestWillBeSent, answer *proto.NetworkResponse) Request {
	r := Request{Method: sent.Request.Method, Address: Redacted(sent.Request.URL), Status: answer.Status, Answer: []Value{}}
	contentType := ""
	for name, value := range sent.Request.Headers {
		if strings.EqualFold(name, "Content-Type") {
			contentType = value.Str()
		}
		if !isBrowsers(name) {
			r.Headers = append(r.Headers, Header{name, redactedHeader(name, value.Str())})
		}
	}
	slices.SortFunc(r.Headers, func(a, b Header) int { return strings.Compare(a.Name, b.Name) })
	r.Body = redactedBody(contentType, sent.Request.PostData)
	body, err := proto.NetworkGetResponseBody{RequestID: sent.RequestID}.Call(l.page)
	if err != nil || body.Base64Encoded || len(body.Body) > maxAnswer {
		return r // the page may have left meanwhile
	}
	var value any
	d := json.NewDecoder(strings.NewReader(body.Body))
	d.UseNumber()
	if d.Decode(&value) == nil {
		r.Answer = shapeOf(value)
	}
	return r
}
