package marketplacebusiness

import "integration.gateway/contracts"

// Item is a product as a list of the marketplace shows it to a business.
type Item struct {
	ASIN            string           `json:"asin" doc:"The marketplace's own item number." example:"B09H3R7QZ1"`
	Title           string           `json:"title" doc:"Name of the product." example:"Copy paper A4, 80 g, 5 reams"`
	ItemURL         string           `json:"itemUrl" doc:"Address of the item's page." format:"uri" example:"https://business-shop.example/dp/B09H3R7QZ1"`
	ImageURL        string           `json:"imageUrl,omitempty" doc:"Address of the item's picture." format:"uri" example:"https://business-shop.example/images/B09H3R7QZ1.png"`
	Price           *contracts.Money `json:"price,omitempty" doc:"Price of one for the business; absent while the item is not for sale."`
	ListPrice       *contracts.Money `json:"listPrice,omitempty" doc:"Price of one without the business discount."`
	Seller          string           `json:"seller,omitempty" doc:"Who sells the item." example:"Paper Depot"`
	MinimumQuantity int              `json:"minimumQuantity,omitempty" doc:"The fewest that can be ordered." minimum:"1" example:"1"`
	Available       bool             `json:"available" doc:"Whether the item can be ordered now." example:"true"`
}

// Order is a placed order.
type Order struct {
	OrderID             string          `json:"orderId" doc:"The marketplace's order number." example:"114-9902177-3315402"`
	Total               contracts.Money `json:"total" sensitive:"true" doc:"What the order costs in all."`
	Items               []OrderLine     `json:"items" nullable:"false" sensitive:"true" doc:"What was ordered."`
	DeliveryAddress     string          `json:"deliveryAddress,omitempty" sensitive:"true" doc:"Address that the order goes to, on one line." example:"Hillcrest Bakery, 40 Mill Road, Springfield, IL 62704"`
	PaymentMethod       string          `json:"paymentMethod,omitempty" sensitive:"true" doc:"Payment method as the marketplace shows it." example:"Visa ending in 4242"`
	PurchaseOrderNumber string          `json:"purchaseOrderNumber,omitempty" sensitive:"true" doc:"The organisation's own number of the order." example:"PO-2231"`
	AwaitingApproval    bool            `json:"awaitingApproval,omitempty" doc:"Whether an approver of the organisation must release the order first." example:"false"`
	DeliveryEstimate    string          `json:"deliveryEstimate,omitempty" doc:"Expected day of delivery." format:"date" example:"2026-11-26"`
}

// OrderLine is an item of an order.
type OrderLine struct {
	ASIN     string           `json:"asin" doc:"The marketplace's own item number." example:"B09H3R7QZ1"`
	Title    string           `json:"title" doc:"Name of the product." example:"Copy paper A4, 80 g, 5 reams"`
	Quantity int              `json:"quantity" doc:"How many were ordered." minimum:"1" example:"2"`
	Price    *contracts.Money `json:"price,omitempty" doc:"Price of one."`
}
