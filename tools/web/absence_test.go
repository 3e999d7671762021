package web

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"techo/tools"
)

// TestRobotCheck checks that a refusal which asks for a person has a hint.
func TestRobotCheck(t *testing.T) {
	body := "<title>Just a moment...</title><p>Verify you are human"
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusForbidden)
		io.WriteString(w, body)
	})
	_, e := get(t, newEnv(t, ""), FetchIn{URL: address})
	wantError(t, e, tools.Upstream, "403 Forbidden")
	if !strings.HasPrefix(e.Hint, "Ask the person") {
		t.Errorf("hint: %q", e.Hint)
	}
	body = "<p>No entry."
	if _, e = get(t, newEnv(t, ""), FetchIn{URL: address}); strings.HasPrefix(e.Hint, "Ask the person") {
		t.Errorf("hint: %q", e.Hint)
	}
}

// TestAbsenceNot checks pages that only seem to lack their content.
func TestAbsenceNot(t *testing.T) {
	prose := "<p>" + strings.Repeat("The robot check of the garden asks whether you are human. ", 30)
	for _, source := range []string{
		"<title>Just a moment...</title>" + prose,
		prose + "<form><input type=password></form>",
		`<script type="application/ld+json">{"isAccessibleForFree":false}</script>` + prose,
		"<p>A short page.", "<p>A short page.<iframe src=x></iframe><p style=display:none>more",
	} {
		for _, format := range []string{"text", "markdown"} {
			out, e := get(t, newEnv(t, ""), FetchIn{URL: "<html>" + source, Format: format})
			if e != nil || out.Reason != "" || out.Hint != "" {
				t.Errorf("%s: %q %q %+v", source, out.Reason, out.Hint, e)
			}
		}
	}
}
