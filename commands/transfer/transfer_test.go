package transfer

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"techo/tools"
)

// TestNextPage refuses a page that does not lead on, as of an earlier or later version.
func TestNextPage(t *testing.T) {
	for _, page := range []exportPage{{}, {Next: "a"}} {
		if _, err := page.next(&tools.Env{}, "a"); err == nil || !strings.Contains(err.Error(), "next page") {
			t.Errorf("%+v: %v", page, err)
		}
	}
}

// TestExportWholeLines: an error after some records follows whole lines, wherever a write ends.
func TestExportWholeLines(t *testing.T) {
	broken := errors.New("the connection is gone")
	for _, size := range []int{10, linesAtOnce - 10, linesAtOnce, 2*linesAtOnce + 5} {
		var out bytes.Buffer
		n, err := writeLines(&out, func(use func(any) error) error {
			for range 100 {
				if err := use(strings.Repeat("x", size)); err != nil {
					return err
				}
			}
			return broken
		})
		if !errors.Is(err, broken) || n != 100 || strings.Count(out.String(), "\n") != n ||
			!strings.HasSuffix(out.String(), "x\"\n") {
			t.Errorf("%d bytes: %d records, %v, %d lines, %d bytes", size, n, err,
				strings.Count(out.String(), "\n"), out.Len())
		}
	}
}
