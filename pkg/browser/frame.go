package browser

import (
	"bufio"
	"errors"
	"io"
)

// errFrameTooLong marks a frame above the limit. The reader has skipped it
// and stands at the next one.
var errFrameTooLong = errors.New("frame too long")

// frameReader splits what Chromium writes to its debugging pipe into frames:
// JSON texts, each ended by a NUL byte.
type frameReader struct {
	r     *bufio.Reader
	limit int // bytes of one frame
}

func newFrameReader(r io.Reader, limit int) *frameReader {
	return &frameReader{r: bufio.NewReaderSize(r, 64<<10), limit: limit}
}

// next returns the next frame without its NUL; the caller owns it. With
// errFrameTooLong it returns the frame's first limit bytes. A frame that the
// stream's end cuts off is io.ErrUnexpectedEOF.
func (f *frameReader) next() ([]byte, error) {
	var frame []byte
	tooLong := false
	for {
		part, err := f.r.ReadSlice(0)
		ended := err == nil
		if ended {
			part = part[:len(part)-1]
		}
		if room := f.limit - len(frame); len(part) > room {
			part, tooLong = part[:room], true
		}
		frame = append(frame, part...)
		switch {
		case ended && tooLong:
			return frame, errFrameTooLong
		case ended:
			return frame, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(frame) > 0:
			return nil, io.ErrUnexpectedEOF
		default:
			return nil, err
		}
	}
}
