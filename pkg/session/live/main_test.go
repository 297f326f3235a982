package live_test

import (
	"testing"

	"integration.gateway/pkg/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }
