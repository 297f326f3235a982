package browser_test

import (
	"os"
	"testing"

	"integration.gateway/pkg/testenv"
)

func TestMain(m *testing.M) {
	if os.Getenv(parentVar) != "" {
		beParent()
	}
	testenv.Main(m)
}
