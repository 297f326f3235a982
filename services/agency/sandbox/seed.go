package sandbox

import (
	"fmt"
	"strings"
	"time"

	"github.com/brianvoe/gofakeit/v7"
)

// How much the agency has on file.
const (
	seededEmployees = 60
	seededInvoices  = 240
	seededPolicies  = 300
)

var (
	positions   = []string{"Account manager", "Producer", "Claims specialist", "Customer service representative", "Underwriting assistant", "Bookkeeper"}
	departments = []string{"Commercial lines", "Personal lines", "Benefits", "Claims", "Accounting"}
	carriers    = []string{"Great Plains Mutual", "Harbor Light Casualty", "Red Fern Indemnity", "Summit Oak Assurance", "Cedar River Mutual"}
	trades      = []string{"Bakery LLC", "Roofing Inc.", "Dental Group", "Farms", "Auto Body", "Landscaping", "Coffee House", "Machine Works"}
	billings    = []string{"Direct bill, monthly", "Direct bill, in full", "Agency bill, in full", "Agency bill, quarterly"}
)

// product is a kind of insurance with what it covers.
type product struct {
	prefix, name string
	coverages    []string
}

var products = []product{
	{"BOP", "Business owners", []string{"General liability", "Business personal property", "Business income"}},
	{"CA", "Commercial auto", []string{"Bodily injury", "Collision"}},
	{"WC", "Workers compensation", []string{"Employers liability"}},
	{"HO", "Homeowners", []string{"Dwelling", "Personal property", "Loss of use", "Personal liability"}},
	{"UM", "Umbrella", []string{"Excess liability"}},
}

// seed fills the application. Dates are seen from the day of the start.
func (s *Site) seed() {
	f := gofakeit.New(1048)
	today := s.now().UTC().Truncate(24 * time.Hour)
	for n := range seededEmployees {
		s.add(newEmployee(f, today, n))
	}
	for n := range seededPolicies {
		s.policies = append(s.policies, newPolicy(f, today, n, s.employees[n%seededEmployees].Name()))
	}
	for n := range seededInvoices {
		s.invoices = append(s.invoices, newInvoice(f, today, n, s.policies[n]))
	}
}

// newEmployee makes up the nth employee: every tenth has left, every twelfth is
// on leave.
func newEmployee(f *gofakeit.Faker, today time.Time, n int) Employee {
	hired := today.AddDate(0, 0, -f.Number(120, 7000))
	e := Employee{
		FirstName: f.FirstName(), LastName: f.LastName(), Status: Active,
		Born: hired.AddDate(-f.Number(19, 45), 0, -f.Number(0, 364)), Hired: hired,
		Position: pick(f, positions), Department: pick(f, departments), Phone: fmt.Sprintf("+1 217 555 %04d", 100+n),
		WeeklyHours: []float64{40, 37.5, 32, 20}[f.Number(0, 3)],
		Pay:         Cents(f.Number(380, 1250) * 10000), PayPeriod: "YR",
	}
	e.Email = strings.ToLower(fmt.Sprintf("%s.%s%d@prairie.example", e.FirstName, e.LastName, n+1))
	if n%3 == 1 { // the others are paid by the year
		e.PayPeriod, e.Pay = PayPeriods[n/3%len(PayPeriods)].Code, Cents(f.Number(1800, 9900))
	}
	switch {
	case n%10 == 9:
		e.Status, e.Left, e.Reason = Terminated, hired.AddDate(0, 0, f.Number(60, 119)), Reasons[n/10%len(Reasons)].Code
	case n%12 == 7:
		e.Status = OnLeave
	}
	return e
}

// policyStatuses are the statuses of policies, as often as they occur.
var policyStatuses = []string{
	"In force", "In force", "In force", "Quote", "Bound", "In force", "Pending cancel", "Cancelled", "Expired", "Renewed", "In force", "Rewritten",
}

func newPolicy(f *gofakeit.Faker, today time.Time, n int, producer string) Policy {
	kind := products[n%len(products)]
	from := today.AddDate(0, 0, -f.Number(-60, 360))
	p := Policy{
		ID: fmt.Sprintf("P-%d", 99100+n), Number: fmt.Sprintf("%s-%d", kind.prefix, 4471000+7*n),
		Status: policyStatuses[n%len(policyStatuses)], Line: kind.name, Carrier: pick(f, carriers),
		Insured: f.LastName() + " " + pick(f, trades), From: day(from), Until: day(from.AddDate(1, 0, 0)),
		Premium: Cents(f.Number(40000, 2500000)).String(), Billing: pick(f, billings), Producer: producer,
	}
	for _, name := range kind.coverages {
		c := Coverage{Name: name, Limit: Cents(f.Number(1, 40) * 5_000_000).String()}
		if f.Bool() {
			c.Deductible = Cents(f.Number(1, 10) * 50_000).String()
		}
		p.Coverages = append(p.Coverages, c)
	}
	return p
}

// invoiceTerm is how many days an invoice can be paid in.
const invoiceTerm = 30

func newInvoice(f *gofakeit.Faker, today time.Time, n int, p Policy) Invoice {
	i := Invoice{
		ID: fmt.Sprintf("INV-%d", 77100+n), Number: fmt.Sprintf("Q-%05d", 10001+n),
		Insured: p.Insured, Policy: p.Number, Carrier: p.Carrier,
		Lines: []Line{{"Premium, " + p.Line, Cents(f.Number(20000, 900000))}, {"Policy fee", Cents(f.Number(1000, 9900))}},
	}
	if n%4 == 0 {
		i.Lines = append(i.Lines, Line{"Surplus lines tax", Cents(f.Number(500, 20000))})
	}
	age := f.Number(0, invoiceTerm-1) // an invoice that is not due yet
	switch n % 7 {
	case 0:
		i.Status = "Draft"
	case 1:
		i.Status, i.Paid = "Part paid", i.Total()/2
	case 2, 3:
		i.Status, age, i.Paid = "Paid", age+invoiceTerm, i.Total()
		i.Settled = today.AddDate(0, 0, -f.Number(1, invoiceTerm))
	case 4:
		i.Status, age = "Past due", age+invoiceTerm+1
	case 5:
		i.Status = "Open"
	default:
		i.Status = []string{"Void", "In dispute"}[n/7%2]
	}
	i.Issued = today.AddDate(0, 0, -age)
	i.Due = i.Issued.AddDate(0, 0, invoiceTerm)
	return i
}

func pick(f *gofakeit.Faker, from []string) string { return from[f.Number(0, len(from)-1)] }
