package proof

import (
	"strings"
	"testing"
)

// TestDatabaseRoles uses a store with the rights of docs/team.md: a role that reads, one
// that also writes, and the owner of the tables, who may do everything.
func TestDatabaseRoles(t *testing.T) {
	s := startDatabase(t)
	query(t, s, "CREATE ROLE owner LOGIN", "CREATE ROLE writer LOGIN", "CREATE ROLE reader LOGIN",
		"REVOKE ALL ON SCHEMA public FROM PUBLIC", "GRANT USAGE ON SCHEMA public TO writer, reader, owner")
	address := s.Address("roles")
	rights := refusal{"forbidden", false, []string{"The role may not do this in the database", "docs/team.md",
		"permission denied"}}
	wantRefused(t, techo(t, withRole(address, "owner"), "store", "migrate"), rights)
	query(t, s, "GRANT CREATE ON SCHEMA public TO owner")
	migrated(t, withRole(address, "owner"))
	wantRefused(t, techo(t, withRole(address, "reader"), "memo", "list"), rights)
	query(t, s, "GRANT SELECT ON techo_stores, techo_records TO reader",
		"GRANT SELECT, UPDATE (created) ON techo_stores TO writer",
		"GRANT SELECT, INSERT, UPDATE, DELETE ON techo_records, techo_commits TO writer")
	filled(t, withRole(address, "writer"))
	wantReading(t, withRole(address, "reader"))
	wantLimited(t, withRole(address, "reader"))
	before := exported(t, address, "export", "memos", "--to", "-")
	wantUnchanged(t, withRole(address, "reader"), writingCalls(), rights)
	if after := exported(t, address, "export", "memos", "--to", "-"); string(after) != string(before) {
		t.Errorf("%s\n%s", before, after)
	}
	for _, role := range []string{"reader", "writer", "owner"} { // nothing is to be done
		mustTecho(t, withRole(address, role), "store", "migrate")
	}
	for _, role := range []string{"reader", "writer"} { // a new store in the database
		other := strings.Replace(withRole(address, role), "namespace=roles", "namespace=other", 1)
		wantRefused(t, techo(t, other, "store", "migrate"), rights)
	}
}

// TestDatabaseReadOnly uses a database that takes no changes, and a standby.
func TestDatabaseReadOnly(t *testing.T) {
	s := startDatabase(t)
	standby := startStandby(t, s)
	address := filled(t, migrated(t, s.Address("readonly")))
	query(t, s, "CREATE ROLE guest LOGIN IN ROLE techo", "ALTER ROLE guest SET default_transaction_read_only = on")
	guest := strings.Replace(withRole(address, "guest"), "&target_session_attrs=read-write", "", 1)
	want := refusal{"forbidden", false, []string{"The database takes no changes", "default_transaction_read_only",
		"read-only"}}
	query(t, s, "GRANT ALL ON techo_stores, techo_records, techo_commits TO guest")
	wantReading(t, guest)
	wantLimited(t, guest)
	wantUnchanged(t, guest, writingCalls(), want)

	direct := strings.Replace(standby.Address("readonly"), "&target_session_attrs=read-write", "", 1)
	for _, call := range [][]string{{"memo", "get", "ramen"}, {"memo", "add", "soba", "x", "--priority", "3"}} {
		wantRefused(t, techo(t, direct, call...), refusal{"forbidden", false, []string{"The database takes no changes",
			"Name the primary server"}})
	}
	wantRefused(t, techo(t, standby.Address("readonly"), "memo", "get", "ramen"),
		refusal{"upstream", true, []string{"read only"}})
}

// wantLimited calls investigate_memory more often in one turn than a process allows, which
// counts the calls itself.
func wantLimited(t *testing.T, address string) {
	t.Helper()
	c := command(t.Context(), address, "call", "--batch", "--enable-memory", "--memory-context", "--user", "tanaka",
		"--turn", "t")
	call := `{"tool":"investigate_memory","input":{"memory_ids":["mem_none"]}}` + "\n"
	c.Stdin = strings.NewReader(strings.Repeat(call, 3))
	a := collect(c)
	out := string(a.Out)
	if a.Code != 0 || strings.Count(out, "rate_limited") != 1 || strings.Count(out, `"missing"`) != 2 {
		t.Errorf("%v", a)
	}
}
