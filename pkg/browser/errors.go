package browser

import "errors"

// The causes with which a page's context ends before its time. All but
// ErrReleased are faults outside of the command that holds the page.
var (
	// ErrGone says that the Chromium process has ended or does not answer.
	ErrGone = errors.New("browser: chromium is gone")
	// ErrCrashed says that the page's renderer has crashed.
	ErrCrashed = errors.New("browser: the page crashed")
	// ErrHung says that the page does not answer, as in an endless loop.
	ErrHung = errors.New("browser: the page hangs")
	// ErrPageClosed says that the page was closed, by itself or with its context.
	ErrPageClosed = errors.New("browser: the page was closed")
	// ErrReleased says that the page was given back.
	ErrReleased = errors.New("browser: the page was released")
	// ErrClosed says that the pool was closed.
	ErrClosed = errors.New("browser: the pool was closed")
)
