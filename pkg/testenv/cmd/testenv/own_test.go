package main

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
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
	for _, command := range []string{"save the world", "start again", ""} {
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

func TestThereAreTwoKindsOfOwnServers(t *testing.T) {
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
