package command

import "time"

// WithPatience returns a recorder that waits no longer than that for a vault
// that cannot be reached.
func (r Recorder) WithPatience(d time.Duration) Recorder {
	r.patience = d
	return r
}
