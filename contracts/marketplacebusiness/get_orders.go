package marketplacebusiness

import (
	"net/http"

	"integration.gateway/contracts"
)

// GetOrders lists the organisation's orders.
var GetOrders = contracts.Operation[GetOrdersRequest, OrderList]{
	Integration: integration,
	Name:        "get-orders",
	Method:      http.MethodGet,
	Path:        "/v1/marketplace-business/orders",
	Summary:     "List orders",
	Description: "Lists the orders of a span of time, newest first.",
}

// Timespan says how far back orders are listed.
type Timespan string

// The values of Timespan.
const (
	Last30Days   Timespan = "last-30-days"
	Past3Months  Timespan = "past-3-months"
	Past6Months  Timespan = "past-6-months"
	Past12Months Timespan = "past-12-months"
	AllTime      Timespan = "all"
)

// GetOrdersRequest says which orders to list.
type GetOrdersRequest struct {
	Timespan   Timespan `query:"timespan" json:"timespan,omitempty" enum:"last-30-days,past-3-months,past-6-months,past-12-months,all" default:"last-30-days" doc:"How far back to list, counted to today." example:"past-3-months"`
	Limit      int      `query:"limit" json:"limit,omitempty" doc:"The most orders to return. All of the span when left out, up to 500." minimum:"1" maximum:"500" example:"25"`
	StartIndex int      `query:"startIndex" json:"startIndex,omitempty" default:"0" doc:"How many of the newest orders to skip." minimum:"0" maximum:"1000000" example:"0"`
}

// OrderList is a part of the organisation's orders.
type OrderList struct {
	Orders []PastOrder `json:"orders" nullable:"false" doc:"The orders, newest first; empty when there are none."`
	Total  *int        `json:"total,omitempty" doc:"How many orders the span has in all, where the marketplace says it." minimum:"0" example:"1"`
}

// OrderStatus says how far an order has come.
type OrderStatus string

// The values of OrderStatus.
const (
	PendingApproval OrderStatus = "pending-approval"
	Processing      OrderStatus = "processing"
	Shipped         OrderStatus = "shipped"
	Delivered       OrderStatus = "delivered"
	Cancelled       OrderStatus = "cancelled"
	Returned        OrderStatus = "returned"
	UnknownStatus   OrderStatus = "unknown" // the marketplace shows another status
)

// PastOrder is an order as the list of orders shows it.
type PastOrder struct {
	OrderID             string          `json:"orderId" doc:"The marketplace's order number." example:"114-9902177-3315402"`
	OrderDate           string          `json:"orderDate" doc:"Day on which the order was placed." format:"date" example:"2026-11-18"`
	Status              OrderStatus     `json:"status" enum:"pending-approval,processing,shipped,delivered,cancelled,returned,unknown" doc:"How far the order has come." example:"shipped"`
	Total               contracts.Money `json:"total" sensitive:"true" doc:"What the order costs in all."`
	Items               []OrderLine     `json:"items" nullable:"false" sensitive:"true" doc:"What was ordered."`
	BuyerName           string          `json:"buyerName,omitempty" sensitive:"true" doc:"Who ordered." example:"Jane Roe"`
	RecipientName       string          `json:"recipientName,omitempty" sensitive:"true" doc:"Who the order goes to." example:"Hillcrest Bakery"`
	PurchaseOrderNumber string          `json:"purchaseOrderNumber,omitempty" sensitive:"true" doc:"The organisation's own number of the order." example:"PO-2231"`
	DeliveryDate        string          `json:"deliveryDate,omitempty" doc:"Day of delivery, expected or past." format:"date" example:"2026-11-20"`
	TrackingNumber      string          `json:"trackingNumber,omitempty" sensitive:"true" doc:"The carrier's number of the parcel." example:"TBA305512209871"`
	InvoiceURL          string          `json:"invoiceUrl,omitempty" sensitive:"true" doc:"Address of the invoice; it needs a signed-in browser." format:"uri" example:"https://business-shop.example/invoices/114-9902177-3315402"`
}
