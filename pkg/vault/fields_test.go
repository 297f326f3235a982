package vault_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"integration.gateway/pkg/vault"
)

type person struct {
	Name     string     `json:"name" sensitive:"true"`
	Nickname string     `json:"nickname,omitempty" sensitive:"true"`
	Born     *time.Time `json:"born" sensitive:"true"`
	City     string     `json:"city"`
}

type contact struct {
	Phone string `sensitive:"true"` // no json tag
}

// household has sensitive fields in all the places where a record can have them.
type household struct {
	contact
	Head     person            `json:"head"`
	Partner  *person           `json:"partner,omitempty"`
	Members  []person          `json:"members"`
	ByRole   map[string]person `json:"byRole"`
	Grid     [1][]*person      `json:"grid"`
	Accounts []int64           `json:"accounts" sensitive:"true"`
	Hidden   string            `json:"-" sensitive:"true"`
	Dash     string            `json:"-," sensitive:"true"` //nolint:staticcheck // a field whose name is "-" must not be mistaken for one that is left out
	Free     any               `json:"free"`
	Raw      json.RawMessage   `json:"raw"`
	Balance  decimal.Decimal   `json:"balance"`
	Since    time.Time         `json:"since"`
	Big      uint64            `json:"big"`
	Labels   map[string]string `json:"labels"`
	Next     *household        `json:"next,omitempty"`
}

func newHousehold() *household {
	born := time.Date(1990, 2, 3, 0, 0, 0, 0, time.UTC)
	jane := person{Name: "PRIVATE Jane <&>", Born: &born, City: "Springfield"}
	return &household{
		contact:  contact{Phone: "PRIVATE 555"},
		Head:     jane,
		Partner:  &jane,
		Members:  []person{jane, {Name: "PRIVATE Bob", Nickname: "PRIVATE B"}},
		ByRole:   map[string]person{"owner": jane},
		Grid:     [1][]*person{{&jane, nil}},
		Accounts: []int64{9007199254740993},
		Hidden:   "PRIVATE hidden",
		Dash:     "PRIVATE dash",
		Free:     map[string]any{"x": "PRIVATE free"},
		Raw:      json.RawMessage(`{"y":"PRIVATE raw"}`),
		Balance:  decimal.RequireFromString("12.30"),
		Since:    born,
		Big:      18446744073709551615,
		Labels:   map[string]string{"sealed": "PRIVATE label"},
		Next:     &household{contact: contact{Phone: "PRIVATE 556"}},
	}
}

func TestSensitiveFieldsAreSealedWhereverTheyAreAndOpenAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	sealed, err := b.vault.SealFields(t.Context(), "ann", newHousehold())
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(sealed), "PRIVATE") || strings.Contains(string(sealed), "9007199254740993") {
		t.Errorf("something sensitive is in clear: %s", sealed)
	}
	for _, plain := range []string{`"city":"Springfield"`, `"big":18446744073709551615`, `"balance":"12.3"`, `"born":null`, `"since":"1990-02-03T00:00:00Z"`} {
		if !strings.Contains(string(sealed), plain) {
			t.Errorf("%s is not in clear: %s", plain, sealed)
		}
	}
	if strings.Contains(string(sealed), "nickname\":null") || strings.Contains(string(sealed), "PRIVATE") {
		t.Errorf("omitempty was not honoured: %s", sealed)
	}
	opened, err := b.other.OpenFields(t.Context(), "ann", sealed)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := json.Marshal(newHousehold())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(generic(t, plain), generic(t, opened)); diff != "" {
		t.Errorf("what opened is not what was sealed (-want +got):\n%s", diff)
	}
}

// generic decodes JSON for a comparison that leaves the order of members out.
func generic(t testing.TB, raw []byte) any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestSealedRecordsOpenWithinALargerOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	request, err := b.vault.SealFields(t.Context(), "ann", person{Name: "Jane"})
	if err != nil {
		t.Fatal(err)
	}
	payload, err := json.Marshal(map[string]any{"site": "shop", "request": request})
	if err != nil {
		t.Fatal(err)
	}
	opened, err := b.vault.OpenFields(t.Context(), "ann", payload)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"request":{"born":null,"city":"","name":"Jane"},"site":"shop"}`; string(opened) != want {
		t.Errorf("got %s, want %s", opened, want)
	}
}

func TestRecordWithoutSensitiveFieldsNeedsNoAccount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got, err := b.vault.SealFields(t.Context(), "", map[string]int{"items": 3})
	if err != nil || string(got) != `{"items":3}` {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := b.vault.SealFields(t.Context(), "", person{Name: "Jane"}); err == nil {
		t.Error("a sensitive field was sealed for nobody")
	}
	var keys int
	if err := b.pool.QueryRow(t.Context(), `select count(*) from account_keys`).Scan(&keys); err != nil || keys != 0 {
		t.Errorf("%d keys were made, %v", keys, err)
	}
}

func TestFieldsOfAnotherAccountDoNotOpen(t *testing.T) {
	t.Parallel()
	b := setup(t)
	sealed, err := b.vault.SealFields(t.Context(), "ann", person{Name: "Jane"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.vault.OpenFields(t.Context(), "bob", sealed); !errors.Is(err, vault.ErrNotFound) {
		t.Errorf("account without a key: got %v, want ErrNotFound", err)
	}
	if err := b.vault.Put(t.Context(), "bob", "state", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := b.vault.OpenFields(t.Context(), "bob", sealed); !errors.Is(err, vault.ErrDamaged) {
		t.Errorf("account with a key: got %v, want ErrDamaged", err)
	}
}

func TestAnyTextSurvivesSealingAndOpening(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rapid.Check(t, func(t *rapid.T) {
		want := household{
			Head:   person{Name: rapid.String().Draw(t, "name"), City: rapid.String().Draw(t, "city")},
			Labels: rapid.MapOf(rapid.SampledFrom([]string{"sealed", "a", ""}), rapid.String()).Draw(t, "labels"),
			Raw:    json.RawMessage(`null`),
		}
		sealed, err := b.vault.SealFields(context.Background(), "ann", want)
		if err != nil {
			t.Fatal(err)
		}
		opened, err := b.vault.OpenFields(context.Background(), "ann", sealed)
		if err != nil {
			t.Fatal(err)
		}
		var got household
		if err := json.Unmarshal(opened, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Head, got.Head) + cmp.Diff(want.Labels, got.Labels); diff != "" {
			t.Fatal(diff)
		}
	})
}

// FuzzOpenFields checks that nothing a damaged log can hold makes OpenFields
// panic or return anything that is not JSON.
func FuzzOpenFields(f *testing.F) {
	b := setup(f)
	sealed, err := b.vault.SealFields(context.Background(), "ann", person{Name: "Jane"})
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{string(sealed), `{"sealed":"AAAA"}`, `{"sealed":1}`, `[{"sealed":""}]`, `{"a":1e999}`, `1 2`, ``, `{"sealed":"x","sealed":"y"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		opened, err := b.vault.OpenFields(context.Background(), "ann", raw)
		if err == nil && !json.Valid(opened) {
			t.Errorf("opened as %q", opened)
		}
	})
}

func TestSealedValueOpensWhereItStandsInARecord(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, value := range []any{"PRIVATE", 12.5, true, []string{"PRIVATE"}, map[string]any{"sealed": "PRIVATE"}, map[string]any{}} {
		sealed, err := b.vault.SealValue(t.Context(), "ann", value)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(sealed), "PRIVATE") || !strings.HasPrefix(string(sealed), `{"sealed":"`) {
			t.Errorf("%v became %s", value, sealed)
		}
		opened, err := b.other.OpenFields(t.Context(), "ann", json.RawMessage(`{"quote":`+string(sealed)+`}`))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := json.Marshal(map[string]any{"quote": value})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(generic(t, plain), generic(t, opened)); diff != "" {
			t.Errorf("what opened is not what was sealed (-want +got):\n%s", diff)
		}
	}
	if sealed, err := b.vault.SealValue(t.Context(), "", nil); err != nil || string(sealed) != "null" {
		t.Errorf("nothing became %s, %v", sealed, err)
	}
	if err := b.vault.Erase(t.Context(), "ann"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.vault.SealValue(t.Context(), "ann", "PRIVATE"); !errors.Is(err, vault.ErrErased) {
		t.Errorf("got %v, want ErrErased", err)
	}
}
