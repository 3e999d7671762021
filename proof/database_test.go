package proof

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"techo/internal/postgres"
)

type refusal struct {
	code      string
	retryable bool
	says      []string // in the message, the hint and the details
}

// wantRefused checks the error of a call. A call that cannot succeed later must not be
// repeated by the program, so it ends at once.
func wantRefused(t *testing.T, a answer, want refusal) {
	t.Helper()
	e, _ := a.Doc["error"].(map[string]any)
	if e == nil || e["code"] != want.code || e["retryable"] != want.retryable {
		t.Errorf("want %s, retryable %t: %v", want.code, want.retryable, a)
	}
	for _, part := range want.says {
		if !strings.Contains(fmt.Sprint(e["message"], e["hint"], e["details"]), part) {
			t.Errorf("it does not say %q: %v", part, a)
		}
	}
	if !want.retryable && a.Took > 4*time.Second {
		t.Errorf("it was repeated: %v", a)
	}
}

func withRole(address, role string) string {
	return strings.Replace(address, "//"+postgres.User+"@", "//"+role+"@", 1)
}

func query(t *testing.T, s *postgres.Server, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		if _, err := s.Query(sql); err != nil {
			t.Fatal(err)
		}
	}
}

// readingCalls are calls that change nothing.
func readingCalls() [][]string {
	return [][]string{
		{"memo", "get", "ramen"},
		{"memo", "list"},
		{"memo", "list", "--query", "ramen"},
		{"memo", "tags"},
		{"memory", "list"},
		{"memory", "search", "ramen"},
		{"memory", "timeline", "--at", "2026-12-01"},
		{"cal", "list"},
		{"cal", "calendars"},
		{"cal", "due"},
		{"todo", "list"},
		{"history"},
		{"ask", "list"},
		{"store", "info"},
		{"store", "verify"},
		{"export", "memos", "--to", "-"},
	}
}

// writingCalls are calls that change something in a store of filled.
func writingCalls() [][]string {
	return [][]string{
		{"memo", "add", "soba", "x", "--priority", "3"},
		{"memo", "edit", "ramen", "--priority", "1"},
		{"memo", "remove", "ramen"},
		{"memory", "add", "Suzuki likes soba"},
		{"cal", "create", "dinner", "--start", "2026-12-02T18:00"},
		{"todo", "add", "buy noodles"},
		{"undo"},
		{"token", "add", "--user", "u"},
		{"space", "create", "team"},
	}
}

func filled(t *testing.T, address string) string {
	t.Helper()
	mustTecho(t, address, "memo", "add", "ramen", "Tanaka likes ramen", "--priority", "3", "--tag", "food")
	mustTecho(t, address, "memory", "add", "Tanaka likes ramen", "--session", "s")
	mustTecho(t, address, "cal", "create", "lunch", "--start", "2026-12-01T12:00")
	mustTecho(t, address, "todo", "add", "eat")
	return address
}

// wantReading checks that calls which change nothing succeed.
func wantReading(t *testing.T, address string) {
	t.Helper()
	for _, call := range readingCalls() {
		if a := collect(command(t.Context(), address, call...)); a.Code != 0 {
			t.Errorf("%v", a)
		}
	}
}

// wantUnchanged checks that calls fail with an error and change nothing.
func wantUnchanged(t *testing.T, address string, calls [][]string, want refusal) {
	t.Helper()
	for _, call := range calls {
		wantRefused(t, techo(t, address, call...), want)
	}
}
