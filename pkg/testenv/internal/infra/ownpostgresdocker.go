package infra

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ory/dockertest/v3/docker"
)

// postgresContainer is a Postgres server in a container, whose first process it is.
type postgresContainer struct{ *container }

// endLimit is how long a server that the limit of Fill ends may take for that.
const endLimit = 10 * time.Second

// The server's data in the container, and where a standby is made.
const (
	containerData    = dataFolder + "/postgres"
	containerStandby = dataFolder + "/standby/postgres"
)

// Start implements Own.
func (p *postgresContainer) Start(ctx context.Context) error {
	if err := p.container.Start(ctx); err != nil {
		return err
	}
	return promote(ctx, p.url)
}

// Save implements Own.
func (p *postgresContainer) Save(ctx context.Context) error {
	if running, err := p.running(ctx); err != nil || !running {
		return errors.Join(err, p.container.Save(ctx))
	}
	if err := p.execute(ctx, baseBackup(containerDatabaseURL("127.0.0.1:"+p.image.port.Port()), containerStandby)); err != nil {
		return err
	}
	if err := p.save(ctx, containerStandby, dataFolder); err != nil {
		return err
	}
	return p.execute(ctx, "rm -rf "+containerStandby)
}

// Fill implements OwnPostgres. A server that the limit ends at once takes the container, and the script in it, along.
func (p *postgresContainer) Fill(ctx context.Context) error {
	failure := p.execute(ctx, fill(1))
	if failure == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, endLimit)
	defer cancel()
	return retry(ctx, func(ctx context.Context) error {
		running, err := p.running(ctx)
		if err == nil && running {
			err = failure
		}
		return err
	})
}

// Free implements OwnPostgres.
func (p *postgresContainer) Free(ctx context.Context) error {
	_ = p.execute(ctx, free(1)) // it may have ended, and has no limit when it starts
	return retry(ctx, func(ctx context.Context) error {
		running, err := p.running(ctx)
		if err == nil && !running {
			err = p.Start(ctx)
		}
		return errors.Join(err, p.ping(ctx, p.url))
	})
}

// StepClock implements OwnPostgres.
func (p *postgresContainer) StepClock(ctx context.Context, ahead time.Duration) error {
	if err := p.execute(ctx, setClock(containerData, ahead)); err != nil {
		return err
	}
	return checkClock(ctx, p.url, ahead)
}

func (p *postgresContainer) running(ctx context.Context) (bool, error) {
	found, err := p.client.InspectContainerWithContext(p.id, ctx)
	if err != nil {
		return false, err
	}
	return found.State.Running, nil
}

// execute runs a script in the container as the server's user.
func (p *postgresContainer) execute(ctx context.Context, script string) error {
	exec, err := p.client.CreateExec(docker.CreateExecOptions{
		Context: ctx, Container: p.id, User: "postgres", AttachStdout: true, AttachStderr: true,
		Cmd: []string{"sh", "-c", script}, Env: []string{"LD_PRELOAD="},
	})
	if err != nil {
		return err
	}
	var output bytes.Buffer
	if err := p.client.StartExec(exec.ID, docker.StartExecOptions{Context: ctx, OutputStream: &output, ErrorStream: &output}); err != nil {
		return err
	}
	ended, err := p.client.InspectExec(exec.ID)
	if err == nil && ended.ExitCode != 0 {
		err = fmt.Errorf("exit code %d: %s", ended.ExitCode, bytes.TrimSpace(output.Bytes()))
	}
	return err
}
