package pg_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"techo/internal/postgres"
	"techo/internal/testenv"
	"techo/store/kv"
	"techo/store/kv/kvtest"
	"techo/store/pg"
)

// TestConformancePooled runs the tests of all engines behind a pooler in transaction
// mode, while its connections to the server are cut.
func TestConformancePooled(t *testing.T) {
	testenv.All(t, "starts PostgreSQL and PgBouncer")
	s, err := postgres.New()
	if errors.Is(err, postgres.ErrMissing) {
		testenv.Missing(t, "PostgreSQL")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop() })
	p, err := postgres.NewPooler(s, 8, 200)
	if errors.Is(err, postgres.ErrNoPooler) {
		testenv.Missing(t, "PgBouncer")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop() })
	stores := 0
	kvtest.Run(t, func(t testing.TB) kvtest.Store {
		stores++
		address := p.Address(fmt.Sprint("pooled", stores))
		if _, _, err := open(t, address, pg.Options{Write: true}).Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		return kvtest.Store{
			Open: func(t testing.TB) kv.Engine { return open(t, address, pg.Options{Write: true}) },
			Disturb: func(t testing.TB, r *rand.Rand, _ kv.Engine) {
				if r.IntN(3) > 0 {
					return
				}
				_, err := s.Query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity " +
					"WHERE application_name = 'techo'")
				if err != nil {
					t.Error(err)
				}
			},
		}
	})
}
