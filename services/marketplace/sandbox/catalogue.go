package sandbox

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"slices"
	"strings"
	"unicode"
)

// Product is an item of the shop.
type Product struct {
	ASIN      string
	Title     string
	Cents     int // price of one, in US cents
	Available bool
	About     string
	Stars     string // average rating, such as "4.6"
	Ratings   int    // how many rated it
	Dept      *department

	shape shape
	words []string // of title and department, in lower case
}

// Price is what one costs.
func (p Product) Price() Money { return Money(p.Cents) }

// Related are other products of the same department.
func (p Product) Related(c *catalogue) []*Product {
	all := c.inDepartment(p.Dept.Slug)
	at := slices.IndexFunc(all, func(q *Product) bool { return q.ASIN == p.ASIN })
	var related []*Product
	for i := 1; len(related) < 5 && i < len(all); i++ {
		related = append(related, all[(at+2*i)%len(all)])
	}
	return related
}

// catalogue is the shop's assortment. It never changes.
type catalogue struct {
	products []*Product
	byASIN   map[string]*Product
}

// knownASINs are item numbers that documents and examples quote.
var knownASINs = map[string]string{
	"Ceramic pour-over coffee dripper, size 02": "B0CX23V2ZK",
}

// newCatalogue spreads the departments' lines out to products, always the
// same ones.
func newCatalogue() *catalogue {
	c := &catalogue{byASIN: map[string]*Product{}}
	for d := range departments {
		for _, l := range departments[d].lines {
			for v := range l.variants {
				c.add(newProduct(&departments[d], l, v))
			}
		}
	}
	return c
}

func newProduct(dept *department, l line, variant int) *Product {
	title := l.name + ", " + l.variants[variant]
	sum := sha256.Sum256([]byte(title))
	asin := knownASINs[title]
	if asin == "" {
		asin = "B0" + base32.StdEncoding.EncodeToString(sum[:])[:8]
	}
	return &Product{
		ASIN:      asin,
		Title:     title,
		Cents:     price(l.cents, variant),
		Available: sum[9]%16 != 0 || asin == knownASINs[title],
		About:     l.about,
		Stars:     "4." + string('1'+rune(sum[10]%9)),
		Ratings:   12 + int(sum[11])*int(sum[12])/7,
		Dept:      dept,
		shape:     l.shape,
		words:     wordsOf(title + " " + dept.Name),
	}
}

// price lets each variant cost about a quarter more than the one before it,
// and end in a nine.
func price(cents, variant int) int {
	cents = cents * (100 + 23*variant) / 100
	return cents - cents%10 + 9
}

func (c *catalogue) add(p *Product) {
	c.products = append(c.products, p)
	c.byASIN[p.ASIN] = p
}

func (c *catalogue) inDepartment(slug string) []*Product {
	var found []*Product
	for _, p := range c.products {
		if p.Dept.Slug == slug {
			found = append(found, p)
		}
	}
	return found
}

// search finds the products in which each word of the query begins a word of
// the title or the department, the better match first. An empty query finds
// everything.
func (c *catalogue) search(query string, groceryOnly bool) []*Product {
	type hit struct {
		product *Product
		score   int
	}
	wanted := wordsOf(query)
	var hits []hit
	for _, p := range c.products {
		if groceryOnly && !p.Dept.Grocery {
			continue
		}
		if score, ok := p.score(wanted); ok {
			hits = append(hits, hit{p, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	found := make([]*Product, len(hits))
	for i, h := range hits {
		found[i] = h.product
	}
	return found
}

// score grows with whole words, and with words near the title's beginning.
func (p *Product) score(wanted []string) (score int, ok bool) {
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
			return 0, false
		}
		score += best
	}
	return score, true
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}
