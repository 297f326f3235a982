package tab

import (
	_ "embed"
	"strings"
)

// The script that looks, waits and acts inside the page. It is one closure,
// told in parts.
var (
	//go:embed inpage/select.js
	selectJS string
	//go:embed inpage/frame.js
	frameJS string
	//go:embed inpage/name.js
	nameJS string
	//go:embed inpage/state.js
	stateJS string
	//go:embed inpage/change.js
	changeJS string
	//go:embed inpage/read.js
	readJS string
	//go:embed inpage/ask.js
	askJS string
	//go:embed inpage/watch.js
	watchJS string
	//go:embed inpage/install.js
	installJS string
)

const (
	// world is the isolated world that the script lives in: it sees the
	// page's document and none of the page's own script.
	world = "gateway"
	// binding is how the script tells the gateway something; its calls keep
	// their order among the page's other events.
	binding = "gatewayTell"
)

var script = "(() => {\nif (globalThis.gateway) { globalThis." + binding + "('hello'); return; }\n" +
	"const tell = message => globalThis." + binding + "(message);\n" +
	strings.Join([]string{selectJS, frameJS, nameJS, stateJS, changeJS, readJS, askJS, watchJS, installJS, nearJS}, "\n") + "\n})()"
