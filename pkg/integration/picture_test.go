package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image/jpeg"
	"slices"
	"strings"
	"testing"

	"integration.gateway/contracts/event"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/command"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/vault"
)

// picture returns what the vault keeps of a command, and the events that refer
// to it.
func (o *office) picture(id string) (picture *flow.Picture, references []string) {
	o.Helper()
	for _, e := range o.told(id) {
		var data struct{ Picture string }
		o.must(json.Unmarshal(e.Data, &data))
		if data.Picture != "" {
			references = append(references, e.Type+" "+data.Picture)
		}
	}
	text, err := o.vault.Picture(o.Context(), o.account, id)
	if errors.Is(err, vault.ErrNotFound) || errors.Is(err, vault.ErrErased) {
		return nil, references
	}
	o.must(err)
	o.must(json.Unmarshal(text, &picture))
	return picture, references
}

func TestBrokenFlowLeavesAPictureSealedByItsAccount(t *testing.T) {
	t.Parallel()
	in := newOffice(t).instance()
	in.application.terse.Store(true)
	out := in.order(item)
	if out.events != "command.accepted effect.started effect.unknown" {
		t.Fatalf("events %s, %+v", out.events, out.err)
	}
	picture, references := in.picture(out.id)
	if want := []string{event.TypeEffectUnknown + " " + vault.PictureName(out.id)}; !slices.Equal(references, want) {
		t.Errorf("the events refer to %v, want %v", references, want)
	}
	if picture == nil {
		t.Fatal("there is no picture")
	}
	if _, err := jpeg.Decode(bytes.NewReader(picture.Image)); err != nil {
		t.Error(err)
	}
	if strings.Contains(out.stored, picture.Address) {
		t.Error("the log holds what the picture shows")
	}
	var readable int
	in.must(in.pool.QueryRow(t.Context(), `SELECT count(*) FROM secrets WHERE position($1::bytea IN sealed) > 0`, []byte("/order")).Scan(&readable))
	if readable > 0 {
		t.Error("the picture is in clear in the vault")
	}
	in.must(in.vault.Erase(t.Context(), in.account))
	if picture, _ := in.picture(out.id); picture != nil {
		t.Error("the picture is there after the erasure")
	}
}

func TestFailureBeforeTheEffectLeavesAPicture(t *testing.T) {
	t.Parallel()
	in := newOffice(t).instance()
	out := run(t.Context(), in, marketplace.AddToCart, &marketplace.AddToCartRequest{Body: marketplace.ItemChoice{ASIN: item}})
	if !strings.HasSuffix(out.events, "effect.unknown") { // nothing tells that it is in the cart
		t.Fatalf("events %s", out.events)
	}
	in.application.session.Add(1) // and its password is another one
	in.link("wrong")
	in.mustBeRefused()
	if picture, references := in.picture(out.id); picture == nil || len(references) != 1 {
		t.Errorf("got %v, %v", picture, references)
	}
}

// mustBeRefused lists with credentials that the application refuses: that is
// its answer, and no picture is taken of it.
func (in *instance) mustBeRefused() {
	in.Helper()
	out := in.list()
	if out.err == nil {
		in.Fatal("not refused")
	}
	if picture, references := in.picture(out.id); picture != nil || references != nil {
		in.Errorf("a refusal has a picture: %v", references)
	}
}

func TestPictureThatCannotBeKeptChangesNothing(t *testing.T) {
	t.Parallel()
	in := newOffice(t).instance()
	in.application.terse.Store(true)
	if _, err := in.pool.Exec(t.Context(), `DROP FUNCTION drop_old_pictures; ALTER TABLE secrets ADD CHECK (name NOT LIKE 'picture/%')`); err != nil {
		t.Fatal(err)
	}
	out := in.order(item)
	if out.events != "command.accepted effect.started effect.unknown" || strings.Contains(out.stored, `"picture"`) {
		t.Errorf("events %s: %s", out.events, out.stored)
	}
}

// Nobody's page is nobody's to open.
func TestOperationWithoutAnAccountKeepsNoPicture(t *testing.T) {
	t.Parallel()
	p := &Player{}
	cmd := &command.Command{ID: "c1"}
	p.keepPicture(context.Background(), cmd, &flow.Failure{Picture: &flow.Picture{Image: []byte("x")}}) // a vault would be asked for
}
