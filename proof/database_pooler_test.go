package proof

import (
	"errors"
	"fmt"
	"sync"
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

// TestDatabasePooler lets many calls share two connections, by a pooler in transaction
// mode, so that the transactions of each call meet other connections.
func TestDatabasePooler(t *testing.T) {
	s := startDatabase(t)
	address := filled(t, migrated(t, startPooler(t, s, 2, 100).Address("pooler")))
	wantReading(t, address)
	servers := []*teamServer{startServer(t, address), startServer(t, address)}
	want := map[string]string{"ramen": "Tanaka likes ramen"}
	var all sync.WaitGroup
	for client := range 6 {
		for n := range 4 {
			want[fmt.Sprintf("memo-%d-%d", client, n)] = "x"
		}
		all.Go(func() {
			for n := range 4 {
				where := []string{servers[0].base, servers[1].base, address}[client%3]
				name := fmt.Sprintf("memo-%d-%d", client, n)
				for _, line := range [][]string{
					{"memo", "add", name, "x", "--priority", "3"},
					{"memory", "add", "Note " + name, "--user", "tanaka"},
					{"memory", "add", "Key " + name, "--user", "tanaka", "--idempotency-key", name},
				} {
					if a := collect(command(t.Context(), where, line...)); a.Code != 0 {
						t.Errorf("%v", a)
					}
				}
			}
		})
	}
	all.Wait()
	if a := mustTecho(t, address, "memory", "list", "--user", "tanaka"); a.Doc["total"] != 48.0 {
		t.Errorf("%v memories, want 48", a.Doc["total"])
	}
	wantMemos(t, address, want)
	mustTecho(t, address, "store", "verify", "--deep")
	if n, err := s.Query("SELECT count(*) <= 2 FROM pg_stat_activity WHERE application_name = 'techo'"); n != "t" {
		t.Errorf("more connections than the pooler may have: %s %v", n, err)
	}
}
