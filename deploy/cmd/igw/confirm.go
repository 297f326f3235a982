package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/term"
)

// maxAnswerLine bounds what is read of an answer, in bytes.
const maxAnswerLine = 100

// confirm has the operator type a word before something is done that cannot be
// undone. Any other answer, or none, is an error.
func confirm(ctx context.Context, c *console, word string) error {
	if !term.IsTerminal(int(c.stdin.Fd())) {
		return errors.New("there is no terminal to ask on; nothing was done: add --yes to go on without being asked")
	}
	fmt.Fprintf(c.stderr, "Type %q to go on: ", word)
	answer, err := await(ctx, func() (string, error) {
		return bufio.NewReader(io.LimitReader(c.stdin, maxAnswerLine)).ReadString('\n')
	})
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the answer: %w", err)
	}
	if strings.TrimSpace(answer) != word {
		return errors.New("nothing was done")
	}
	return nil
}
