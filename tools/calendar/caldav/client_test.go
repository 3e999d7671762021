package caldav

import (
	"context"
	"testing"
	"time"
)

// TestCalDAVTimeout bounds a request by a minute, or by the timeout of the call only.
func TestCalDAVTimeout(t *testing.T) {
	within, stop := limited(t.Context())
	defer stop()
	if _, bounded := within.Deadline(); !bounded {
		t.Error("a request without an end")
	}
	call, end := context.WithTimeout(t.Context(), time.Hour)
	defer end()
	within, stop = limited(call)
	defer stop()
	if at, _ := within.Deadline(); time.Until(at) < 2*davTimeout {
		t.Error("the timeout of the call does not count")
	}
}
