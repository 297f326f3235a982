package tab

import (
	"context"
	_ "embed" // of the script's part
	"fmt"

	"github.com/go-rod/rod/lib/proto"
)

// nearJS is the last part of the script that runs inside the page.
//
//go:embed inpage/near.js
var nearJS string

// Bounds of a picture.
const (
	maxImage    = 512 << 10 // bytes
	maxNear     = 40        // lines
	maxNearText = 120       // characters of a name
)

// Sight says what a picture is for, and what must not be in it.
type Sight struct {
	Sought  Selectors `json:"sought,omitempty"` // what did not match
	Frame   []int     `json:"frame,omitempty"`
	Secrets []string  `json:"secrets"` // are blotted out wherever they stand
	Fields  bool      `json:"fields"`  // blot out what stands in any field
}

// Picture is how the page looks.
type Picture struct {
	Image []byte   // JPEG; nil when it would be too large, or could show a secret
	Near  []string // what there is to see near the place that was sought
}

// Picture takes a picture of the page. It spoils the page a little: what must
// not be seen is taken out of it.
func (t *Tab) Picture(ctx context.Context, sight Sight) (Picture, error) {
	var picture Picture
	if err := t.ended(); err != nil {
		return picture, err
	}
	if sight.Secrets == nil {
		sight.Secrets = []string{}
	}
	request := struct {
		Sight
		Most   int `json:"most"`
		Length int `json:"length"`
	}{sight, maxNear, maxNearText}
	t.mu.Lock()
	doc := t.state.doc // not waiting for the next one, which may never come
	t.mu.Unlock()
	if err := t.call(ctx, doc, "near", request, &picture.Near); err != nil && (sight.Fields || len(sight.Secrets) > 0) {
		return picture, fmt.Errorf("blotting out: %w", err)
	}
	if sight.Fields && len(t.frames(ctx)) > 0 {
		return picture, nil // in frames of other origins nothing is blotted out
	}
	var err error
	picture.Image, err = t.screenshot(ctx)
	return picture, err
}

// screenshot shows what the window shows, the coarser the more there is.
func (t *Tab) screenshot(ctx context.Context) ([]byte, error) {
	for _, quality := range []int{60, 20} {
		t.calls.Add(1)
		shot, err := proto.PageCaptureScreenshot{Format: proto.PageCaptureScreenshotFormatJpeg, Quality: &quality, OptimizeForSpeed: true}.Call(t.page.Context(ctx))
		if err != nil {
			return nil, t.failed(ctx, err)
		}
		if len(shot.Data) <= maxImage {
			return shot.Data, nil
		}
	}
	return nil, nil
}
