package sandbox

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"slices"
	"strings"
	"unicode"
)

// product is an item of the shop, the same for everybody. What it costs, and
// whether it can be had, depends on the place of delivery: see offer.
type product struct {
	ASIN      string
	Title     string
	Seller    string
	Minimum   int   // the fewest that can be ordered
	ListPrice Money // of one, without the business discount
	Dept      *department

	discount  int // per cent
	soldOut   bool
	hazardous bool
	eastOnly  bool // is not stocked for the western states
	shape     shape
	words     []string // of title, department and seller, in lower case
}

// catalogue is the shop's assortment. It never changes.
type catalogue struct {
	products []*product
	byASIN   map[string]*product
	byTitle  map[string]*product
}

// known are item numbers that documents and examples quote; what they name can
// always be had.
var known = map[string]string{
	"Copy paper A4, 80 g, 5 reams": "B09H3R7QZ1",
}

// newCatalogue spreads the departments' lines out to products, always the same
// ones.
func newCatalogue() *catalogue {
	c := &catalogue{byASIN: map[string]*product{}, byTitle: map[string]*product{}}
	for d := range departments {
		for _, l := range departments[d].lines {
			for v := range l.variants.names {
				p := newProduct(&departments[d], l, v)
				c.products = append(c.products, p)
				c.byASIN[p.ASIN], c.byTitle[p.Title] = p, p
			}
		}
	}
	return c
}

// newProduct makes a variant of a line.
func newProduct(dept *department, l line, variant int) *product {
	title := l.name + ", " + l.variants.names[variant]
	sum := sha256.Sum256([]byte(title))
	p := &product{
		ASIN:      "B0" + base32.StdEncoding.EncodeToString(sum[:])[:8],
		Title:     title,
		Seller:    dept.sellers[int(sum[9])%len(dept.sellers)],
		Minimum:   1,
		ListPrice: l.variants.price(l.cents, variant),
		Dept:      dept,
		discount:  4 + int(sum[10])%14,
		soldOut:   sum[11]%18 == 0,
		hazardous: l.trait == hazardous,
		eastOnly:  sum[12]%14 == 0,
		shape:     l.shape,
	}
	if l.trait == bulk {
		p.Minimum = 5
	}
	if asin := known[title]; asin != "" {
		p.ASIN, p.soldOut, p.eastOnly = asin, false, false
	}
	p.words = wordsOf(title + " " + dept.Name + " " + p.Seller)
	return p
}

// ItemNumber returns the item number of a product by its title, or "".
func ItemNumber(title string) string {
	if p := newCatalogue().byTitle[title]; p != nil {
		return p.ASIN
	}
	return ""
}

// Offered lists the numbers of the items of which one can be ordered, wherever
// it goes.
func (s *Site) Offered() []string {
	var numbers []string
	for _, p := range s.catalogue.products {
		if p.Minimum == 1 && !p.soldOut && !p.hazardous && !p.eastOnly {
			numbers = append(numbers, p.ASIN)
		}
	}
	return numbers
}

// price is what a variant costs when the first one costs so much. It ends in a
// nine.
func (s series) price(cents, variant int) Money {
	for range variant {
		cents += cents * s.growth / 100
	}
	return Money(cents - cents%10 + 9)
}

// search finds the products in which each word of the query begins a word of
// the title, the department or the seller, the better match first.
func (c *catalogue) search(query string) []*product {
	type hit struct {
		product *product
		score   int
	}
	wanted := wordsOf(query)
	var hits []hit
	for _, p := range c.products {
		if score := p.score(wanted); score > 0 {
			hits = append(hits, hit{p, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	found := make([]*product, len(hits))
	for i, h := range hits {
		found[i] = h.product
	}
	return found
}

// score grows with whole words, and with words near the title's beginning. It
// is 0 where a word is not there, or none is wanted.
func (p *product) score(wanted []string) (score int) {
	for _, w := range wanted {
		best := 0
		for i, have := range p.words {
			switch {
			case have == w:
				best = max(best, 40-min(i, 20))
			case strings.HasPrefix(have, w):
				best = max(best, 20-min(i, 19))
			}
		}
		if best == 0 {
			return 0
		}
		score += best
	}
	return score
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}
