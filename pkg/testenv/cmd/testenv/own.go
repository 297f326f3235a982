package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"integration.gateway/pkg/testenv/internal/infra"
)

// ownStepLimit bounds one command, such as a start that recovers.
const ownStepLimit = time.Minute

// own keeps up a server that one test has for itself, and does to it what each line of standard input says. It prints the
// server's URL, then for each line "ok" or what went wrong. It ends with standard input, and the server with it.
func own(signals context.Context, kind string) (err error) {
	starting, cancel := context.WithTimeout(signals, startLimit)
	defer cancel()
	server, err := infra.StartOwn(starting, kind, infra.Options{RequireDocker: requireDocker()})
	if err != nil {
		return err
	}
	defer func() {
		stopping, cancel := context.WithTimeout(context.Background(), stopLimit)
		defer cancel()
		err = errors.Join(err, server.Stop(stopping))
	}()
	fmt.Println(server.URL())
	commands := lines(os.Stdin)
	for {
		select {
		case line, more := <-commands:
			if !more {
				return nil
			}
			if err := obey(signals, server, line); err != nil {
				fmt.Println("error:", strings.ReplaceAll(err.Error(), "\n", "; "))
				continue
			}
			fmt.Println("ok")
		case <-signals.Done():
			return nil
		}
	}
}

func obey(ctx context.Context, server infra.Own, line string) error {
	ctx, cancel := context.WithTimeout(ctx, ownStepLimit)
	defer cancel()
	switch line {
	case "kill":
		return server.Kill(ctx)
	case "start":
		return server.Start(ctx)
	case "save":
		return server.Save(ctx)
	case "restore":
		return server.Restore(ctx)
	case "remove":
		return server.Remove(ctx)
	}
	if postgres, is := server.(infra.OwnPostgres); is {
		return obeyPostgres(ctx, postgres, line)
	}
	return unknown(line)
}

func obeyPostgres(ctx context.Context, server infra.OwnPostgres, line string) error {
	command, argument, _ := strings.Cut(line, " ")
	switch command {
	case "fill":
		return server.Fill(ctx)
	case "free":
		return server.Free(ctx)
	case "clock":
		ahead, err := time.ParseDuration(argument)
		if err != nil {
			return err
		}
		return server.StepClock(ctx, ahead)
	}
	return unknown(line)
}

func unknown(line string) error { return fmt.Errorf("%q is not a command of this server", line) }

// lines yields the lines of the input until its end. It may wait for one for as long as the program lives.
func lines(input io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(input)
		for scanner.Scan() {
			lines <- scanner.Text()
		}
	}()
	return lines
}
