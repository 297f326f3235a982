package vault_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/pkg/vault"
)

func TestFieldsOfAnErasedAccountAreShownAsErased(t *testing.T) {
	t.Parallel()
	b := setup(t)
	sealed, err := b.vault.SealFields(t.Context(), "ann", struct {
		Name  string   `json:"name" sensitive:"true"`
		Lines []string `json:"lines" sensitive:"true"`
		Price string   `json:"price"`
	}{"PRIVATE", []string{"PRIVATE"}, "12.50"})
	if err != nil {
		t.Fatal(err)
	}
	raw := json.RawMessage(`{"result":` + string(sealed) + `,"durationMs":1734}`)
	show := func(want string) {
		t.Helper()
		shown, err := b.other.ShowFields(t.Context(), "ann", raw)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(generic(t, []byte(want)), generic(t, shown)); diff != "" {
			t.Errorf("shown (-want +got):\n%s", diff)
		}
	}
	show(`{"result":{"name":"PRIVATE","lines":["PRIVATE"],"price":"12.50"},"durationMs":1734}`)
	if err := b.vault.Erase(t.Context(), "ann"); err != nil {
		t.Fatal(err)
	}
	show(`{"result":{"name":{"erased":true},"lines":{"erased":true},"price":"12.50"},"durationMs":1734}`)
}

func TestRecordWithoutSealedFieldsIsShownAsItIs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const raw = `{"request":{"asin":"B000000001","limit":9007199254740993},"note":"<&>"}`
	if shown, err := b.vault.ShowFields(t.Context(), "", json.RawMessage(raw)); err != nil || string(shown) != `{"note":"<&>","request":{"asin":"B000000001","limit":9007199254740993}}` {
		t.Errorf("got %s, %v", shown, err)
	}
	if _, err := b.vault.ShowFields(t.Context(), "nobody", json.RawMessage(`{"name":{"sealed":"AA=="}}`)); !errors.Is(err, vault.ErrNotFound) {
		t.Errorf("of an account without a key: got %v", err)
	}
}
