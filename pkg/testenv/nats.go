package testenv

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// NATSURL returns the URL of a NATS account with JetStream that no other running test uses: subjects, services and streams
// have no need of unique names. The account's streams are deleted when the test ends.
func NATSURL(t testing.TB) string {
	t.Helper()
	running := shared.get(t)
	account, err := drawAccount(running.databaseURL)
	if err != nil {
		t.Fatalf("testenv: draw a NATS account: %v", err)
	}
	address, err := url.Parse(running.natsURL)
	if err != nil {
		t.Fatalf("testenv: TEST_NATS_URL is not a URL: %v", err)
	}
	address.User = url.UserPassword(account, account)
	// Emptied before as well: the accounts go round, and an earlier holder may have been killed.
	if err := emptyAccount(address.String()); err != nil {
		t.Fatalf("testenv: NATS account %s: %v", account, err)
	}
	t.Cleanup(func() {
		if err := emptyAccount(address.String()); err != nil {
			t.Errorf("testenv: NATS account %s: %v", account, err)
		}
	})
	return address.String()
}

// drawAccount takes the next account's name from the sequence that all test processes of the run share.
func drawAccount(databaseURL string) (string, error) {
	var n int
	err := withConn(databaseURL, func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "SELECT nextval('public.testenv_nats_account')").Scan(&n)
	})
	return fmt.Sprintf("t%d", n), err
}

// emptyAccount deletes the account's streams, and with them its key-value buckets and object stores.
func emptyAccount(address string) error {
	conn, err := nats.Connect(address)
	if err != nil {
		return err
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), stepLimit)
	defer cancel()
	streams := js.StreamNames(ctx)
	var errs []error
	for name := range streams.Name() {
		if err := js.DeleteStream(ctx, name); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			errs = append(errs, fmt.Errorf("delete stream %s: %w", name, err))
		}
	}
	return errors.Join(append(errs, streams.Err())...)
}
