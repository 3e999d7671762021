package proof

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"techo/internal/postgres"
	"techo/internal/testenv"
)

// hold keeps connections of a role open until the test ends or the returned function is
// called.
func hold(t *testing.T, s *postgres.Server, role string, n int) (release func()) {
	t.Helper()
	var all sync.WaitGroup
	var released atomic.Bool
	for range n {
		all.Go(func() {
			for !released.Load() { // it fails as long as a test's own connection is in the way
				_, _ = s.QueryAs(role, "SELECT pg_sleep(600)")
			}
		})
	}
	release = sync.OnceFunc(func() {
		released.Store(true)
		ended := make(chan struct{})
		go func() { all.Wait(); close(ended) }()
		testenv.Eventually(t, func() bool {
			query(t, s, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
			select {
			case <-ended:
				return true
			default:
				return false
			}
		})
	})
	t.Cleanup(release)
	if err := s.Await("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'", fmt.Sprint(n)); err != nil {
		t.Fatal(err)
	}
	return release
}

// TestDatabaseConnections uses up the connections of a server, of a role and of a pooler.
func TestDatabaseConnections(t *testing.T) {
	s := startDatabase(t, "max_connections=6", "superuser_reserved_connections=2", "max_wal_senders=0")
	address := migrated(t, s.Address("connections"))
	query(t, s, "CREATE ROLE writer LOGIN", "CREATE ROLE single LOGIN CONNECTION LIMIT 1",
		"GRANT ALL ON techo_stores, techo_records, techo_commits TO writer, single")
	writer := withRole(address, "writer")
	add := []string{"memo", "add", "ramen", "x", "--priority", "3"}
	full := refusal{"upstream", true, []string{"The database of the store has no free connection",
		"Nothing was changed", "pool_max_conns"}}

	release := hold(t, s, "writer", 4)
	wantRefused(t, techo(t, writer, add...), full)
	release()
	release = hold(t, s, "single", 1)
	wantRefused(t, techo(t, withRole(address, "single"), add...), full)
	mustTecho(t, writer, add...)
	release()
	mustTecho(t, withRole(address, "single"), "memo", "remove", "ramen")

	// A connection that becomes free while a call waits is used.
	release = hold(t, s, "writer", 4)
	waiting := make(chan answer)
	go func() { waiting <- collect(command(t.Context(), writer, add...)) }()
	release()
	if a := <-waiting; a.Code != 0 {
		t.Errorf("%v", a)
	}

	behind := strings.Replace(startPooler(t, s, 1, 1).Address("connections"), "&target_session_attrs=read-write", "", 1)
	server := startServer(t, behind)
	mustTecho(t, server.base, "memo", "get", "ramen") // the server keeps its connection
	wantRefused(t, techo(t, behind, "memo", "get", "ramen"), full)
}

// TestDatabaseStatementTimeout lets a call wait for a lock for longer than the settings
// allow.
func TestDatabaseStatementTimeout(t *testing.T) {
	s := startDatabase(t)
	address := filled(t, migrated(t, s.Address("timeout")))
	query(t, s, "ALTER ROLE techo SET statement_timeout = '1ms'", "ALTER ROLE techo SET lock_timeout = 0")
	mustTecho(t, address, "memo", "get", "ramen") // its own limit counts: a minute
	go func() {
		_, _ = s.Query("SET statement_timeout = 0; BEGIN; LOCK TABLE techo_records; SELECT pg_sleep(600)")
	}()
	if err := s.Await("SET statement_timeout = 0; SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'",
		"SET\n1"); err != nil {
		t.Fatal(err)
	}
	slow := refusal{"timeout", true, []string{"stopped a statement that took too long", "statement_timeout"}}
	for _, call := range [][]string{{"memo", "get", "ramen"}, {"memo", "remove", "ramen"}} {
		wantRefused(t, techo(t, address+"&statement_timeout=300", call...), slow)
	}
	for _, wrong := range []string{"0", "-1", "1s", "90000000"} {
		wantRefused(t, techo(t, address+"&statement_timeout="+wrong, "memo", "list"),
			refusal{"invalid_input", false, []string{"Invalid value of statement_timeout"}})
	}
}
