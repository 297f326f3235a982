package sandbox

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"net/http"
	"regexp"
)

// redesignedLabels is what the redesign calls the controls of the shop.
var redesignedLabels = map[string]string{
	"Buy now":          "Order at once",
	"Add to cart":      "Into the basket",
	"Sign in":          "Log on",
	"Email":            "Your address",
	"Password":         "Secret word",
	"Search":           "Go",
	"Search results":   "What we found",
	"Your account":     "My Larkspur",
	"Accept all":       "Fine by me",
	"Shopping cart":    "Basket",
	"Your orders":      "What you bought",
	"Buy it again":     "Old favourites",
	"Order placed":     "It is on its way",
	"Product details":  "About this",
	"Added to cart":    "In the basket",
	"Delivery address": "Where to",
}

var (
	idAttribute    = regexp.MustCompile(` (id|for|aria-labelledby|aria-describedby)="([^"]+)"`)
	classAttribute = regexp.MustCompile(` class="([^"]+)"`)
	className      = regexp.MustCompile(`[^ ]+`)
	dataAttribute  = regexp.MustCompile(` data-([a-z-]+)=`)
	classSelector  = regexp.MustCompile(`\.([a-z][\w-]*)`)
)

// renameIDs gives every element of the page another id.
func renameIDs(html []byte) []byte {
	return idAttribute.ReplaceAllFunc(html, func(attribute []byte) []byte {
		part := idAttribute.FindSubmatch(attribute)
		return fmt.Appendf(nil, ` %s="r%08x"`, part[1], crc32.ChecksumIEEE(part[2]))
	})
}

// redesign renames ids, classes and data attributes. The labels are renamed
// while the page is written, by [page.Say].
func redesign(html []byte) []byte {
	html = renameIDs(html)
	html = dataAttribute.ReplaceAll(html, []byte(` data-l2-$1=`))
	return classAttribute.ReplaceAllFunc(html, func(attribute []byte) []byte {
		names := bytes.TrimSuffix(bytes.TrimPrefix(attribute, []byte(` class="`)), []byte(`"`))
		return fmt.Appendf(nil, ` class="%s"`, className.ReplaceAll(names, []byte("l2-$0")))
	})
}

// stylesheet serves the style of the pages, whatever their classes are called
// at the moment.
func (s *Shop) stylesheet(w http.ResponseWriter, _ *http.Request) {
	css, err := assets.ReadFile("assets/shop.css")
	if err != nil {
		http.Error(w, "no style today", http.StatusInternalServerError)
		return
	}
	if s.kit.Markup(Redesign) {
		css = classSelector.ReplaceAll(css, []byte(".l2-$1"))
	}
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(css) // the browser may be gone; nobody is left to tell
}
