package sandbox

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// employeeForm is what the forms to enter and to change an employee show: the
// values as they were typed, and why they were refused.
type employeeForm struct {
	Employee  Employee // who is changed; without an id when somebody is entered
	Values    map[string]string
	Refusals  []string
	Periods   []Choice
	Effective bool // asks from what day on the change holds
}

// Value is what stands in a field.
func (f employeeForm) Value(name string) string { return f.Values[name] }

// formOf is the form to change an employee.
func formOf(e Employee) employeeForm {
	return employeeForm{Employee: e, Periods: PayPeriods, Effective: true, Values: map[string]string{
		"firstName": e.FirstName, "lastName": e.LastName, "position": e.Position, "department": e.Department,
		"email": e.Email, "phone": e.Phone, "hours": strconv.FormatFloat(e.WeeklyHours, 'f', -1, 64),
		"pay": e.Pay.Plain(), "period": e.PayPeriod,
	}}
}

// typed takes over what was typed into the form.
func (f employeeForm) typed(r *http.Request) employeeForm {
	f.Values = map[string]string{}
	for _, name := range []string{
		"firstName", "lastName", "born", "hired", "position", "department", "email", "phone", "hours", "pay", "period", "effective", "remark",
	} {
		f.Values[name] = strings.TrimSpace(r.PostFormValue(name))
	}
	return f
}

// youngest is the age from which on somebody may be employed.
const youngest = 14

// maxHours is the number of hours of a week.
const maxHours = 168 * 100

// read makes an employee of the form, and notes what is wrong with it.
func (f *employeeForm) read() Employee {
	e := f.Employee
	e.FirstName, e.LastName = f.name("firstName", "first name"), f.name("lastName", "last name")
	e.Position, e.Department, e.Email, e.Phone = f.Values["position"], f.Values["department"], f.Values["email"], f.Values["phone"]
	hours, ok := hundredths(f.Values["hours"])
	f.require(ok && hours <= maxHours, "Weekly hours must be a number from 0 to 168 with at most two decimals.")
	pay, ok := hundredths(f.Values["pay"])
	f.require(ok, "Pay must be an amount with at most two decimals.")
	f.require(known(PayPeriods, f.Values["period"]), "Choose what period the pay is for.")
	e.WeeklyHours, e.Pay, e.PayPeriod = float64(hours)/100, Cents(pay), f.Values["period"]
	if e.ID == "" {
		e.Born, e.Hired = f.date("born", "date of birth"), f.date("hired", "first day of employment")
		if len(f.Refusals) == 0 {
			f.require(!e.Hired.Before(e.Born.AddDate(youngest, 0, 0)), "Nobody under 14 years of age can be employed: check both dates.")
		}
	}
	return e
}

func (f *employeeForm) require(ok bool, refusal string) {
	if !ok {
		f.Refusals = append(f.Refusals, refusal)
	}
}

// maxName is how long a name can be.
const maxName = 100

func (f *employeeForm) name(field, words string) string {
	name := f.Values[field]
	f.require(name != "" && len([]rune(name)) <= maxName, "The "+words+" is missing, or longer than 100 characters.")
	return name
}

func (f *employeeForm) date(field, words string) time.Time {
	t, err := time.Parse(dayFormat, f.Values[field])
	f.require(err == nil, "The "+words+" must be a date such as 12/31/2026.")
	return t
}
