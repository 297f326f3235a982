package audit

import (
	"errors"
	"fmt"
	"time"

	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/proof"
	"integration.gateway/pkg/readmodel"
	"integration.gateway/pkg/service"
	"integration.gateway/pkg/settings"
)

// Questions take milliseconds. A session that is stopped keeps its worker for
// seconds, and only a command that is settled by hand does so for up to two
// minutes; the operator settles few.
const (
	Workers = 16 // requests carried out at once
	queue   = 64
)

// Config holds the settings of this service, beside those of every process.
type Config struct {
	CheckpointKey    string        `env:"CHECKPOINT_KEY,required,notEmpty"` // private key that signs checkpoints, as "igw audit new-key" makes it; a secret
	CheckpointEvents int           `env:"CHECKPOINT_EVENTS" envDefault:"1000"`
	CheckpointAge    time.Duration `env:"CHECKPOINT_AGE" envDefault:"10s"` // the longest that an event waits for a checkpoint

	// Replicas is on how many NATS servers each of the log's copy, the journal
	// of effects and the last checkpoint is. With one, its disk may lose them.
	Replicas int `env:"EVENTS_REPLICAS" envDefault:"1"`
}

// Validate checks the key and the ranges. Its errors never show the key.
func (c *Config) Validate() error {
	var errs []error
	if _, err := proof.NewSigner(c.CheckpointKey); err != nil {
		errs = append(errs, fmt.Errorf("CHECKPOINT_KEY: %w", err))
	}
	errs = append(errs,
		settings.Between("EVENTS_REPLICAS", c.Replicas, 1, 5),
		settings.Between("CHECKPOINT_EVENTS", c.CheckpointEvents, 1, 1_000_000))
	if c.CheckpointAge < 10*time.Millisecond || c.CheckpointAge > time.Hour {
		errs = append(errs, errors.New("CHECKPOINT_AGE must be between 10ms and 1h"))
	}
	return errors.Join(errs...)
}

// Serve runs the service on a process's host until the host is closed, and
// with it the log's keeper and the read models' projector.
func Serve(host *service.Host, cfg Config) error {
	signer, err := proof.NewSigner(cfg.CheckpointKey)
	if err != nil {
		return fmt.Errorf("CHECKPOINT_KEY: %w", err)
	}
	keeper := eventlog.NewKeeper(eventlog.KeeperConfig{
		Pool: host.LogPool, NATS: host.Bus, Logger: host.Logger,
		Replicas: cfg.Replicas, Signer: signer, CheckpointEvents: cfg.CheckpointEvents, CheckpointAge: cfg.CheckpointAge,
	})
	projector := readmodel.NewProjector(host.LogPool, host.Log, host.Logger)
	s := New(Parts{
		Pool:     host.LogPool,
		NATS:     host.Bus,
		Vault:    host.Vault,
		Logger:   host.Logger,
		Problems: []func() error{keeper.Err, projector.Err},
	})
	err = host.Start(bus.Config{
		Name:        "audit",
		Description: "The event log: its order, its proof and what it tells.",
		Workers:     Workers,
		Queue:       queue,
	}, s.Bind)
	if err != nil {
		return err
	}
	host.GoVital("the event log's keeper", keeper.Run)
	host.GoVital("the read models' projector", projector.Run)
	return nil
}
