// Command generate writes the API document to the file that it is given.
package main

import (
	"fmt"
	"os"

	"integration.gateway/contracts/catalog"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: generate FILE")
	}
	document, err := catalog.YAML()
	if err != nil {
		return err
	}
	return os.WriteFile(args[0], document, 0o644)
}
