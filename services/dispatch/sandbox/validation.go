package sandbox

import (
	"fmt"
	"net/mail"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// The choices of the form.
var (
	customerKinds = map[string]string{"RES": "Residential", "COM": "Commercial"}
	phoneKinds    = []string{"Cell", "Home", "Work", "Fax", "Other"}
	addressKinds  = map[string]string{"SVC": "Service location", "BIL": "Billing"}
	paymentTerms  = []string{"Due on receipt", "Net 10", "Net 15", "Net 30", "Net 60"}
)

// Bounds of what a customer can hold.
const (
	maxWords = 254
	maxNotes = 4000
	maxRows  = 50
)

// postalCodes are the forms of postal codes that the application knows.
var postalCodes = map[string]*regexp.Regexp{
	"US": regexp.MustCompile(`^\d{5}(-\d{4})?$`),
	"CA": regexp.MustCompile(`^[A-Za-z]\d[A-Za-z] ?\d[A-Za-z]\d$`),
}

var countryCode = regexp.MustCompile(`^[A-Z]{2}$`)

// tidy takes blanks off the ends of what was typed, and makes lists of what was
// left out.
func (f *form) tidy() {
	for _, text := range []*string{&f.FirstName, &f.LastName, &f.Company, &f.Email, &f.Notes, &f.Source, &f.Terms, &f.LogNote} {
		*text = strings.TrimSpace(*text)
	}
	f.Phones, f.Addresses, f.Labels = append([]Phone{}, f.Phones...), append([]Address{}, f.Addresses...), append([]string{}, f.Labels...)
	for i := range f.Phones {
		f.Phones[i].Number = strings.TrimSpace(f.Phones[i].Number)
	}
	for i := range f.Addresses {
		a := &f.Addresses[i]
		for _, text := range []*string{&a.Street, &a.Unit, &a.City, &a.State, &a.ZIP, &a.Country} {
			*text = strings.TrimSpace(*text)
		}
	}
}

// faults tells, in words, what is wrong with the data by itself.
func (f *form) faults() []string {
	var faults []string
	check := func(ok bool, words string, values ...any) {
		if !ok {
			faults = append(faults, fmt.Sprintf(words, values...))
		}
	}
	check(customerKinds[f.Kind] != "", "Choose what kind of customer it is.")
	check(f.Name() != "", "Enter a name or a company.")
	check(f.Kind != "COM" || f.Company != "", "Enter the company: commercial customers need one.")
	check(f.Email == "" || isEmail(f.Email), "This e-mail address is not complete.")
	check(f.Terms == "" || slices.Contains(paymentTerms, f.Terms), "Choose one of the payment terms.")
	check(utf8.RuneCountInString(f.Notes) <= maxNotes, "Notes can have up to %d characters.", maxNotes)
	for _, text := range append([]string{f.FirstName, f.LastName, f.Company, f.Email, f.Source, f.LogNote}, f.Labels...) {
		check(utf8.RuneCountInString(text) <= maxWords, "One of the fields is too long.")
	}
	check(max(len(f.Phones), len(f.Addresses), len(f.Labels)) <= maxRows, "A customer can have up to %d of each.", maxRows)
	for i, p := range f.Phones {
		check(slices.Contains(phoneKinds, p.Kind), "Choose what phone %d is for.", i+1)
		check(len(digits(p.Number)) >= 7, "Phone %d has too few digits.", i+1)
	}
	for i, a := range f.Addresses {
		check(addressKinds[a.Kind] != "", "Choose what address %d is for.", i+1)
		check(a.Street != "" && a.City != "", "Address %d needs a street and a city.", i+1)
		check(countryCode.MatchString(a.Country), "The country of address %d is a code of two capital letters.", i+1)
		known := postalCodes[a.Country]
		check(known == nil || known.MatchString(a.ZIP), "%q of address %d is no postal code of %s.", a.ZIP, i+1, a.Country)
	}
	return faults
}

func isEmail(text string) bool {
	address, err := mail.ParseAddress(text)
	return err == nil && address.Address == text
}

// duplicates finds another customer with the same e-mail address or telephone
// number. The caller holds s.mu.
func (s *Site) duplicates(c *Customer) []string {
	for _, id := range s.order {
		other := s.customers[id]
		switch {
		case id == c.ID:
		case c.Email != "" && strings.EqualFold(other.Email, c.Email):
			return []string{fmt.Sprintf("You already have a customer with this e-mail address: %s.", other.Name())}
		case slices.ContainsFunc(c.Phones, other.hasPhone):
			return []string{fmt.Sprintf("You already have a customer with this phone: %s.", other.Name())}
		}
	}
	return nil
}

func (c *Customer) hasPhone(p Phone) bool {
	return slices.ContainsFunc(c.Phones, func(own Phone) bool { return digits(own.Number) == digits(p.Number) })
}

// digits are those of a number without its North American prefix.
func digits(number string) string {
	only := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, number)
	if len(only) == 11 && only[0] == '1' {
		return only[1:]
	}
	return only
}
