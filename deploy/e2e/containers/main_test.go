// Package containers tests the gateway as it runs on Docker: deploy/compose.yaml
// with the images of deploy/images, each process in a container of its own.
package containers_test

import (
	"testing"

	"integration.gateway/pkg/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

const deploy = "../.." // folder of compose.yaml
