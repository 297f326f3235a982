package sandbox

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/brianvoe/gofakeit/v7"
)

// Product is what the business sells or uses up in treatments.
type Product struct {
	ID          int64  `json:"id"`
	Name        string `json:"name"`
	SKU         string `json:"sku"`
	Barcode     string `json:"barcode"`
	Brand       string `json:"brand"`
	Category    string `json:"category"`
	Description string `json:"description"`
	Unit        string `json:"unit"`
	Price       string `json:"price"`
	Cost        string `json:"cost"`
	Taxable     bool   `json:"taxable"`
	Retail      bool   `json:"retail"`
	OnHand      int    `json:"onHand"` // at all clinics
	Reorder     int    `json:"reorderAt"`
	Supplier    string `json:"supplier"`
	Active      bool   `json:"active"`
}

// StockRow is a lot of a product at a clinic.
type StockRow struct {
	Product  int64  `json:"product"`
	Name     string `json:"name"`
	SKU      string `json:"sku"`
	Category string `json:"category"`
	Clinic   int64  `json:"clinic"`
	OnHand   int    `json:"onHand"`
	Unit     string `json:"unit"`
	Reorder  int    `json:"reorderAt"`
	Lot      string `json:"lot"`
	Expires  string `json:"expires"` // as 2006-01-02
	Cost     string `json:"cost"`
}

// PriceRow is what a clinic charges for a product.
type PriceRow struct {
	Product  int64  `json:"product"`
	Name     string `json:"name"`
	SKU      string `json:"sku"`
	Category string `json:"category"`
	Unit     string `json:"unit"`
	Price    string `json:"price"`
	Member   string `json:"memberPrice,omitempty"`
	Taxed    bool   `json:"taxIncluded"`
	Sold     bool   `json:"sold"`
}

// The products that the site opens with. Each has lots at every clinic, which
// makes 10,000 rows of stock.
const (
	productsAtStart = 800
	FirstProduct    = 4001
	stockRows       = 10_000
)

func newProducts() []Product {
	fake := gofakeit.New(4001)
	kinds := []struct {
		category, noun, unit string
		cents                int
		retail               bool
	}{
		{"Fillers", "hyaluronic filler", "syringe", 38_000, false},
		{"Relaxers", "wrinkle relaxer", "vial", 42_000, false},
		{"Skin care", "cream", "jar", 5400, true},
		{"Skin care", "serum", "bottle", 7800, true},
		{"Sun care", "sunscreen", "tube", 3200, true},
		{"Peels", "peel solution", "bottle", 9900, false},
		{"Supplies", "cannula set", "box", 4600, false},
		{"Wellness", "vitamin infusion", "bag", 6500, false},
	}
	makers := []string{"Dermalis", "Ostrea", "Halcyon Labs", "Belle Rive", "Norden Skin"}
	products := make([]Product, productsAtStart)
	for i := range products {
		kind := kinds[i%len(kinds)]
		maker, color := fake.RandomString(makers), fake.SafeColor()
		cents := kind.cents + 100*fake.IntRange(-20, 60)
		line := strings.ToUpper(color[:1]) + color[1:]
		products[i] = Product{
			ID: int64(FirstProduct + i), Name: fmt.Sprintf("%s %s %s no. %d", maker, line, kind.noun, 1+i/len(kinds)),
			SKU: fmt.Sprintf("%s-%04d", strings.ToUpper(kind.category[:2]), i+1), Barcode: fmt.Sprintf("0812%09d", 345_678+i*37), Brand: maker,
			Category: kind.category, Description: "A " + kind.unit + " of " + kind.noun + " by " + maker + ".", Unit: kind.unit,
			Price: dollars(cents), Cost: dollars(cents * 6 / 10), Taxable: kind.retail, Retail: kind.retail, Reorder: 5 * fake.IntRange(1, 6),
			Supplier: fake.RandomString([]string{"MedSupply Midwest", "Rocky Mountain Aesthetics Supply", "Harbor Medical"}), Active: i%29 != 28,
		}
	}
	return products
}

// newStock spreads lots of the products over the clinics, and counts how much
// there is of each.
func (s *Site) newStock() []StockRow {
	fake := gofakeit.New(10_000)
	today := s.today(time.UTC)
	stock := make([]StockRow, stockRows)
	for i := range stock {
		p := &s.products[i%len(s.products)]
		clinic := s.clinics[i/len(s.products)%len(s.clinics)]
		row := StockRow{
			Product: p.ID, Name: p.Name, SKU: p.SKU, Category: p.Category, Clinic: clinic.ID, OnHand: fake.IntRange(0, 40), Unit: p.Unit, Reorder: p.Reorder,
			Lot: fmt.Sprintf("L%02d-%05d", today.Year()%100, i+1), Expires: today.AddDate(0, fake.IntRange(-1, 30), fake.IntRange(0, 27)).Format(time.DateOnly), Cost: p.Cost,
		}
		if i%997 == 996 {
			row.OnHand = -fake.IntRange(1, 3) // more was booked out than in
		}
		p.OnHand += row.OnHand
		stock[i] = row
	}
	return stock
}

func (s *Site) newPrices() map[int64][]PriceRow {
	prices := map[int64][]PriceRow{}
	for i, clinic := range s.clinics {
		for n, p := range s.products {
			var cents, fraction int
			_, _ = fmt.Sscanf(p.Price, "%d.%d", &cents, &fraction) // Price is written by dollars
			cents = (cents*100 + fraction) * (100 + 4*i) / 100
			row := PriceRow{Product: p.ID, Name: p.Name, SKU: p.SKU, Category: p.Category, Unit: p.Unit, Price: dollars(cents), Sold: p.Active}
			row.Taxed = clinic.ID == Foothills
			if n%3 == 0 {
				row.Member = dollars(cents * 9 / 10)
			}
			prices[clinic.ID] = append(prices[clinic.ID], row)
		}
	}
	return prices
}

// Products returns the products, in the site's order.
func (s *Site) Products() []Product { return s.products }

// Stock returns the rows of the stock, in the site's order.
func (s *Site) Stock() []StockRow { return s.stock }

// Prices returns what a clinic charges, in the site's order.
func (s *Site) Prices(clinic int64) []PriceRow { return s.prices[clinic] }

func (s *Site) getInventory(r *http.Request) (any, *refusal) { return paged(r, s.stock) }

func (s *Site) getPrices(r *http.Request) (any, *refusal) {
	clinic, no := s.clinic(number(r.URL.Query().Get("clinic")))
	if no != nil {
		return nil, no
	}
	return paged(r, s.prices[clinic.ID])
}

func (s *Site) getProduct(r *http.Request) (any, *refusal) {
	id := number(r.PathValue("id"))
	if i := id - FirstProduct; i >= 0 && i < int64(len(s.products)) {
		return s.products[i], nil
	}
	return nil, notFound("product", id)
}
