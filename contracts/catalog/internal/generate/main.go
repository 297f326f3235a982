// Command generate writes the API document and the list of sensitive fields
// into the directory that it runs in.
package main

import (
	"fmt"
	"os"

	"integration.gateway/contracts/catalog"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	document, err := catalog.YAML()
	if err != nil {
		return err
	}
	if err := os.WriteFile("openapi.gen.yaml", document, 0o600); err != nil {
		return err
	}
	return os.WriteFile("sensitive.gen.txt", catalog.SensitiveText(), 0o600)
}
