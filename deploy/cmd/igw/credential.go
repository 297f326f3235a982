package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// maxSecret bounds a secret that is read from a file, in bytes.
const maxSecret = 4096

// The environment variables that secrets may come from.
const (
	passwordVariable      = "IGW_PASSWORD"
	oneTimeSecretVariable = "IGW_ONE_TIME_SECRET" //nolint:gosec // the name of a variable, not its value
)

// credentialFlags say where an end user's secrets come from. There is no flag
// that takes a secret itself.
type credentialFlags struct {
	PasswordStdin     bool   `xor:"password" help:"Read the password from standard input."`
	PasswordFile      string `xor:"password" type:"existingfile" placeholder:"FILE" help:"Read the password from a file. Without either flag it is taken from IGW_PASSWORD, or asked for."`
	OneTimeSecretFile string `type:"existingfile" placeholder:"FILE" help:"Read the base32 secret of the one-time codes from a file. Without the flag it is taken from IGW_ONE_TIME_SECRET."`
}

func (f credentialFlags) read(ctx context.Context, c *console) (password, oneTimeSecret string, err error) {
	if password, err = f.password(ctx, c); err != nil {
		return "", "", err
	}
	if password == "" {
		return "", "", errors.New("the password is empty")
	}
	oneTimeSecret = c.env(oneTimeSecretVariable)
	if f.OneTimeSecretFile != "" {
		oneTimeSecret, err = secretFile(f.OneTimeSecretFile)
	}
	return password, oneTimeSecret, err
}

func (f credentialFlags) password(ctx context.Context, c *console) (string, error) {
	switch {
	case f.PasswordStdin:
		return await(ctx, func() (string, error) { return readSecret(c.stdin) })
	case f.PasswordFile != "":
		return secretFile(f.PasswordFile)
	case c.env(passwordVariable) != "":
		return c.env(passwordVariable), nil
	case !term.IsTerminal(int(c.stdin.Fd())):
		return "", fmt.Errorf("no password: use --password-stdin, --password-file or %s", passwordVariable)
	}
	return ask(ctx, c)
}

// ask reads the password from the terminal, which does not show it.
func ask(ctx context.Context, c *console) (string, error) {
	fd := int(c.stdin.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	fmt.Fprint(c.stderr, "Password: ")
	password, err := await(ctx, func() (string, error) {
		password, err := term.ReadPassword(fd)
		return string(password), err
	})
	fmt.Fprintln(c.stderr)
	if err != nil {
		// When Ctrl-C came first, the terminal still hides what is typed.
		return "", errors.Join(fmt.Errorf("read the password: %w", err), term.Restore(fd, before))
	}
	return password, nil
}

// await reads from a person or a pipe, who may never answer, until ctx ends.
// A read that goes on then ends with the process.
func await(ctx context.Context, read func() (string, error)) (string, error) {
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := read()
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func secretFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read a secret: %w", err)
	}
	defer func() { _ = file.Close() }()
	return readSecret(file)
}

// readSecret reads a secret to the end and leaves out the line break that
// editors and echo put there. Any other space belongs to the secret.
func readSecret(r io.Reader) (string, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxSecret+1))
	if err != nil {
		return "", fmt.Errorf("read a secret: %w", err)
	}
	if len(text) > maxSecret {
		return "", fmt.Errorf("a secret has at most %d bytes", maxSecret)
	}
	secret := strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	if strings.ContainsAny(secret, "\r\n") {
		return "", errors.New("a secret is one line")
	}
	return secret, nil
}
