package settings_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"integration.gateway/pkg/settings"
)

type config struct {
	URL     string        `env:"THE_URL,required,notEmpty"`
	Workers int           `env:"THE_WORKERS" envDefault:"4"`
	Limit   time.Duration `env:"THE_LIMIT" envDefault:"1s"`
}

func (c *config) Validate() error {
	return errors.Join(settings.Between("THE_WORKERS", c.Workers, 1, 8))
}

func TestDefaultsStandWhereNothingIsSet(t *testing.T) {
	t.Parallel()
	got, err := settings.FromMap[config](map[string]string{"THE_URL": "x"})
	if err != nil {
		t.Fatal(err)
	}
	if want := (config{URL: "x", Workers: 4, Limit: time.Second}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestErrorsNameEveryVariableAndShowNoValue(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		variables map[string]string
		want      []string
	}{
		"missing and malformed": {map[string]string{"THE_WORKERS": "hunter2", "THE_LIMIT": "hunter2"}, []string{"THE_URL", "THE_WORKERS", "THE_LIMIT"}},
		"empty":                 {map[string]string{"THE_URL": ""}, []string{"THE_URL"}},
		"out of range":          {map[string]string{"THE_URL": "x", "THE_WORKERS": "9"}, []string{"THE_WORKERS must be between 1 and 8"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := settings.FromMap[config](c.variables)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not name %s", err, want)
				}
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%q shows a value", err)
			}
		})
	}
}
