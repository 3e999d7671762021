package proof

import (
	"errors"
	"testing"

	"techo/internal/postgres"
	"techo/internal/testenv"
)

// startPooler starts a PgBouncer in transaction mode for one test.
func startPooler(t *testing.T, s *postgres.Server, connections, clients int) *postgres.Pooler {
	t.Helper()
	p, err := postgres.NewPooler(s, connections, clients)
	if errors.Is(err, postgres.ErrNoPooler) {
		testenv.Missing(t, "PgBouncer")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	return p
}
