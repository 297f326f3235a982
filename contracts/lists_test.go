package contracts_test

import (
	"encoding/json"
	"testing"
	"time"

	"integration.gateway/contracts"
)

func TestNoListIsNull(t *testing.T) {
	t.Parallel()
	type Inner struct {
		IDs []int64 `json:"ids"`
	}
	v := struct {
		Names    []string        `json:"names"`
		Optional []string        `json:"optional,omitempty"`
		Inner    Inner           `json:"inner"`
		Pointer  *Inner          `json:"pointer"`
		Absent   *Inner          `json:"absent"`
		Records  []Inner         `json:"records"`
		At       *time.Time      `json:"at"`
		Raw      json.RawMessage `json:"raw"`
	}{Pointer: &Inner{}, Records: []Inner{{}, {IDs: []int64{7}}}, At: new(time.Time)}
	contracts.EmptyLists(&v)
	got, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"names":[],"inner":{"ids":[]},"pointer":{"ids":[]},"absent":null,"records":[{"ids":[]},{"ids":[7]}],"at":"0001-01-01T00:00:00Z","raw":null}`
	if string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
