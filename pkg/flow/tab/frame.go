package tab

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
)

// island is a document of a frame, and all the frames within it that are of its
// origin: the script in that document can look into each of them, and nowhere
// else. The page's own document is an island too.
type island struct {
	document

	path  []int // the indexes that lead to it from the page inwards; none for the page's own
	frame proto.PageFrameID
	root  bool // else a script around it can look into it

	address string
}

// noteRealm takes where scripts of a session's frames run.
func (s *session) noteRealm(msg *rod.Message) bool {
	switch msg.Method {
	case "Runtime.executionContextCreated":
		var e proto.RuntimeExecutionContextCreated
		msg.Load(&e)
		data := e.Context.AuxData
		ours := e.Context.Name == world
		if ours || data["isDefault"].Bool() {
			s.contexts[e.Context.ID] = realm{proto.PageFrameID(data["frameId"].Str()), ours}
		}
	case "Runtime.executionContextDestroyed":
		var e proto.RuntimeExecutionContextDestroyed
		msg.Load(&e)
		delete(s.contexts, e.ExecutionContextID)
	case "Runtime.executionContextsCleared":
		clear(s.contexts)
	default:
		return false
	}
	return true
}

// frames finds out which documents there are in the tab's frames, with the
// script in them.
func (t *Tab) frames(ctx context.Context) []island {
	t.mu.Lock()
	var all []island
	for _, s := range t.sessions {
		if s.tab != t {
			continue
		}
		for id, realm := range s.contexts {
			if realm.ours && realm.frame != t.page.FrameID {
				all = append(all, island{document: document{session: s.id, context: id}, frame: realm.frame})
			}
		}
	}
	t.mu.Unlock()
	var wg sync.WaitGroup
	for i := range all {
		wg.Go(func() {
			var place struct {
				Path    []int  `json:"path"`
				Root    bool   `json:"root"`
				Address string `json:"address"`
			}
			// An error means that it has gone.
			if t.call(ctx, all[i].document, "place", nil, &place) == nil {
				all[i].path, all[i].root, all[i].address = place.Path, place.Root, place.Address
			}
		})
	}
	wg.Wait()
	return slices.DeleteFunc(all, func(i island) bool { return i.path == nil })
}

// islandOf is the island that a frame belongs to, as far as the islands tell.
func islandOf(islands []island, frame []int) *island {
	var inmost *island
	for i := range islands {
		at := &islands[i]
		if at.root && leads(at.path, frame) && (inmost == nil || len(at.path) > len(inmost.path)) {
			inmost = at
		}
	}
	return inmost
}

func leads(path, to []int) bool { return len(path) <= len(to) && slices.Equal(path, to[:len(path)]) }

// realmOf waits for a frame's own world.
func (t *Tab) realmOf(ctx context.Context, frame []int) (document, error) {
	for {
		t.mu.Lock()
		changed := t.changed
		t.mu.Unlock()
		for _, at := range t.frames(ctx) {
			if !slices.Equal(at.path, frame) {
				continue
			}
			t.mu.Lock()
			s := t.sessions[at.session]
			if s != nil {
				for id, realm := range s.contexts {
					if !realm.ours && realm.frame == at.frame {
						t.mu.Unlock()
						return document{session: s.id, context: id}, nil
					}
				}
			}
			t.mu.Unlock()
		}
		if err := t.ended(); err != nil {
			return document{}, err
		}
		if err := t.wait(ctx, changed, slice); err != nil {
			return document{}, err
		}
	}
}

// outward carries a point of an island's into the coordinates of the page, from
// frame to frame; the reason tells why a click there would not meet the island.
func (t *Tab) outward(ctx context.Context, islands []island, at *island, x, y float64) (_, _ float64, reason string, err error) {
	for len(at.path) > 0 {
		around := islandOf(islands, at.path[:len(at.path)-1])
		if around == nil {
			return 0, 0, absent, nil
		}
		var place struct {
			X      float64 `json:"x"`
			Y      float64 `json:"y"`
			Reason string  `json:"reason"`
		}
		err := t.call(ctx, around.document, "through", struct {
			Frame []int   `json:"frame"`
			X     float64 `json:"x"`
			Y     float64 `json:"y"`
		}{at.path[len(around.path):], x, y}, &place)
		if errors.Is(err, errGone) {
			return 0, 0, absent, nil
		}
		if err != nil || place.Reason != "" {
			return 0, 0, place.Reason, err
		}
		x, y, at = place.X, place.Y, around
	}
	return x, y, "", nil
}

// absent is why a goal in a frame is not met.
const absent = "the frame is not there"

// slice is how long goals are looked for in several islands before it is asked
// anew which frames there are.
const slice = 500 * time.Millisecond
