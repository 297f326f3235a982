package sandbox

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"strings"
)

// showPicture draws a landscape of the name's own: a sky, a sun and hills.
func (s *Site) showPicture(w http.ResponseWriter, r *http.Request) {
	name, ok := strings.CutSuffix(r.PathValue("file"), ".svg")
	handle, story := strings.CutPrefix(name, "story-")
	if !ok || s.post(name) == nil && (!story || s.member(handle) == nil) {
		http.NotFound(w, r)
		return
	}
	writeSVG(w, landscape(name))
}

// showFace draws a member's initials.
func (s *Site) showFace(w http.ResponseWriter, r *http.Request) {
	handle, ok := strings.CutSuffix(r.PathValue("file"), ".svg")
	m := s.member(handle)
	if !ok || m == nil {
		http.NotFound(w, r)
		return
	}
	first, last, _ := strings.Cut(m.Name, " ")
	hue := drawing(handle).IntN(360)
	writeSVG(w, fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 80"><rect width="80" height="80" fill="hsl(%d 45%% 42%%)"/>`+
		`<text x="40" y="51" text-anchor="middle" font-family="sans-serif" font-size="30" fill="#fff">%s%s</text></svg>`, hue, first[:1], last[:1]))
}

func writeSVG(w http.ResponseWriter, svg string) {
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	_, _ = w.Write([]byte(svg)) // the browser may be gone; nobody is left to tell
}

// drawing returns the random numbers that belong to a name.
func drawing(name string) *rand.Rand {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(name))                // a hash takes whatever it is given
	return rand.New(rand.NewPCG(sum.Sum64(), 11)) //nolint:gosec // a picture, not a secret
}

func landscape(name string) string {
	draw := drawing(name)
	hue := draw.IntN(360)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 600"><defs><linearGradient id="sky" x2="0" y2="1">`+
		`<stop stop-color="hsl(%d 62%% 72%%)"/><stop offset="1" stop-color="hsl(%d 70%% 90%%)"/></linearGradient></defs><rect width="600" height="600" fill="url(#sky)"/>`,
		hue, (hue+50)%360)
	fmt.Fprintf(&b, `<circle cx="%d" cy="%d" r="%d" fill="hsl(%d 90%% 93%%)"/>`, 90+draw.IntN(420), 90+draw.IntN(160), 34+draw.IntN(44), (hue+40)%360)
	for layer := range 4 {
		top := 270 + 80*layer
		fmt.Fprintf(&b, `<path fill="hsl(%d 38%% %d%%)" d="M0 600V%d`, (hue+200+12*layer)%360, 58-13*layer, top+draw.IntN(60))
		for x := 100; x <= 600; x += 100 {
			fmt.Fprintf(&b, `Q%d %d %d %d`, x-50, top-60+draw.IntN(120), x, top+draw.IntN(60))
		}
		b.WriteString(`V600z"/>`)
	}
	b.WriteString(`</svg>`)
	return b.String()
}
