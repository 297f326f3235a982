package clinicrecords

import (
	"net/http"

	"integration.gateway/contracts"
)

// GetProduct reads one product.
var GetProduct = contracts.Operation[GetProductRequest, Product]{
	Integration: integration,
	Name:        "get-product",
	Method:      http.MethodGet,
	Path:        "/v1/clinic-records/products/{productId}",
	Summary:     "Get a product",
	Description: "Returns one product. The answer is 404 when the application has no such product.",
}

// GetProductRequest names the product.
type GetProductRequest struct {
	ProductID int64 `path:"productId" json:"productId" doc:"The application's number of the product." minimum:"1" example:"4410"`
}

// Product is what the business sells or uses up in treatments.
type Product struct {
	ProductID      int64            `json:"productId" doc:"The application's number of the product." example:"4410"`
	Name           string           `json:"name" doc:"Name of the product." example:"Hyaluronic filler 1 ml"`
	SKU            string           `json:"sku,omitempty" doc:"Stock keeping unit." example:"HA-1ML"`
	Barcode        string           `json:"barcode,omitempty" doc:"GTIN or another code on the package." example:"0812345678901"`
	Brand          string           `json:"brand,omitempty" doc:"Brand or manufacturer." example:"Dermalis"`
	Category       string           `json:"category,omitempty" doc:"Product category." example:"Fillers"`
	Description    string           `json:"description,omitempty" doc:"What the product is." example:"Cross-linked hyaluronic acid gel, prefilled syringe."`
	Unit           string           `json:"unit,omitempty" doc:"What a unit is." example:"syringe"`
	Price          *contracts.Money `json:"price,omitempty" doc:"Price of one unit."`
	UnitCost       *contracts.Money `json:"unitCost,omitempty" doc:"What one unit cost the business."`
	Taxable        bool             `json:"taxable,omitempty" doc:"Whether sales tax is charged." example:"true"`
	ForRetail      bool             `json:"forRetail,omitempty" doc:"Whether clients can buy it, rather than being treated with it only." example:"false"`
	QuantityOnHand *float64         `json:"quantityOnHand,omitempty" doc:"How much there is at all clinics, in units." example:"14"`
	ReorderLevel   *float64         `json:"reorderLevel,omitempty" doc:"At or below this quantity the product is to be ordered again." example:"5"`
	SupplierName   string           `json:"supplierName,omitempty" doc:"Who supplies the product." example:"MedSupply Midwest"`
	Active         bool             `json:"active" doc:"Whether the product is in use now." example:"true"`
}
