package main

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

func TestAnOwnServerIsGoneWithItsInputOrAfterAnInterrupt(t *testing.T) {
	t.Parallel()
	for name, environment := range map[string][]string{"as on this machine": asOnThisMachine, "without Docker": withoutDocker} {
		for ending, end := range map[string]func(p *program) error{
			"input ends": func(p *program) error { return p.input.Close() },
			"interrupt":  func(p *program) error { return p.Process.Signal(os.Interrupt) },
		} {
			t.Run(name+", "+ending, func(t *testing.T) {
				p := start(t, environment, "-own", "nats")
				address := p.line()
				p.listens(address, true)
				p.obeys("kill")
				p.listens(address, false)
				p.obeys("start")
				p.listens(address, true)
				if err := end(p); err != nil {
					t.Fatal(err)
				}
				if code := p.end(); code != 0 {
					t.Errorf("exit code %d: %s", code, p.errors)
				}
				p.listens(address, false)
				p.leavesNoFiles()
			})
		}
	}
}

func TestOwnLocalServersEndWithAKilledProgram(t *testing.T) {
	t.Parallel()
	for kind, last := range map[string]string{"postgres": "*/postgres/data/postmaster.pid", "nats": "*/nats-server_*.ports"} {
		t.Run(kind, func(t *testing.T) {
			p := start(t, withoutDocker, "-own", kind)
			p.listens(p.line(), true)
			if err := p.Process.Signal(syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			p.end()
			p.awaitNone(last)
		})
	}
}

func TestAnOwnServerSaysWhatItCannotDo(t *testing.T) {
	p := start(t, asOnThisMachine, "-own", "nats")
	p.line()
	for _, command := range []string{"save the world", "start again", "fill", ""} {
		if answer := p.tell(command); !strings.HasPrefix(answer, "error: ") {
			t.Errorf("%q: %s", command, answer)
		}
	}
	if err := p.input.Close(); err != nil {
		t.Fatal(err)
	}
	if code := p.end(); code != 0 {
		t.Errorf("exit code %d: %s", code, p.errors)
	}
}

func TestOwnServersAreOfFewKinds(t *testing.T) {
	p := start(t, asOnThisMachine, "-own", "oracle")
	if code := p.end(); code != 1 || !strings.Contains(p.errors.String(), `"oracle" is not a kind of server`) {
		t.Errorf("exit code %d: %s", code, p.errors)
	}
}

func (p *program) tell(command string) (answer string) {
	p.t.Helper()
	if _, err := fmt.Fprintln(p.input, command); err != nil {
		p.t.Fatal(err)
	}
	return p.line()
}

func (p *program) obeys(command string) {
	p.t.Helper()
	if answer := p.tell(command); answer != "ok" {
		p.t.Fatalf("%s: %s", command, answer)
	}
}

// listens fails the test unless something listens at the address, or nothing does.
func (p *program) listens(address string, want bool) {
	p.t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		p.t.Fatal(err)
	}
	conn, err := new(net.Dialer).DialContext(p.ctx, "tcp", parsed.Host)
	if err == nil {
		_ = conn.Close()
	}
	if got := err == nil; got != want {
		p.t.Errorf("a server listens at %s: %v", parsed.Host, got)
	}
}

// TestAnOwnPostgres tries what can be done to a Postgres server beside killing it.
func TestAnOwnPostgres(t *testing.T) {
	t.Parallel()
	for name, environment := range map[string][]string{"as on this machine": asOnThisMachine, "without Docker": withoutDocker} {
		t.Run(name, func(t *testing.T) {
			p := start(t, environment, "-own", "postgres-clock")
			url := p.line()
			p.query(url, "CREATE TABLE event (id int, note text)")
			hasItsClockSet(p, url)
			hasAFullDisk(p, url)
			failsOver(p, url)
			if err := p.input.Close(); err != nil {
				t.Fatal(err)
			}
			if code := p.end(); code != 0 {
				t.Errorf("exit code %d: %s", code, p.errors)
			}
			p.leavesNoFiles()
		})
	}
}

func failsOver(p *program, url string) {
	p.query(url, "INSERT INTO event VALUES (1)")
	p.obeys("save")
	p.query(url, "INSERT INTO event VALUES (2)")
	p.obeys("kill")
	p.obeys("restore")
	p.obeys("start")
	if got := p.query(url, "SELECT array_agg(id) FILTER (WHERE id > 0) || left(pg_walfile_name(pg_current_wal_lsn()), 8)::int FROM event"); got != "{1,2}" {
		p.t.Errorf("events and timeline: %s", got)
	}
	p.query(url, "INSERT INTO event VALUES (3)")
}

func hasAFullDisk(p *program, url string) {
	const more = "INSERT INTO event (note) SELECT repeat('x', 500) FROM generate_series(1, 1000)"
	p.obeys("fill")
	if _, err := p.try(url, more); err == nil {
		p.t.Error("it is written all the same")
	}
	p.obeys("free")
	p.query(url, more)
	if got := p.query(url, "SELECT count(*) FROM event"); got != "1000" {
		p.t.Errorf("%s rows", got)
	}
}

func hasItsClockSet(p *program, url string) {
	for _, ahead := range []time.Duration{2 * time.Minute, -2 * time.Minute, 0} {
		p.obeys("clock " + ahead.String())
		now, err := time.Parse(time.RFC3339Nano, p.query(url, "SELECT to_json(clock_timestamp()) #>> '{}'"))
		if off := time.Until(now) - ahead; err != nil || off.Abs() > time.Minute {
			p.t.Errorf("set ahead by %v it tells %v: %v", ahead, now, err)
		}
	}
}

// query returns the text of the only value that a statement gives; "" for none.
func (p *program) query(url, statement string) string {
	p.t.Helper()
	text, err := p.try(url, statement)
	if err != nil {
		p.t.Fatalf("%s: %v", statement, err)
	}
	return text
}

func (p *program) try(url, statement string) (text string, err error) {
	conn, err := pgx.Connect(p.ctx, url)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(p.ctx) }()
	results, err := conn.PgConn().Exec(p.ctx, statement).ReadAll()
	if err == nil && len(results[0].Rows) > 0 {
		text = string(results[0].Rows[0][0])
	}
	return text, err
}
