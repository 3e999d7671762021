package transfer

import (
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
