package contracts_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/contracts"
)

func TestFillExampleReadsTheTags(t *testing.T) {
	t.Parallel()
	type line struct {
		Text string `example:"one"`
	}
	type Embedded struct {
		Page int `example:"2"`
	}
	type record struct {
		Embedded
		Text    string           `example:"a \"quoted\" text"`
		Status  contracts.Status `example:"ok"`
		Count   *int             `example:"0"`
		Ratio   float64          `example:"37.5"`
		On      bool             `example:"true"`
		At      time.Time        `example:"2026-11-24T10:00:00Z"`
		Ends    *time.Time       `example:"2026-11-24T11:00:00Z"`
		IDs     []int64          `example:"[7,9]"`
		Lines   []line
		First   line
		Price   *contracts.Money
		Without string
		Extra   map[string]string
	}
	count, ends := 0, time.Date(2026, 11, 24, 11, 0, 0, 0, time.UTC)
	want := record{
		Embedded: Embedded{Page: 2},
		Text:     `a "quoted" text`, Status: contracts.StatusOK, Count: &count, Ratio: 37.5, On: true,
		At: ends.Add(-time.Hour), Ends: &ends, IDs: []int64{7, 9}, Lines: []line{{"one"}}, First: line{"one"},
		Price: &contracts.Money{Amount: "24.99", Currency: "USD"},
	}
	var got record
	contracts.FillExample(&got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFillExampleRefusesATagThatDoesNotFit(t *testing.T) {
	t.Parallel()
	defer func() {
		if err, ok := recover().(error); !ok || !strings.Contains(err.Error(), "Count") {
			t.Errorf("panic %v, want an error that names the field", err)
		}
	}()
	contracts.FillExample(&struct {
		Count int `example:"many"`
	}{})
	t.Error("no panic")
}
