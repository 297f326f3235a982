package sandbox

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// perPage is how many products a page of results shows.
const perPage = 20

// maxQuery bounds the words that can be looked for, in bytes.
const maxQuery = 2000

func (s *Shop) home(w http.ResponseWriter, r *http.Request) {
	var featured []*Product
	for i, d := range departments {
		all := s.catalogue.inDepartment(d.Slug)
		featured = append(featured, all[(3*i)%len(all)])
	}
	featured = append(featured, s.catalogue.byASIN[knownASINs["Ceramic pour-over coffee dripper, size 02"]])
	s.show(w, http.StatusOK, "home", s.newPage(w, r, "Good things, well made", featured))
}

// results is one page of a list of products.
type results struct {
	Heading  string
	Products []*Product
	Total    int
	First    int // number of the first product shown, from 1
	Last     int
	Page     int
	Pages    int
	address  url.URL
}

// Numbers are the pages to choose from.
func (p results) Numbers() []int {
	numbers := make([]int, p.Pages)
	for i := range numbers {
		numbers[i] = i + 1
	}
	return numbers
}

// Address is where another page of the same list is found.
func (p results) Address(number int) string {
	query := p.address.Query()
	query.Set("page", strconv.Itoa(number))
	return p.address.Path + "?" + query.Encode()
}

// Next and Previous are the neighbouring pages.
func (p results) Next() int     { return p.Page + 1 }
func (p results) Previous() int { return p.Page - 1 }

func (s *Shop) search(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	words := strings.TrimSpace(query.Get("q"))
	store := query.Get("store")
	if len(words) > maxQuery || !utf8.ValidString(words) {
		s.message(w, r, http.StatusBadRequest, "Search", "We cannot search for that. Try fewer words.")
		return
	}
	if !slices.Contains([]string{"", "all", "grocery"}, store) {
		s.message(w, r, http.StatusBadRequest, "Search", "There is no such store.")
		return
	}
	s.list(w, r, s.catalogue.search(words, store == "grocery"), func(p *page) {
		p.Query, p.Grocery = words, store == "grocery"
		if words != "" {
			p.Title = words
		}
	})
}

func (s *Shop) department(w http.ResponseWriter, r *http.Request) {
	slug := r.PathValue("slug")
	at := slices.IndexFunc(departments, func(d department) bool { return d.Slug == slug })
	if at < 0 {
		s.notFound(w, r)
		return
	}
	s.list(w, r, s.catalogue.inDepartment(slug), func(p *page) {
		p.Title, p.Department = departments[at].Name, slug
	})
}

// list shows the page of the products that the request asks for.
func (s *Shop) list(w http.ResponseWriter, r *http.Request, all []*Product, frame func(*page)) {
	pages := max(1, (len(all)+perPage-1)/perPage)
	number := 1
	if text := r.URL.Query().Get("page"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > pages {
			s.message(w, r, http.StatusNotFound, "Page not found", "There are not that many pages of results.")
			return
		}
		number = n
	}
	first := (number - 1) * perPage
	last := min(first+perPage, len(all))
	p := s.newPage(w, r, "Everything we have", nil)
	frame(p)
	p.Content = results{
		Products: all[first:last],
		Total:    len(all),
		First:    first + 1,
		Last:     last,
		Page:     number,
		Pages:    pages,
		address:  *r.URL,
	}
	s.show(w, http.StatusOK, "results", p)
}

// details is what the page of a product shows.
type details struct {
	*Product
	Related      []*Product
	LastPurchase *purchase // nil when the user never bought it
	Obstacle     string    // why the user cannot buy it with one click, or ""
	Refusal      string    // why the order that was just sent was refused, or ""
	InCart       int       // how many of it are in the cart
	Delivery     string
}

func (s *Shop) product(w http.ResponseWriter, r *http.Request) {
	s.showProduct(w, r, r.PathValue("asin"), "")
}

func (s *Shop) showProduct(w http.ResponseWriter, r *http.Request, asin, refusal string) {
	product := s.catalogue.byASIN[asin]
	if product == nil {
		s.message(w, r, http.StatusNotFound, "Product not found", "We could not find a product with this number. It may have left our shelves.")
		return
	}
	content := details{Product: product, Related: product.Related(s.catalogue), Refusal: refusal}
	days := deliveryDays
	if product.Dept.Grocery {
		days = groceryDeliveries
	}
	content.Delivery = s.now().UTC().AddDate(0, 0, days).Format("Monday, January 2")
	p := s.newPage(w, r, product.Title, nil)
	if p.Account != nil {
		content.Obstacle = p.Account.obstacle()
		for _, bought := range s.purchases(p.Account.Email) {
			if bought.Product == product {
				content.LastPurchase = bought
			}
		}
	}
	for _, l := range s.cart(owner(p.session)) {
		if l.ASIN == product.ASIN {
			content.InCart = l.Quantity
		}
	}
	p.Content, p.Department = content, product.Dept.Slug
	status := http.StatusOK
	if refusal != "" {
		status = http.StatusConflict
	}
	s.show(w, status, "product", p)
}

// image draws a product's picture.
func (s *Shop) image(w http.ResponseWriter, r *http.Request) {
	asin, isSVG := strings.CutSuffix(r.PathValue("file"), ".svg")
	product := s.catalogue.byASIN[asin]
	if product == nil || !isSVG {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	_, _ = w.Write([]byte(picture(*product))) // the browser may be gone; nobody is left to tell
}
