package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
)

// readScript returns the storage of the document's origin. A document that
// may not use storage has none.
const readScript = `(() => {
	const entries = name => {
		try {
			const storage = window[name];
			return Array.from({length: storage.length}, (_, i) => storage.key(i)).map(key => [key, storage.getItem(key)]);
		} catch { return [] }
	};
	return JSON.stringify({origin: location.origin, localStorage: entries("localStorage"), sessionStorage: entries("sessionStorage")});
})()`

// writeScript puts entries into the storage of the document's origin.
const writeScript = `(stored => {
	for (const name of ["localStorage", "sessionStorage"])
		for (const [key, value] of stored[name] || []) window[name].setItem(key, value);
})`

// document is what a page or a popup shows. It is spoken to past go-rod,
// which would keep the last parameters, a whole storage, in memory.
type document struct {
	rod  *rod.Page // bound to the context of the work at hand
	conn *conn
}

// document is the page's, for work that ends with ctx.
func (p *Page) document(ctx context.Context) (document, context.CancelFunc) {
	rod, cancel := p.Bind(ctx)
	return document{rod: rod, conn: p.in.on.conn}, cancel
}

func (d document) call(req proto.Request, res any) error {
	return call(d.rod.GetContext(), d.conn, string(d.rod.SessionID), req, res)
}

func (d document) readStorage() (*OriginStorage, error) {
	text, err := d.evaluate(readScript)
	if err != nil {
		return nil, fmt.Errorf("browser: read storage: %w", err)
	}
	var storage OriginStorage
	if err := json.Unmarshal([]byte(text), &storage); err != nil {
		return nil, fmt.Errorf("browser: read storage: %w", err)
	}
	return &storage, nil
}

// evaluate evaluates an expression in a world of its own, where the page's
// scripts have changed nothing, and returns its text.
func (d document) evaluate(expression string) (string, error) {
	var world proto.PageCreateIsolatedWorldResult
	if err := d.call(proto.PageCreateIsolatedWorld{FrameID: d.rod.FrameID, WorldName: "browser"}, &world); err != nil {
		return "", err
	}
	var result struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception json.RawMessage `json:"exceptionDetails"`
	}
	req := proto.RuntimeEvaluate{Expression: expression, ContextID: world.ExecutionContextID, UserGesture: true}
	if err := d.call(req, &result); err != nil {
		return "", err
	}
	if result.Exception != nil {
		return "", errors.New("the page's storage cannot be used")
	}
	if result.Result.Value == nil {
		return "", nil
	}
	var text string
	if err := json.Unmarshal(result.Result.Value, &text); err != nil {
		return "", fmt.Errorf("decode the result: %w", err)
	}
	return text, nil
}

// visitEmpty shows an empty document of an origin, without a request to it.
func (d document) visitEmpty(origin string) error {
	// A service worker of the origin would answer before us.
	for _, req := range []proto.Request{proto.NetworkEnable{}, proto.NetworkSetBypassServiceWorker{Bypass: true}} {
		if err := d.call(req, nil); err != nil {
			return err
		}
	}
	err := d.navigate(origin+"/", func(e *proto.FetchRequestPaused) {
		// An error means that the request has gone; the navigation tells.
		_ = d.call(emptyAnswer(e.RequestID), nil)
	})
	// By go-rod, which has enabled it for the handler.
	return errors.Join(err, proto.FetchDisable{}.Call(d.rod), d.call(proto.NetworkDisable{}, nil))
}

// navigate shows a URL and returns when its document is there. Handlers are
// go-rod's, for further events.
func (d document) navigate(url string, handlers ...any) error {
	page, cancel := d.rod.WithCancel()
	committed := make(chan proto.NetworkLoaderID, 16)
	handlers = append(handlers, func(e *proto.PageFrameNavigated) {
		if e.Frame.ID == page.FrameID {
			select {
			case committed <- e.Frame.LoaderID:
			case <-page.GetContext().Done():
			}
		}
	})
	handle := page.EachEvent(handlers...)
	handled := make(chan struct{})
	go func() { defer close(handled); handle() }()
	defer func() { cancel(); <-handled }()

	var went proto.PageNavigateResult
	if err := d.call(proto.PageNavigate{URL: url}, &went); err != nil {
		return err
	}
	if went.ErrorText != "" {
		return fmt.Errorf("browser: navigate: %s", went.ErrorText)
	}
	for {
		select {
		case loader := <-committed:
			if loader == went.LoaderID {
				return nil
			}
		case <-page.GetContext().Done():
			return context.Cause(d.rod.GetContext())
		}
	}
}

func emptyAnswer(id proto.FetchRequestID) proto.Request {
	return proto.FetchFulfillRequest{
		RequestID: id, ResponseCode: 200, Body: []byte("<!doctype html>"),
		ResponseHeaders: []*proto.FetchHeaderEntry{{Name: "Content-Type", Value: "text/html"}},
	}
}
