package sandbox_test

import (
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/services/agency/sandbox"
)

func TestStrangersAreSentToTheSignIn(t *testing.T) {
	t.Parallel()
	v := enter(t)
	for _, path := range []string{"/", "/employees", "/employees/E-2001", "/policies/rows", "/nowhere"} {
		if v.Open(path); !strings.HasPrefix(v.Path, "/sign-in?return=") {
			t.Errorf("%s leads to %s", path, v.Path)
		}
	}
	v.Submit("/sign-in", url.Values{"user": {sandbox.Jane.Username}, "password": {"x"}})
	v.Sees("do not belong together")
}

func TestSignOutEndsTheSignIn(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.Submit("/sign-out", nil)
	if v.Open("/"); !strings.HasPrefix(v.Path, "/sign-in") {
		t.Errorf("at %s", v.Path)
	}
}

func TestAllStandInsStartOutTheSame(t *testing.T) {
	t.Parallel()
	a, b := sandbox.New(), sandbox.New()
	if diff := cmp.Diff(a.Employees(), b.Employees()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(a.Policies(), b.Policies()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(a.Invoices(), b.Invoices()); diff != "" {
		t.Error(diff)
	}
}

// form is what is typed to enter an employee.
func form(other url.Values) url.Values {
	f := url.Values{
		"firstName": {"Maria"}, "lastName": {"Lindqvist"}, "born": {"03/08/1990"}, "hired": {"09/02/2024"},
		"hours": {"37.5"}, "pay": {"58,500"}, "period": {"YR"},
	}
	maps.Copy(f, other)
	return f
}

func TestEmployeeIsEnteredOnce(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.Open("/hire")
	v.Submit("/hire", form(nil))
	v.Sees("The employee was entered.", "E-2061", "Maria", "03/08/1990", "09/02/2024", "37.5", "$58,500.00", "Per year")
	v.Open("/hire")
	v.Submit("/hire", form(url.Values{"firstName": {"  mARIA "}}))
	v.Sees("is on file already as E-2061")
	if state := v.State(); len(state.Employees) != 1 || state.Effects["enter-employee"] != 1 {
		t.Errorf("state %+v", state)
	}
}

func TestFormsAreChecked(t *testing.T) {
	t.Parallel()
	v := visit(t)
	for text, wrong := range map[string]url.Values{
		"first name is missing":        {"firstName": {" "}},
		"The last name":                {"lastName": {strings.Repeat("x", 101)}},
		"date of birth must be a date": {"born": {"1990-03-08"}},
		"first day of employment must": {"hired": {"02/30/2024"}},
		"Weekly hours must":            {"hours": {"168.01"}},
		"Pay must":                     {"pay": {"-1"}},
		"Choose what period":           {"period": {"fortnight"}},
		"Nobody under 14":              {"hired": {"03/07/2004"}},
	} {
		v.Open("/hire")
		v.Submit("/hire", form(wrong))
		v.Answered(http.StatusUnprocessableEntity, text)
	}
	if state := v.State(); len(state.Employees)+len(state.Effects) != 0 {
		t.Errorf("state %+v", state)
	}
}

// typed are the values that stand in the form of the page.
func (v *visitor) typed() url.Values {
	values := url.Values{}
	for _, input := range regexp.MustCompile(`name="(\w+)" type="text"[^>]* value="([^"]*)"`).FindAllStringSubmatch(v.Page, -1) {
		values.Set(input[1], html.UnescapeString(input[2]))
	}
	values.Set("period", regexp.MustCompile(`value="(\w+)" selected`).FindStringSubmatch(v.Page)[1])
	return values
}

func TestChangeKeepsTheRestAndIsWrittenDown(t *testing.T) {
	t.Parallel()
	v := visit(t)
	want := v.by(sandbox.Active)[0]
	path := "/employees/" + want.ID + "/edit"
	v.Open(path)
	values := v.typed()
	values.Set("pay", "1234.5")
	values.Set("effective", "12/01/2026")
	values.Set("remark", "as agreed")
	v.Submit(path, values)
	v.Sees("The change was saved.", "$1,234.50", "Changed: pay", "12/01/2026", "as agreed")
	got := v.State().Employees[0]
	if len(got.History) != 1 {
		t.Fatalf("history %+v", got.History)
	}
	got.History, want.Pay = want.History, 123450
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	v.Open(path)
	again := v.typed()
	again.Set("effective", "01/01/1970")
	v.Submit(path, again)
	v.Sees("cannot take effect before the first day")
}

// terminate sends what the dialog that ends an employment sends. Its token
// comes from another form, for not every employee's page has the dialog.
func (v *visitor) terminate(id, last, reason string) {
	v.T.Helper()
	v.Open("/")
	form := v.Form("/sign-out")
	maps.Copy(form, url.Values{"last": {last}, "reason": {reason}, "remark": {"bye"}})
	v.Send(http.MethodPost, "/employees/"+id+"/termination", form)
}

func TestEmploymentEndsOnce(t *testing.T) {
	t.Parallel()
	v := visit(t)
	id := v.by(sandbox.OnLeave)[0].ID
	v.terminate(id, "", "R1")
	v.Sees("Pick the last day")
	v.terminate(id, "12/31/2026", "R8")
	v.Sees("Choose a reason")
	v.terminate(id, "12/31/1960", "R1")
	v.Sees("cannot be before the first day")
	v.terminate(id, "12/31/2026", "R4")
	v.Sees("/employees/" + id + "?done=ended")
	v.terminate(id, "12/31/2026", "R4")
	v.Sees("the record is closed")
	v.Open("/employees/" + id)
	v.Sees("Terminated", "12/31/2026", "Retired", "Employment ended", "bye")
	v.Open("/employees/" + id + "/edit")
	v.Sees("the record is closed")
	v.Open("/employees?rows=100") // the active ones
	v.SeesNot(id)
	v.Open("/employees?rows=100&show=former")
	v.Sees(id)
	if n := v.State().Effects["terminate-employee"]; n != 1 {
		t.Errorf("%d terminations", n)
	}
}

func TestUnknownIsNotFound(t *testing.T) {
	t.Parallel()
	v := visit(t)
	for _, path := range []string{"/employees/E-1", "/employees/E-1/edit", "/invoices/INV-1/document", "/nowhere"} {
		v.Open(path)
		v.Answered(http.StatusNotFound)
	}
	v.terminate("E-1", "12/31/2026", "R1")
	v.Answered(http.StatusNotFound)
}

// leaf goes through all pages of a list and returns the ids on them, which this
// attribute has.
func (v *visitor) leaf(path, attribute string) (ids []string) {
	v.T.Helper()
	for ; path != ""; path = v.Next() {
		v.Open(path)
		ids = append(ids, v.Attributes(attribute)...)
	}
	return ids
}

func TestListsHavePages(t *testing.T) {
	t.Parallel()
	v := visit(t)
	var employees, invoices []string
	for _, e := range v.Employees() {
		employees = append(employees, e.ID)
	}
	for _, i := range v.Invoices() {
		invoices = append(invoices, i.ID)
	}
	if got := v.leaf("/employees?show=everyone", "data-employee"); !slices.Equal(got, employees) {
		t.Errorf("employees %v", got)
	}
	if got := v.leaf("/invoices?rows=50", "data-invoice"); !slices.Equal(got, invoices) {
		t.Errorf("invoices %v", got)
	}
	first := v.Employees()[0]
	if got := v.leaf("/employees?show=everyone&find="+url.QueryEscape(strings.ToUpper(first.Name())), "data-employee"); !slices.Equal(got, []string{first.ID}) {
		t.Errorf("found %v", got)
	}
	v.Open("/policies/rows?page=12")
	var rows struct {
		Rows []sandbox.Policy `json:"rows"`
		More bool             `json:"more"`
	}
	if v.Decode(&rows); rows.More || len(rows.Rows) != 25 {
		t.Fatalf("%d rows, more %v", len(rows.Rows), rows.More)
	}
	if diff := cmp.Diff(v.Policies()[275:], rows.Rows); diff != "" {
		t.Error(diff)
	}
}
