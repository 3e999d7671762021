package proof

import (
	"net/http"
	"strings"
	"testing"

	"techo/internal/testenv"
)

// TestTeamReady: a server is ready while its database answers, and says in its log when that
// changes, but not that it was asked.
func TestTeamReady(t *testing.T) {
	database := startDatabase(t)
	s := startServer(t, migrated(t, database.Address("ready")), "--log", "text")
	status := func() int {
		answer, err := http.Get(s.base + "/ready")
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		return answer.StatusCode
	}
	if got := status(); got != 200 {
		t.Error("beside its database:", got)
	}
	if err := database.Kill(); err != nil {
		t.Fatal(err)
	}
	testenv.Eventually(t, func() bool { return status() == 503 })
	if err := database.Start(); err != nil {
		t.Fatal(err)
	}
	testenv.Eventually(t, func() bool { return status() == 200 })
	// The log comes through a pipe: a line may arrive after the answer of its request.
	testenv.Eventually(t, func() bool { return strings.Contains(s.log.String(), "msg=ready") })
	if log := s.log.String(); !strings.Contains(log, `msg="not ready"`) || strings.Contains(log, "path=/ready") {
		t.Errorf("the log: %s", log)
	}
}
