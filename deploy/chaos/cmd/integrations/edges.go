package main

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/command"
)

// answerLimit bounds how long the driver may think about an edge.
const answerLimit = 10 * time.Second

// edges is a log that tells the driver before and after each append.
type edges struct {
	command.Log
	driver  string
	process string
}

// Append implements command.Log.
func (l edges) Append(ctx context.Context, stream string, last event.Event, events ...event.Event) ([]event.Event, error) {
	l.tell("before", events)
	recorded, err := l.Log.Append(ctx, stream, last, events...)
	if err == nil {
		l.tell("after", events)
	}
	return recorded, err
}

// tell tells the driver of an edge and waits for its answer. Whether there is
// one does not matter: the service works without a driver.
func (l edges) tell(when string, events []event.Event) {
	ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
	defer cancel()
	first := events[0]
	edge := url.Values{
		"process": {l.process}, "when": {when}, "account": {first.Account}, "command": {first.Command}, "operation": {first.Operation},
	}
	for _, e := range events {
		edge.Add("type", e.Type)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.driver+"/edge?"+edge.Encode(), http.NoBody)
	if err != nil {
		return
	}
	if resp, err := http.DefaultClient.Do(req); err == nil {
		_ = resp.Body.Close()
	}
}
