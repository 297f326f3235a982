// Command integrations is the service of one integration or of several as
// package chaos runs it: the service that everybody installs, which tells the
// driver at the edges of each append to the event log and goes on when the
// driver answers. So the driver can end it, stop it or cut it off at exactly
// that moment.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing/fstest"

	"integration.gateway/pkg/integration"
	"integration.gateway/pkg/service"
	"integration.gateway/pkg/settings"
	"integration.gateway/services/applications"
)

// config holds the settings that this process has beside a service's own.
type config struct {
	integration.Config
	Driver      string `env:"CHAOS_DRIVER,required,notEmpty"`  // URL of the driver
	Name        string `env:"CHAOS_PROCESS,required,notEmpty"` // what the driver calls this process
	StepTimeout string `env:"CHAOS_STEP_TIMEOUT"`              // in milliseconds; empty: the site's own

	// Sandboxes are the URLs of the applications, by integration.
	Sandboxes map[string]string `env:"CHAOS_SANDBOXES,required,notEmpty" envKeyValSeparator:"="`
}

func main() {
	cfg, err := settings.FromEnv[config]()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	service.Run(cfg.Name, func(ctx context.Context, host *service.Host) error {
		runner, err := integration.NewRunner(ctx, host, cfg.Config)
		if err != nil {
			return err
		}
		runner.Log = edges{Log: runner.Log, driver: cfg.Driver, process: cfg.Name}
		for _, a := range applications.All {
			url, served := cfg.Sandboxes[a.Name]
			if !served {
				continue
			}
			if cfg.StepTimeout != "" {
				if a.Sites, err = impatient(a.Sites, cfg.StepTimeout); err != nil {
					return err
				}
			}
			if err := runner.Serve(a.Integration, map[string]string{applications.SandboxSite: url}); err != nil {
				return err
			}
		}
		return nil
	})
}

// impatient returns a copy of an integration's sites whose sandbox gives a step
// less time: a trial waits for many steps in vain.
func impatient(sites fs.FS, milliseconds string) (fs.FS, error) {
	const settings = "sites/sandbox/site.yaml"
	hasty := fstest.MapFS{}
	err := fs.WalkDir(sites, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(sites, path)
		if path == settings {
			shorter := bytes.Replace(content, []byte("\ntimeout: 10000\n"), []byte("\ntimeout: "+milliseconds+"\n"), 1)
			if bytes.Equal(shorter, content) {
				return errors.New(settings + " has no timeout of 10000 that could be shortened")
			}
			content = shorter
		}
		hasty[path] = &fstest.MapFile{Data: content}
		return err
	})
	return hasty, err
}
