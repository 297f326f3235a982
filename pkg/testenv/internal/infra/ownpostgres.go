package infra

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// writable is how much of a file a server can write whose disk is full, in bytes. What it writes of its log goes beyond that at once.
const writable = 64 << 10

// limitFiles is a script that limits, in a server and its children, how far files are written. Those that it starts later inherit that
// from it. The system then says EFBIG where a full disk would have it say ENOSPC: no file system has to be filled.
func limitFiles(pid int, limit string) string {
	return fmt.Sprintf(`set -e
		prlimit --pid %[1]d --fsize=%[2]s:
		for child in $(cat /proc/%[1]d/task/%[1]d/children); do
			prlimit --pid "$child" --fsize=%[2]s: 2>/dev/null || true # it may have ended
		done`, pid, limit)
}

func fill(pid int) string { return limitFiles(pid, fmt.Sprint(writable)) }

func free(pid int) string { return limitFiles(pid, "unlimited") }

// clockEnvironment has a server take its wall clock from the file clock in its data folder, once there is one, which it reads at each
// look at the clock, so that all of its processes mean the same time. The loader replaces $LIB.
var clockEnvironment = []string{
	"LD_PRELOAD=/usr/$LIB/faketime/libfaketime.so.1",
	"FAKETIME_TIMESTAMP_FILE=clock",
	"FAKETIME_NO_CACHE=1",
	"FAKETIME_DONT_FAKE_MONOTONIC=1",
	"NO_FAKE_STAT=1",
}

// setClock is a script that sets the clock of the server on a data folder.
func setClock(data string, ahead time.Duration) string {
	return fmt.Sprintf(`set -e
		cd '%s'
		echo '%+d' >clock.new
		chmod 0644 clock.new
		mv clock.new clock`, data, int(ahead.Seconds()))
}

// clockTolerance is what a look at a server's clock may take.
const clockTolerance = 10 * time.Second

// checkClock returns an error unless the server's clock is ahead of the machine's by so much.
func checkClock(ctx context.Context, databaseURL string, ahead time.Duration) error {
	var now time.Time
	if err := query(ctx, databaseURL, `SELECT clock_timestamp()`, &now); err != nil {
		return err
	}
	if off := time.Until(now) - ahead; off.Abs() > clockTolerance {
		return fmt.Errorf("the server's clock is wrong by %v: is libfaketime there, and was the server started as %s?", off, PostgresClock)
	}
	return nil
}

// baseBackup is a script that makes a standby of a running server, which follows it no longer.
func baseBackup(databaseURL, data string) string {
	return fmt.Sprintf(`set -e
		rm -rf '%[2]s'
		pg_basebackup --dbname='%[1]s' --no-password --pgdata='%[2]s' --checkpoint=fast --wal-method=stream --no-sync
		touch '%[2]s/standby.signal'`, databaseURL, data)
}

// promote has a server take writes that is a standby, and returns when it does.
func promote(ctx context.Context, databaseURL string) error {
	var done bool
	err := query(ctx, databaseURL, `SELECT CASE WHEN pg_is_in_recovery() THEN pg_promote() ELSE true END`, &done)
	if err == nil && !done {
		err = fmt.Errorf("the standby was not promoted in time")
	}
	return err
}

func query(ctx context.Context, databaseURL, statement string, into any) error {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	if err := conn.QueryRow(ctx, statement).Scan(into); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}
