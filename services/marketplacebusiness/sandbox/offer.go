package sandbox

import (
	"fmt"
	"regexp"
)

// offer is what the shop offers of a product for a place of delivery, as its
// pages show it.
type offer struct {
	ASIN      string `json:"asin"`
	Title     string `json:"title"`
	URL       string `json:"url"`
	Image     string `json:"image"`
	Seller    string `json:"seller"`
	Minimum   int    `json:"minimum"`
	Price     string `json:"price"` // for the business; "" while it cannot be had
	ListPrice string `json:"listPrice"`
	Obstacle  string `json:"obstacle"` // why it cannot be had there, or ""
	Note      string `json:"note"`     // a line below the price, or ""

	cents Money
}

// zipCode is how the postal codes of the country look.
var zipCode = regexp.MustCompile(`^[0-9]{5}(-[0-9]{4})?$`)

// Why something cannot be had, in the words that the customer reads.
const (
	soldOut      = "Currently out of stock."
	notDelivered = "This item cannot be delivered to %s."
)

// offer returns the product's price and availability for a postal code.
func (p *product) offer(zip string) offer {
	price := p.ListPrice * Money(100-p.discount) / 100
	price += price * Money(freight(zip)) / 100
	o := offer{
		ASIN: p.ASIN, Title: p.Title, URL: "/dp/" + p.ASIN, Image: "/images/" + p.ASIN + ".svg",
		Seller: p.Seller, Minimum: p.Minimum, ListPrice: p.ListPrice.String(), cents: price,
	}
	switch {
	case p.soldOut:
		o.Obstacle = soldOut
	case p.hazardous && overseas(zip), p.eastOnly && west(zip):
		o.Obstacle = fmt.Sprintf(notDelivered, zip)
	default:
		o.Price = price.String()
	}
	return o
}

// refusal is why so many of a product cannot be delivered to a postal code, or
// "".
func (p *product) refusal(quantity int, zip string) string {
	if obstacle := p.offer(zip).Obstacle; obstacle != "" {
		return p.Title + ": " + obstacle
	}
	if quantity < p.Minimum {
		return fmt.Sprintf("%s is sold in quantities of %d or more.", p.Title, p.Minimum)
	}
	return ""
}

// freight is what a delivery to a postal code adds to prices, in per cent.
func freight(zip string) int {
	switch {
	case overseas(zip):
		return 12
	case west(zip):
		return 4
	case zip[0] <= '3':
		return 2
	default:
		return 0
	}
}

// overseas is Alaska and Hawaii, where goods go by air.
func overseas(zip string) bool {
	return zip >= "995" || zip >= "967" && zip < "969"
}

func west(zip string) bool { return zip >= "8" }
