package clinicrecords

import (
	"net/http"

	"integration.gateway/contracts"
)

// GetProductInventory lists what the business has in stock.
var GetProductInventory = contracts.Operation[GetProductInventoryRequest, ProductInventory]{
	Integration: integration,
	Name:        "get-product-inventory",
	Method:      http.MethodGet,
	Path:        "/v1/clinic-records/products/inventory",
	Summary:     "List the product inventory",
	Description: "Lists what the business has in stock, page by page: one row for each product, clinic and lot as the application keeps them. A page past the end is empty.",
}

// GetProductInventoryRequest says which page to return.
type GetProductInventoryRequest struct {
	contracts.Paging
}

// ProductInventory is a page of the stock.
type ProductInventory struct {
	Items []StockItem `json:"items" nullable:"false" doc:"The page's rows."`
	Total *int        `json:"total,omitempty" doc:"How many rows there are on all pages, where the application says it." minimum:"0" example:"1"`
}

// StockItem is a product in stock at a clinic.
type StockItem struct {
	ProductID      int64            `json:"productId" doc:"The application's number of the product." example:"4410"`
	Name           string           `json:"name" doc:"Name of the product." example:"Hyaluronic filler 1 ml"`
	SKU            string           `json:"sku,omitempty" doc:"Stock keeping unit." example:"HA-1ML"`
	Category       string           `json:"category,omitempty" doc:"Product category." example:"Fillers"`
	ClinicID       int64            `json:"clinicId,omitempty" doc:"Clinic that holds the stock; absent where the application keeps one stock for all." example:"12"`
	QuantityOnHand float64          `json:"quantityOnHand" doc:"How much there is, in units; negative when more was booked out than in." example:"14"`
	Unit           string           `json:"unit,omitempty" doc:"What a unit is." example:"syringe"`
	ReorderLevel   *float64         `json:"reorderLevel,omitempty" doc:"At or below this quantity the product is to be ordered again." example:"5"`
	LotNumber      string           `json:"lotNumber,omitempty" doc:"Manufacturer's lot." example:"L24-0871"`
	ExpirationDate string           `json:"expirationDate,omitempty" doc:"Last day of use." format:"date" example:"2027-08-31"`
	UnitCost       *contracts.Money `json:"unitCost,omitempty" doc:"What one unit cost the business."`
}
