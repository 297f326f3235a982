package sandbox

import (
	"net/http"
	"slices"
	"strings"
	"time"

	kit "integration.gateway/pkg/sandbox"
)

// roster is the list of employees.
type roster struct {
	part[Employee]

	Shown string // a status, or everyone
	Find  string // part of the names of those who are shown
	Views []Choice
}

func (s *Site) showEmployees(w http.ResponseWriter, r *http.Request, _ *kit.Session) {
	shown, find := r.URL.Query().Get("show"), folded(r.URL.Query().Get("find"))
	views := []Choice{{"", "Active"}, {"leave", "On leave"}, {"former", "Former"}, {"everyone", "Everyone"}}
	status := map[string]string{"": Active, "leave": OnLeave, "former": Terminated}[shown]
	rows := slices.DeleteFunc(s.Employees(), func(e Employee) bool {
		return status != "" && e.Status != status || !strings.Contains(folded(e.Name()), find)
	})
	s.show(w, r, http.StatusOK, "employees", "employees", "Employees", roster{paged(r, rows), shown, find, views})
}

// folded is a name without regard to case and spaces.
func folded(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), " ")) }

// file is the page of one employee.
type file struct {
	Employee

	Done    string // what was just done, or ""
	Reasons []Choice
}

func (s *Site) showEmployee(w http.ResponseWriter, r *http.Request, _ *kit.Session) {
	e, ok := s.employee(r.PathValue("id"))
	if !ok {
		s.noEmployee(w, r)
		return
	}
	done := map[string]string{
		"entered": "The employee was entered.", "changed": "The change was saved.", "ended": "The employment was ended.",
	}[r.URL.Query().Get("done")]
	s.show(w, r, http.StatusOK, "employee", "employees", e.Name(), file{e, done, Reasons})
}

func (s *Site) noEmployee(w http.ResponseWriter, r *http.Request) {
	s.show(w, r, http.StatusNotFound, "missing", "employees", "Not found", "There is no employee with this number.")
}

func (s *Site) showNewEmployee(w http.ResponseWriter, r *http.Request, _ *kit.Session) {
	s.show(w, r, http.StatusOK, "employee-form", "employees", "Enter an employee", employeeForm{Periods: PayPeriods})
}

func (s *Site) postNewEmployee(w http.ResponseWriter, r *http.Request, _ *kit.Session) {
	form := employeeForm{Periods: PayPeriods}.typed(r)
	e := form.read()
	if len(form.Refusals) == 0 {
		id, refusal := s.enter(e)
		if refusal == "" {
			http.Redirect(w, r, "/employees/"+id+"?done=entered", http.StatusSeeOther)
			return
		}
		form.Refusals = []string{refusal}
	}
	s.show(w, r, http.StatusUnprocessableEntity, "employee-form", "employees", "Enter an employee", form)
}

func (s *Site) showEditEmployee(w http.ResponseWriter, r *http.Request, _ *kit.Session) {
	e, ok := s.employee(r.PathValue("id"))
	if !ok {
		s.noEmployee(w, r)
		return
	}
	s.show(w, r, http.StatusOK, "employee-form", "employees", "Change "+e.Name(), formOf(e))
}

func (s *Site) postEditEmployee(w http.ResponseWriter, r *http.Request, _ *kit.Session) {
	e, ok := s.employee(r.PathValue("id"))
	if !ok {
		s.noEmployee(w, r)
		return
	}
	form := formOf(e).typed(r)
	effective := form.date("effective", "day from which the change holds")
	changed := form.read()
	if len(form.Refusals) == 0 {
		refusal := s.change(changed, effective, form.Values["remark"])
		if refusal == "" {
			http.Redirect(w, r, "/employees/"+e.ID+"?done=changed", http.StatusSeeOther)
			return
		}
		form.Refusals = []string{refusal}
	}
	s.show(w, r, http.StatusUnprocessableEntity, "employee-form", "employees", "Change "+e.Name(), form)
}

// postTermination answers the script of the dialog: where to go, or why the
// employment cannot be ended.
func (s *Site) postTermination(w http.ResponseWriter, r *http.Request, _ *kit.Session) {
	e, ok := s.employee(r.PathValue("id"))
	if !ok {
		kit.WriteJSON(w, http.StatusNotFound, map[string]string{"refusal": "There is no employee with this number."})
		return
	}
	last, err := time.Parse(dayFormat, r.PostFormValue("last"))
	reason := r.PostFormValue("reason")
	refusal := "Pick the last day of employment."
	switch {
	case reason != "" && !known(Reasons, reason):
		refusal = "Choose a reason from the list."
	case err == nil:
		refusal = s.terminate(e.ID, last, reason, r.PostFormValue("remark"))
	}
	if refusal != "" {
		kit.WriteJSON(w, http.StatusUnprocessableEntity, map[string]string{"refusal": refusal})
		return
	}
	kit.WriteJSON(w, http.StatusOK, map[string]string{"next": "/employees/" + e.ID + "?done=ended"})
}
