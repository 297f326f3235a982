package infra

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"integration.gateway/pkg/postgres"
)

// localPostgres is a Postgres server as a local process.
type localPostgres struct {
	folder
	dir    string
	port   int
	server *postgres.Server

	environment []string // of the server
}

func (p *localPostgres) URL() string { return p.server.URL() }

// Start tries again while processes of a killed server are about to end: they hold its shared memory, and nothing tells of
// their end.
func (p *localPostgres) Start(ctx context.Context) error {
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		server, err := postgres.Start(ctx, postgres.Options{
			Dir: p.data, Port: p.port, Settings: postgresSettings, Environment: p.environment,
		})
		if err == nil {
			p.server = server
			return promote(ctx, p.URL())
		}
		if !strings.Contains(err.Error(), "shared memory block") {
			return err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return err
		}
	}
}

func (p *localPostgres) Kill(context.Context) error {
	err := p.server.Kill()
	p.forgetClock()
	return err
}

func (p *localPostgres) Stop(ctx context.Context) error {
	if p.server != nil {
		if err := p.server.Stop(ctx); err != nil {
			return err
		}
		p.forgetClock()
	}
	return os.RemoveAll(p.dir)
}

// Save implements Own.
func (p *localPostgres) Save(ctx context.Context) error {
	if p.ended() {
		return p.folder.Save(ctx)
	}
	if err := os.RemoveAll(p.saved); err != nil {
		return err
	}
	programs, err := postgres.Find()
	if err != nil {
		return err
	}
	return execute(exec.CommandContext(ctx, "sh", "-c", fmt.Sprintf(`set -e
		PATH='%[1]s':$PATH
		mkdir -m 0700 '%[2]s'
		cp -a '%[3]s/password' '%[2]s'
		%[4]s
		chown -R --reference='%[3]s/data' '%[2]s/data'`,
		programs, p.saved, p.data, baseBackup(p.URL(), filepath.Join(p.saved, "data")))))
}

// Fill implements OwnPostgres.
func (p *localPostgres) Fill(ctx context.Context) error { return p.asOwner(ctx, fill(p.server.PID())) }

// Free implements OwnPostgres.
func (p *localPostgres) Free(ctx context.Context) error {
	if !p.ended() {
		_ = p.asOwner(ctx, free(p.server.PID())) // it may just have ended, and has no limit when it starts
	}
	return retry(ctx, func(ctx context.Context) error {
		if p.ended() {
			p.forgetClock()
			return p.Start(ctx)
		}
		return pingPostgres(ctx, p.URL())
	})
}

// StepClock implements OwnPostgres.
func (p *localPostgres) StepClock(ctx context.Context, ahead time.Duration) error {
	if err := execute(exec.CommandContext(ctx, "sh", "-c", setClock(filepath.Join(p.data, "data"), ahead))); err != nil {
		return err
	}
	return checkClock(ctx, p.URL(), ahead)
}

func (p *localPostgres) ended() bool {
	select {
	case <-p.server.Done():
		return true
	default:
		return false
	}
}

// asOwner runs a script as the user that the server runs as: root may not have the right to change the limits of others.
func (p *localPostgres) asOwner(ctx context.Context, script string) error {
	cmd := exec.CommandContext(ctx, "sh", "-c", script)
	info, err := os.Stat(filepath.Join(p.data, "data"))
	if err != nil {
		return err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && os.Geteuid() == 0 {
		cmd.Dir, cmd.SysProcAttr = "/", &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: stat.Uid, Gid: stat.Gid}}
	}
	return execute(cmd)
}

func execute(cmd *exec.Cmd) error {
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(output)))
	}
	return nil
}

// forgetClock removes what the library that sets a server's clock leaves behind of one that was killed.
func (p *localPostgres) forgetClock() {
	for _, name := range []string{"/dev/shm/faketime_shm_", "/dev/shm/sem.faketime_sem_"} {
		_ = os.Remove(name + strconv.Itoa(p.server.PID()))
	}
}
