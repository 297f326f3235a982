// Package settings reads a process's settings from its environment variables.
//
// A settings struct names its variables in the tags of
// github.com/caarlos0/env. What this package adds are errors that an operator
// can act on: they name every variable that is missing or malformed, and never
// show a value, which may be a secret.
package settings

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/caarlos0/env/v11"
)

// FromEnv reads a T from the environment. If *T has a method Validate() error,
// that is called too.
func FromEnv[T any]() (T, error) { return FromMap[T](nil) }

// FromMap reads a T from variables instead of the environment; nil means the
// environment.
func FromMap[T any](variables map[string]string) (T, error) {
	var zero T
	parsed, err := env.ParseAsWithOptions[T](env.Options{Environment: variables})
	if err != nil {
		return zero, fmt.Errorf("settings: %s", faults[T](err))
	}
	if v, ok := any(&parsed).(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			return zero, fmt.Errorf("settings: %w", err)
		}
	}
	return parsed, nil
}

// faults lists what is wrong, a variable each. The library's own text for a
// malformed value quotes the value.
func faults[T any](err error) string {
	all := []error{err}
	var aggregate env.AggregateError
	if errors.As(err, &aggregate) {
		all = aggregate.Errors
	}
	texts := make([]string, len(all))
	for i, e := range all {
		texts[i] = e.Error()
		var parse env.ParseError
		if errors.As(e, &parse) {
			texts[i] = fmt.Sprintf("%s is not a valid %s", variable[T](parse.Name), parse.Type)
		}
	}
	return strings.Join(texts, "; ")
}

// variable returns the environment variable of a struct field.
func variable[T any](field string) string {
	f, ok := reflect.TypeFor[T]().FieldByName(field)
	if !ok {
		return field
	}
	name, _, _ := strings.Cut(f.Tag.Get("env"), ",")
	return name
}

// Between returns an error that names the variable unless lowest ≤ value ≤ highest.
func Between[T cmp.Ordered](variable string, value, lowest, highest T) error {
	if value < lowest || value > highest {
		return fmt.Errorf("%s must be between %v and %v", variable, lowest, highest)
	}
	return nil
}
