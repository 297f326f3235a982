package agency

import (
	"net/http"

	"integration.gateway/contracts"
)

// GetInvoices lists the agency's invoices.
var GetInvoices = contracts.Operation[GetInvoicesRequest, InvoiceList]{
	Integration: integration,
	Name:        "get-invoices",
	Method:      http.MethodGet,
	Path:        "/v1/agency/invoices",
	Summary:     "List invoices",
	Description: "Lists the invoices that the application keeps for the agency.",
}

// GetInvoicesRequest has no fields.
type GetInvoicesRequest struct{}

// InvoiceList is all invoices of the agency.
type InvoiceList struct {
	Invoices []Invoice `json:"invoices" nullable:"false" doc:"The invoices, in the application's order."`
}

// InvoiceStatus says whether an invoice is paid.
type InvoiceStatus string

// The values of InvoiceStatus.
const (
	InvoiceDraft         InvoiceStatus = "draft"
	InvoiceOpen          InvoiceStatus = "open"
	InvoicePartiallyPaid InvoiceStatus = "partially-paid"
	InvoicePaid          InvoiceStatus = "paid"
	InvoiceOverdue       InvoiceStatus = "overdue"
	InvoiceVoid          InvoiceStatus = "void"
	InvoiceUnknown       InvoiceStatus = "unknown" // the application shows another status
)

// Invoice bills an insured for premiums and fees.
type Invoice struct {
	InvoiceID     string           `json:"invoiceId" doc:"The application's identifier of the invoice." example:"INV-77120"`
	InvoiceNumber string           `json:"invoiceNumber,omitempty" doc:"Number printed on the invoice." example:"2026-0771"`
	Status        InvoiceStatus    `json:"status" enum:"draft,open,partially-paid,paid,overdue,void,unknown" doc:"Whether the invoice is paid." example:"open"`
	InsuredName   string           `json:"insuredName,omitempty" sensitive:"true" doc:"Who is billed." example:"Hillcrest Bakery LLC"`
	PolicyNumber  string           `json:"policyNumber,omitempty" sensitive:"true" doc:"Policy that is billed." example:"BOP-4471902"`
	Carrier       string           `json:"carrier,omitempty" sensitive:"true" doc:"Insurance company." example:"Great Plains Mutual"`
	InvoiceDate   string           `json:"invoiceDate,omitempty" doc:"Day of the invoice." format:"date" example:"2026-11-01"`
	DueDate       string           `json:"dueDate,omitempty" doc:"Last day to pay." format:"date" example:"2026-12-01"`
	PaidDate      string           `json:"paidDate,omitempty" doc:"Day on which it was paid in full." format:"date" example:"2026-11-20"`
	Total         contracts.Money  `json:"total" sensitive:"true" doc:"Amount of the invoice."`
	AmountPaid    *contracts.Money `json:"amountPaid,omitempty" sensitive:"true" doc:"What was paid so far."`
	BalanceDue    *contracts.Money `json:"balanceDue,omitempty" sensitive:"true" doc:"What remains to be paid."`
	Lines         []InvoiceLine    `json:"lines,omitempty" nullable:"false" sensitive:"true" doc:"What is billed."`
	DocumentURL   string           `json:"documentUrl,omitempty" sensitive:"true" doc:"Address of the invoice's document; it needs a signed-in browser." format:"uri" example:"https://agency.example/invoices/INV-77120.pdf"`
}

// InvoiceLine is one thing that is billed.
type InvoiceLine struct {
	Description string          `json:"description" doc:"What is billed." example:"Annual premium"`
	Amount      contracts.Money `json:"amount" doc:"Amount of the line."`
}
