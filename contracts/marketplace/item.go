package marketplace

import "integration.gateway/contracts"

// ItemChoice names the item to order or to put into the cart. When both
// fields are present, ASIN is used.
type ItemChoice struct {
	ASIN    string `json:"asin,omitempty" sensitive:"true" doc:"The marketplace's own item number. Wins over itemUrl when both are given." pattern:"^[A-Z0-9]{10}$" patternDescription:"ten capital letters or digits" example:"B0CX23V2ZK"`
	ItemURL string `json:"itemUrl,omitempty" sensitive:"true" doc:"Address of the item's page at the marketplace." format:"uri" pattern:"^https?://[^/]" patternDescription:"an http or https address" maxLength:"2048" example:"https://shop.example/dp/B0CX23V2ZK"`
}

// validate returns an error of kind Invalid when the choice names no item.
func (c ItemChoice) validate() error {
	if c.ASIN == "" && c.ItemURL == "" {
		return contracts.Errorf(contracts.Invalid, "provide asin or itemUrl")
	}
	return nil
}

// Item is a product as a list of the marketplace shows it.
type Item struct {
	ASIN      string           `json:"asin" doc:"The marketplace's own item number." example:"B0CX23V2ZK"`
	Title     string           `json:"title" doc:"Name of the product." example:"Ceramic pour-over coffee dripper, size 02"`
	ItemURL   string           `json:"itemUrl" doc:"Address of the item's page." format:"uri" example:"https://shop.example/dp/B0CX23V2ZK"`
	ImageURL  string           `json:"imageUrl,omitempty" doc:"Address of the item's picture." format:"uri" example:"https://shop.example/images/B0CX23V2ZK.png"`
	Price     *contracts.Money `json:"price,omitempty" doc:"Price of one; absent while the item is not for sale."`
	Available bool             `json:"available" doc:"Whether the item can be ordered now." example:"true"`
}
