// Command igw is the command line of operators and auditors. Callers, access
// tokens, linked accounts, commands and sessions it manages through the gateway's
// /admin/v1; the event log it reads in its database, or from a bundle with
// neither database nor network.
//
// It takes GATEWAY_URL and ADMIN_TOKEN, or DATABASE_URL, from the environment.
// Secrets are never arguments, which every user of the machine can see in the
// list of processes.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
)

// cli is the tree of commands. Each command's Run is in the file of its noun.
type cli struct {
	GatewayURL string `name:"gateway-url" env:"GATEWAY_URL" default:"http://127.0.0.1:8080" help:"Address of the gateway."`
	JSON       bool   `name:"json" help:"Print JSON instead of a table."`

	Caller  callerCommands  `cmd:"" help:"Products and agents that call the API."`
	Token   tokenCommands   `cmd:"" help:"Access tokens of callers."`
	Account accountCommands `cmd:"" help:"End users' linked accounts."`
	Command commandCommands `cmd:"" help:"Commands and what became of them."`
	Session sessionCommands `cmd:"" help:"Sessions: signed-in browsers that callers were given."`
	Events  eventsCommands  `cmd:"" help:"The event log: reading and replaying it (needs DATABASE_URL)."`
	Audit   auditCommands   `cmd:"" help:"The event log as evidence: verifying it, and bundles of it."`
	Site    siteCommands    `cmd:"" help:"Sites: trying the folders that point an integration at a web application."`
	Migrate migrate         `cmd:"" help:"Create or update the tables in DATABASE_URL and VAULT_DATABASE_URL."`
}

// console is where the command line reads and writes.
type console struct {
	env    func(name string) string
	vars   map[string]string // what settings come from; nil: the environment
	stdin  *os.File
	stdout io.Writer
	stderr io.Writer
}

// The exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], console{env: os.Getenv, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr})
	stop()
	os.Exit(code)
}

// exit carries the code with which kong wants to end the process after --help.
type exit int

// run carries out one command line and returns the process's exit code.
func run(ctx context.Context, args []string, c console) (code int) {
	defer func() {
		if r := recover(); r != nil {
			wanted, ok := r.(exit)
			if !ok {
				panic(r)
			}
			code = int(wanted)
		}
	}()
	var commands cli
	parser, err := kong.New(&commands,
		kong.Name("igw"),
		kong.Description("Manages and audits the Integration Gateway. The admin token is taken from ADMIN_TOKEN."),
		kong.Writers(c.stdout, c.stderr),
		kong.Exit(func(code int) { panic(exit(code)) }),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(&c),
		kong.BindToProvider(func() (*printer, error) {
			return &printer{w: c.stdout, json: commands.JSON}, nil
		}),
		kong.BindToProvider(func() (*client, error) { // for commands that ask the gateway
			return newClient(commands.GatewayURL, c.env("ADMIN_TOKEN"))
		}),
	)
	if err != nil {
		return fail(c, err, exitUsage)
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		return fail(c, fmt.Errorf("%w (see igw --help)", err), exitUsage)
	}
	err = parsed.Run()
	switch {
	case err == nil:
		return exitOK
	case ctx.Err() != nil:
		return fail(c, errors.New("interrupted"), exitFailed)
	case errors.Is(err, errGatewayURL), errors.Is(err, errAdminToken):
		return fail(c, err, exitUsage)
	default:
		return fail(c, err, exitFailed)
	}
}

func fail(c console, err error, code int) int {
	lines := strings.Split(err.Error(), "\n")
	for i := range lines { // they may quote what a log or a bundle says
		lines[i] = printable(strings.ReplaceAll(lines[i], "\t", "  "))
	}
	fmt.Fprintln(c.stderr, "igw:", strings.Join(lines, "\n"))
	return code
}
