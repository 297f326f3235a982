// Command generate writes the document of the API, that of the events and the
// list of sensitive fields into the directory that it runs in.
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
	openAPI, err := catalog.GenerateOpenAPI()
	if err != nil {
		return err
	}
	asyncAPI, err := catalog.GenerateAsyncAPI()
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		"openapi.gen.yaml":  openAPI,
		"asyncapi.gen.yaml": asyncAPI,
		"sensitive.gen.txt": catalog.SensitiveText(),
	} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			return err
		}
	}
	return nil
}
