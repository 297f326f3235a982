package sandbox

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Employee is a person who works or worked for the agency. Dates are days at
// midnight UTC.
type Employee struct {
	ID          string    `json:"id"`
	FirstName   string    `json:"firstName"`
	LastName    string    `json:"lastName"`
	Status      string    `json:"status"` // one of the statuses
	Born        time.Time `json:"born"`
	Hired       time.Time `json:"hired"`
	Position    string    `json:"position"`
	Department  string    `json:"department"`
	Email       string    `json:"email"`
	Phone       string    `json:"phone"`
	WeeklyHours float64   `json:"weeklyHours"`
	Pay         Cents     `json:"pay"`
	PayPeriod   string    `json:"payPeriod"` // code of one of the pay periods
	Left        time.Time `json:"left"`      // last day; zero while employed
	Reason      string    `json:"reason"`    // code of one of the reasons to leave; may be empty
	History     []Entry   `json:"history"`   // newest first
}

// Entry is a line of an employee's history.
type Entry struct {
	Number    string    `json:"number"`
	Entered   time.Time `json:"entered"`
	Effective time.Time `json:"effective"`
	What      string    `json:"what"`
	Remark    string    `json:"remark"`
}

// The statuses of an employee.
const (
	Active     = "Active"
	OnLeave    = "On leave"
	Terminated = "Terminated"
)

// maxHistory is how many entries an employee's history keeps.
const maxHistory = 50

// Choice is an entry of a list to choose from: what the form sends, and what
// the page says.
type Choice struct{ Code, Label string }

// PayPeriods are the periods that an employee is paid for.
var PayPeriods = []Choice{
	{"HR", "Per hour"},
	{"DY", "Per day"},
	{"WK", "Per week"},
	{"BW", "Every two weeks"},
	{"SM", "Twice a month"},
	{"MO", "Per month"},
	{"QT", "Per quarter"},
	{"YR", "Per year"},
}

// Reasons are why an employment ends.
var Reasons = []Choice{
	{"R1", "Resigned"},
	{"R2", "Dismissed"},
	{"R3", "Laid off"},
	{"R4", "Retired"},
	{"R5", "Contract ended"},
	{"R6", "Abandoned the job"},
	{"R7", "Deceased"},
	{"R9", "Other"},
}

func label(choices []Choice, code string) string {
	at := slices.IndexFunc(choices, func(c Choice) bool { return c.Code == code })
	if at < 0 {
		return ""
	}
	return choices[at].Label
}

func known(choices []Choice, code string) bool { return label(choices, code) != "" }

// PayPeriodLabel is how the application says what period the pay is for.
func (e Employee) PayPeriodLabel() string { return label(PayPeriods, e.PayPeriod) }

// ReasonLabel is how the application says why the employee left.
func (e Employee) ReasonLabel() string { return label(Reasons, e.Reason) }

// Name is the employee's full name.
func (e Employee) Name() string { return e.FirstName + " " + e.LastName }

func (e *Employee) copy() Employee {
	c := *e
	c.History = slices.Clone(e.History)
	return c
}

// find returns an employee, or nil. Site.mu is held.
func (s *Site) find(id string) *Employee {
	at := slices.IndexFunc(s.employees, func(e *Employee) bool { return e.ID == id })
	if at < 0 {
		return nil
	}
	return s.employees[at]
}

// employee returns a copy of an employee.
func (s *Site) employee(id string) (e Employee, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.find(id)
	if found == nil {
		return Employee{}, false
	}
	return found.copy(), true
}

// duplicate finds somebody else of the same name and birth date. Site.mu is
// held.
func (s *Site) duplicate(e Employee) *Employee {
	at := slices.IndexFunc(s.employees, func(o *Employee) bool {
		return o.ID != e.ID && folded(o.Name()) == folded(e.Name()) && o.Born.Equal(e.Born)
	})
	if at < 0 {
		return nil
	}
	return s.employees[at]
}

// enter adds a new employee and returns the id, or why that is refused.
func (s *Site) enter(e Employee) (id, refusal string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if twin := s.duplicate(e); twin != nil {
		return "", fmt.Sprintf("%s, born %s, is on file already as %s.", twin.Name(), day(twin.Born), twin.ID)
	}
	e.Status = Active
	added := s.add(e)
	s.write(added, e.Hired, "Entered", "")
	s.Effect("enter-employee")
	return added.ID, ""
}

// add gives an employee the next id. Site.mu is held.
func (s *Site) add(e Employee) *Employee {
	e.ID = fmt.Sprintf("E-%d", 2001+len(s.employees))
	s.employees = append(s.employees, &e)
	return &e
}

// write adds an entry to the history of an employee who was changed. Site.mu is
// held.
func (s *Site) write(e *Employee, effective time.Time, what, remark string) {
	s.entries++
	entry := Entry{fmt.Sprintf("H-%d", 7000+s.entries), s.now().UTC(), effective, what, remark}
	e.History = slices.Insert(e.History, 0, entry)
	e.History = e.History[:min(len(e.History), maxHistory)]
	if !slices.Contains(s.touched, e.ID) && len(s.touched) < maxTouched {
		s.touched = append(s.touched, e.ID)
	}
}

// change replaces an employee's record, or says why that is refused.
func (s *Site) change(e Employee, effective time.Time, remark string) (refusal string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	current := s.find(e.ID)
	switch {
	case current.Status == Terminated:
		return closed(*current)
	case effective.Before(current.Hired):
		return fmt.Sprintf("A change cannot take effect before the first day of employment, %s.", day(current.Hired))
	}
	if twin := s.duplicate(e); twin != nil {
		return fmt.Sprintf("%s, born %s, is on file already as %s.", twin.Name(), day(twin.Born), twin.ID)
	}
	what := differences(*current, e)
	e.History = current.History
	*current = e
	s.write(current, effective, what, remark)
	s.Effect("edit-employee")
	return ""
}

// differences tells which fields a change gives another value.
func differences(before, after Employee) string {
	var fields []string
	for _, f := range []struct {
		name    string
		changed bool
	}{
		{"first name", before.FirstName != after.FirstName},
		{"last name", before.LastName != after.LastName},
		{"position", before.Position != after.Position},
		{"department", before.Department != after.Department},
		{"e-mail", before.Email != after.Email},
		{"telephone", before.Phone != after.Phone},
		{"weekly hours", before.WeeklyHours != after.WeeklyHours},
		{"pay", before.Pay != after.Pay},
		{"pay period", before.PayPeriod != after.PayPeriod},
	} {
		if f.changed {
			fields = append(fields, f.name)
		}
	}
	if len(fields) == 0 {
		return "Confirmed as it was"
	}
	return "Changed: " + strings.Join(fields, ", ")
}

// terminate ends an employment, or says why that is refused.
func (s *Site) terminate(id string, last time.Time, reason, remark string) (refusal string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.find(id)
	switch {
	case e.Status == Terminated:
		return closed(*e)
	case last.Before(e.Hired):
		return fmt.Sprintf("The last day cannot be before the first day of employment, %s.", day(e.Hired))
	}
	e.Status, e.Left, e.Reason = Terminated, last, reason
	s.write(e, last, "Employment ended", remark)
	s.Effect("terminate-employee")
	return ""
}

// closed says that a record cannot be changed any more.
func closed(e Employee) string {
	return fmt.Sprintf("The employment of %s ended on %s; the record is closed.", e.Name(), day(e.Left))
}
