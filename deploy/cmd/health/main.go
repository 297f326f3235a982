// Command health asks a process whether it is well, from inside its container,
// where there may be no other program: it exits with 0 when the address that it
// is given answers 200, and otherwise says why not.
//
//	health http://127.0.0.1:8080/readyz
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

const (
	limit      = 5 * time.Second
	shownBytes = 1 << 10 // of an answer that is not 200
)

func main() {
	if err := ask(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "health:", err)
		os.Exit(1)
	}
}

func ask(arguments []string) error {
	if len(arguments) != 1 {
		return errors.New("give it one address")
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, arguments[0], nil) //nolint:gosec // the address is what this command is for
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request) //nolint:gosec // the same
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode == http.StatusOK {
		return nil
	}
	text, _ := io.ReadAll(io.LimitReader(response.Body, shownBytes)) // the status alone says it
	return fmt.Errorf("%s: %s", response.Status, text)
}
