package sandbox

import (
	"net/http"
	"slices"
	"time"

	kit "integration.gateway/pkg/sandbox"
)

// Invoice bills an insured.
type Invoice struct {
	ID      string
	Number  string
	Status  string
	Insured string
	Policy  string // its number
	Carrier string
	Issued  time.Time
	Due     time.Time
	Settled time.Time // zero until it is paid in full
	Lines   []Line
	Paid    Cents
}

// Line is one thing that an invoice bills.
type Line struct {
	What   string
	Amount Cents
}

// Total is what the invoice amounts to.
func (i Invoice) Total() Cents {
	var total Cents
	for _, l := range i.Lines {
		total += l.Amount
	}
	return total
}

// Balance is what remains to be paid.
func (i Invoice) Balance() Cents { return i.Total() - i.Paid }

// Policy is an insurance contract that the agency looks after. Its JSON is what
// the page of policies draws.
type Policy struct {
	ID        string     `json:"id"`
	Number    string     `json:"number"`
	Status    string     `json:"status"`
	Line      string     `json:"line"`
	Carrier   string     `json:"carrier"`
	Insured   string     `json:"insured"`
	From      string     `json:"from"` // as the page shows it
	Until     string     `json:"until"`
	Premium   string     `json:"premium"`
	Billing   string     `json:"billing"`
	Producer  string     `json:"producer"`
	Coverages []Coverage `json:"coverages"`
}

// Coverage is one thing that a policy covers, as the page shows it.
type Coverage struct {
	Name       string `json:"name"`
	Limit      string `json:"limit"`      // may be empty
	Deductible string `json:"deductible"` // may be empty
}

func (s *Site) showInvoices(w http.ResponseWriter, r *http.Request, _ *kit.Session) {
	s.show(w, r, http.StatusOK, "invoices", "invoices", "Invoices", paged(r, s.invoices))
}

func (s *Site) showInvoice(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	at := slices.IndexFunc(s.invoices, func(i Invoice) bool { return i.ID == r.PathValue("id") })
	if at < 0 {
		s.notFound(w, r, session)
		return
	}
	s.show(w, r, http.StatusOK, "invoice", "invoices", "Invoice "+s.invoices[at].Number, s.invoices[at])
}

func (s *Site) showPolicies(w http.ResponseWriter, r *http.Request, _ *kit.Session) {
	s.show(w, r, http.StatusOK, "policies", "policies", "Policies", nil)
}

// policiesTake is how long the application looks for policies: it asks the
// carriers.
const policiesTake = 350 * time.Millisecond

// servePolicies answers the script of the page of policies, which draws them.
func (s *Site) servePolicies(w http.ResponseWriter, r *http.Request, _ *kit.Session) {
	select {
	case <-time.After(policiesTake):
	case <-r.Context().Done():
		return
	}
	rows := paged(r, s.policies)
	kit.WriteJSON(w, http.StatusOK, map[string]any{
		"rows": rows.Rows, "first": rows.First, "last": rows.Last, "total": rows.Total, "more": rows.Next != "",
	})
}
