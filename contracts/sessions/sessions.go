// Package sessions is what processes tell each other about a session: who wants
// to reach one asks on the bus for the instance that holds its browser.
package sessions

import "time"

// Subject is where the instance that holds a session's browser answers, with a
// Holder to each Ask. When nobody does, the session has ended.
func Subject(id string) string { return "session." + id }

// AskTimeout bounds the wait for an answer. Stopping a browser is included.
const AskTimeout = 10 * time.Second

// Ask asks for the holder of a session; both are JSON on the bus.
type Ask struct {
	// Stop ends the session, when it is not empty, for that reason: one of the
	// constants of package event. The answer comes once nothing of it is left.
	Stop string `json:"stop,omitempty"`
}

// Holder is the instance that holds a session's browser.
type Holder struct {
	// URL is where it serves HTTP under the paths of this package, such as
	// http://10.0.0.7:9070.
	URL string `json:"url"`
}

// TicketPrefix is what every ticket begins with, and no other token does.
const TicketPrefix = "igw_st_"

// The paths below Path(id), at the gateway and, the same, at the holder. Where
// a ticket is not in the path, it comes as Authorization: Bearer.
const (
	BrowserPath = "/devtools/browser/" // + ticket: the DevTools protocol over a WebSocket (GET)
	LivePath    = "/live"              // the page that shows the session live (GET); its ticket is in the fragment
	StatusPath  = "/status"            // a Status (GET)
	ViewPath    = "/view"              // makes a ticket to look only (POST): a Link; needs a ticket to control
	StopPath    = "/stop"              // ends the session (POST); needs a ticket to control
)

// Path is where all of a session is found.
func Path(id string) string { return "/sessions/" + id }

// Status is what a client of a session is told about it.
type Status struct {
	Purpose string    `json:"purpose"` // of the ticket: control or view
	Now     time.Time `json:"now"`
	Expires time.Time `json:"expires"`
	Clients []Client  `json:"clients"` // connected now
}

// Client is one that is connected.
type Client struct {
	Purpose string    `json:"purpose"`
	Since   time.Time `json:"since"`
}

// Link is the address of a page.
type Link struct {
	URL string `json:"url"`
}
