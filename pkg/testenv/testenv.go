// Package testenv gives tests the real parts that they run on: a Postgres schema, a NATS account with JetStream and a Chromium.
//
//	func TestMain(m *testing.M) { testenv.Main(m) }
//
//	func TestAppend(t *testing.T) {
//		pool, err := pgxpool.New(ctx, testenv.DatabaseURL(t))
//		…
//
// One Postgres and one NATS server serve a whole run: `make test` starts them through cmd/testenv and hands them to every package in
// TEST_DATABASE_URL and TEST_NATS_URL. A package that is tested alone starts them itself, at the first test that needs them, and
// stops them at its end. They run in Docker containers or, without Docker, as local processes; REQUIRE_DOCKER=1 refuses the latter.
//
// A test that kills servers, damages their data or sets their clocks has its own: [OwnPostgres], [OwnPostgresWithClock], [OwnNATS].
//
// What is dear to make, such as a browser, the tests of a package may share: [Shared].
//
// Tests never meet each other: each call gives a schema or account of its own, so that they may all run in parallel.
package testenv

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// Main runs a package's tests, ends what they shared, stops the servers if this process started them, and exits. It fails a package
// whose tests pass but leave goroutines behind. Options let it overlook those of a library that leaves some.
func Main(m *testing.M, options ...goleak.Option) {
	goleak.VerifyTestMain(releasing{m}, append(options, forgottenPublisher)...)
}

// A JetStream publisher that is closed right after its first message, or while it looks for its server, forgets this goroutine.
var forgottenPublisher = goleak.IgnoreAnyFunction("github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect")

// releasing ends what is shared, and stops the servers, between the last test and the search for leaked goroutines.
type releasing struct{ m *testing.M }

// Run implements goleak.TestingM.
func (r releasing) Run() int {
	code := r.m.Run()
	if err := errors.Join(ends.run(), shared.stop()); err != nil {
		fmt.Fprintln(os.Stderr, "testenv:", err)
		code = max(code, 1)
	}
	return code
}
