package failure

import (
	"fmt"
	"strings"
	"testing"

	"techo/tools/jsontree"
)

// TestErrorShorten bounds errors with many details and with long texts.
func TestErrorShorten(t *testing.T) {
	many := &Error{Code: InvalidInput, Message: "wrong"}
	for i := range 300 {
		many.Details = append(many.Details,
			Detail{Path: fmt.Sprintf("/field%d", i), Message: "is not a field of this input"})
		many.Message += "; field is not a field"
	}
	long := strings.Repeat("長\x01", 1<<18)
	huge := &Error{Code: InvalidInput, Message: long, Hint: long,
		Details: []Detail{{Path: long, Message: long, Hint: long}}}
	for _, e := range []*Error{many, huge, {Code: NotFound, Message: "a"}} {
		for _, most := range []int{1024, 5000} {
			short := e.Shorten(most)
			b, err := jsontree.Marshal(map[string]*Error{"error": short})
			if err != nil || len(b) > most || short.Code != e.Code || short.Message == "" {
				t.Errorf("%d bytes, want %d, %v", len(b), most, err)
			}
		}
		if e.Shorten(0) != e {
			t.Error("without a bound it is another error")
		}
	}
}
