package sandbox

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"strings"
)

// shape is the drawing of a kind of product: SVG in a 120 by 120 box, drawn
// with the classes a (body) and b (detail).
type shape string

// The drawings.
const (
	sheets  shape = `<path class="a" d="M34 24h46l14 14v60H34z"/><path class="b" d="M44 50h40v5H44zM44 62h40v5H44zM44 74h26v5H44z"/>`
	roll    shape = `<ellipse class="b" cx="44" cy="60" rx="14" ry="34"/><path class="a" d="M44 26h34c20 0 20 68 0 68H44c20-4 20-64 0-68z"/>`
	box     shape = `<path class="a" d="m60 22 38 18v42L60 100 22 82V40z"/><path class="b" d="m60 58 38-18v6L60 64 22 46v-6z"/>`
	bottle  shape = `<path class="a" d="M48 42h24c10 6 12 12 12 20v36H36V62c0-8 2-14 12-20z"/><path class="b" d="M50 22h20v18H50zM36 68h48v16H36z"/>`
	tool    shape = `<path class="a" d="m28 92 46-46 14 14-46 46z"/><path class="b" d="M72 28a20 20 0 0 1 24 24L84 40z"/>`
	printer shape = `<rect class="a" x="22" y="48" width="76" height="34" rx="6"/><path class="b" d="M36 26h48v22H36zM34 72h52v26H34z"/>`
	desk    shape = `<path class="a" d="M18 44h84v12H18z"/><path class="b" d="M26 56h8v42h-8zM86 56h8v42h-8zM52 56h30v16H52z"/>`
	cable   shape = `<path class="n" d="M30 34c50-20 70 16 36 34s-20 40 26 24"/><rect class="a" x="18" y="28" width="18" height="12"/><rect class="a" x="88" y="86" width="18" height="12"/>`
)

// image draws a product, in a colour of its own.
func (s *Site) image(w http.ResponseWriter, r *http.Request) {
	p := s.catalogue.byASIN[strings.TrimSuffix(r.PathValue("file"), ".svg")]
	if p == nil {
		http.NotFound(w, r)
		return
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(p.ASIN)) // a hash takes whatever it is given
	hue := sum.Sum32() % 360
	w.Header().Set("Content-Type", "image/svg+xml")
	_, _ = fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 120"><style>.a{fill:hsl(%[1]d 32%% 62%%)}.b{fill:hsl(%[1]d 38%% 38%%)}.n{fill:none;stroke:hsl(%[1]d 38%% 38%%);stroke-width:6}</style><rect width="120" height="120" fill="hsl(%[1]d 30%% 96%%)"/>%[2]s</svg>`, hue, p.shape)
}
