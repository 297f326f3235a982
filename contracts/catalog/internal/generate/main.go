// Command generate writes the API document into the directory that it runs in.
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
	return os.WriteFile("openapi.gen.yaml", document, 0o600)
}
