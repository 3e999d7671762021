package readahead

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"

	"techo/tools/jsontree"
)

// MaxLine is the maximum length of a line in bytes.
const MaxLine = 64 << 20

// ErrTooLong reports a line of more than MaxLine bytes.
var ErrTooLong = errors.New("line too long")

// Run sends each line that is not blank, without byte order marks at its start. A line that is too long is sent as nil.
func (a *Reader) Run(ctx context.Context, r io.Reader) error {
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		l, err := Line(in)
		l = jsontree.WithoutBOM(l)
		if long := errors.Is(err, ErrTooLong); long || len(bytes.TrimSpace(l)) > 0 {
			if long {
				l = nil
			}
			if !a.send(ctx, l) {
				return nil
			}
		}
		if err != nil && !errors.Is(err, ErrTooLong) {
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
}

// Line reads one line. It returns ErrTooLong, without keeping the text, for a
// line of more than MaxLine bytes.
func Line(in *bufio.Reader) (l []byte, err error) {
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if len(l)+len(part) > MaxLine {
			long = true
			l = nil
		}
		if !long {
			l = append(l, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long && (err == nil || err == io.EOF): // the next read returns EOF again
			return nil, ErrTooLong
		}
		return l, err
	}
}
