package clinicrecords

import (
	"net/http"

	"integration.gateway/contracts"
)

// GetPriceList lists what a clinic charges for products.
var GetPriceList = contracts.Operation[GetPriceListRequest, PriceList]{
	Integration: integration,
	Name:        "get-price-list",
	Method:      http.MethodGet,
	Path:        "/v1/clinic-records/products/price-list",
	Summary:     "Get a clinic's price list",
	Description: "Lists what a clinic charges for its products, page by page. The answer is 404 when the application has no such clinic. A page past the end is empty.",
}

// GetPriceListRequest names the clinic and says which page to return.
type GetPriceListRequest struct {
	ClinicID int64 `query:"clinicId" json:"clinicId" required:"true" doc:"Clinic whose prices are returned." minimum:"1" example:"12"`
	contracts.Paging
}

// PriceList is a page of a clinic's prices.
type PriceList struct {
	ClinicID int64           `json:"clinicId" doc:"Clinic that charges these prices." example:"12"`
	Items    []PricedProduct `json:"items" nullable:"false" doc:"The page's rows."`
	Total    *int            `json:"total,omitempty" doc:"How many rows there are on all pages, where the application says it." minimum:"0" example:"1"`
}

// PricedProduct is a product with a clinic's price.
type PricedProduct struct {
	ProductID   int64            `json:"productId" doc:"The application's number of the product." example:"4410"`
	Name        string           `json:"name" doc:"Name of the product." example:"Hyaluronic filler 1 ml"`
	SKU         string           `json:"sku,omitempty" doc:"Stock keeping unit." example:"HA-1ML"`
	Category    string           `json:"category,omitempty" doc:"Product category." example:"Fillers"`
	Unit        string           `json:"unit,omitempty" doc:"What is sold at the price." example:"syringe"`
	Price       contracts.Money  `json:"price" doc:"Price of one unit, without tax unless taxIncluded."`
	MemberPrice *contracts.Money `json:"memberPrice,omitempty" doc:"Price of one unit for members."`
	TaxIncluded bool             `json:"taxIncluded,omitempty" doc:"Whether the prices include tax." example:"false"`
	Active      bool             `json:"active" doc:"Whether the product is sold now." example:"true"`
}
