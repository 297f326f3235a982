package audit

import (
	"net/http"
	"time"

	"integration.gateway/contracts"
)

// GetLog returns the state of the log.
var GetLog = contracts.Operation[GetLogRequest, LogState]{
	Integration: integration,
	Name:        "get-log",
	Method:      http.MethodGet,
	Path:        "/admin/v1/log",
	Summary:     "Get the state of the log",
	Description: "Returns how far the log, its copy in JetStream and the read models have come, and the last signed checkpoint. An auditor who keeps the checkpoint's text can prove later that nothing before it was changed or taken away.",
	Access:      contracts.AdminToken,
}

// GetLogRequest asks for the state of the log.
type GetLogRequest struct{}

// LogState says how far the log and what is made of it have come. All numbers
// but those of unsequenced events are seqs.
type LogState struct {
	Head        int64       `json:"head" doc:"Seq of the log's last event; 0 for an empty log." example:"1042"`
	Unsequenced int64       `json:"unsequenced" doc:"How many events are appended and have no seq yet." example:"0"`
	Copied      int64       `json:"copied" doc:"Seq of the last event that the JetStream stream holds." example:"1042"`
	Projected   int64       `json:"projected" doc:"Seq of the last event that the read models count in, such as the list of commands." example:"1042"`
	Checkpoint  *Checkpoint `json:"checkpoint,omitempty" doc:"The last signed checkpoint; absent until there is one."`
	Problems    []string    `json:"problems" nullable:"false" doc:"What keeps any of this from going on; empty when all is well." example:"[]"`
}

// Checkpoint is a signed statement of what the log was at one size.
type Checkpoint struct {
	Size     int64     `json:"size" doc:"How many events it covers: those up to this seq." example:"1000"`
	Root     string    `json:"root" doc:"Root hash of the Merkle tree over these events, in base64 as in the text." example:"n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="`
	Verifier string    `json:"verifier" doc:"Verifier key of the signature, which an auditor keeps." example:"log.example.com+6aa5ccf6+AXXWNo2pBgCSNE0wXLfv6lcsAcsPwPUT2JqDZmbTHlqp"`
	SignedAt time.Time `json:"signedAt" doc:"When it was signed." example:"2026-11-21T09:31:10Z"`
	Text     string    `json:"text" doc:"The signed note, in the form of C2SP tlog-checkpoint." example:"log.example.com\n1000\nn4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=\n\n— log.example.com aqXM9vS0…\n"`
}
