package schema_test

import (
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"

	"integration.gateway/pkg/schema"
	"integration.gateway/pkg/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func files(sql ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for i, text := range sql {
		m["migrations/00"+string(rune('1'+i))+"_step.sql"] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

const (
	first  = `create table things (n int); insert into things values (1);`
	second = `insert into things values (2);`
)

func count(t *testing.T, databaseURL string) int {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	var n int
	if err := conn.QueryRow(t.Context(), `select count(*) from things`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestEachMigrationIsAppliedOnceHoweverManyApply(t *testing.T) {
	t.Parallel()
	databaseURL := testenv.DatabaseURL(t)
	for _, fs := range []fstest.MapFS{files(first), files(first, second)} {
		var calls sync.WaitGroup
		for range 4 {
			calls.Go(func() {
				if err := schema.Apply(t.Context(), databaseURL, "things_version", fs); err != nil {
					t.Error(err)
				}
			})
		}
		calls.Wait()
		if got := count(t, databaseURL); got != len(fs) {
			t.Errorf("got %d rows after %d migrations", got, len(fs))
		}
	}
}

func TestMigrationThatFailsChangesNothingAndNamesItsTable(t *testing.T) {
	t.Parallel()
	databaseURL := testenv.DatabaseURL(t)
	if err := schema.Apply(t.Context(), databaseURL, "things_version", files(first)); err != nil {
		t.Fatal(err)
	}
	err := schema.Apply(t.Context(), databaseURL, "things_version", files(first, second+` insert into nothing values (1);`))
	if err == nil || !strings.Contains(err.Error(), "things_version") {
		t.Errorf("got %v", err)
	}
	if got := count(t, databaseURL); got != 1 {
		t.Errorf("got %d rows", got)
	}
	if err := schema.Apply(t.Context(), databaseURL, "things_version", files(first, second)); err != nil {
		t.Errorf("after the mistake was corrected: %v", err)
	}
}

func TestUnreachableDatabaseIsSaidWithoutItsPassword(t *testing.T) {
	t.Parallel()
	err := schema.Apply(t.Context(), "postgres://u:hunter2@127.0.0.1:1/x", "things_version", files(first))
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
}
