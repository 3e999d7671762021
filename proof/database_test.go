package proof

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"techo/internal/postgres"
	"techo/internal/testenv"
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

// authority issues certificates.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	file        string // has the certificate
}

// issue returns a certificate and its key in the form PEM. With by nil it is a new
// authority's own.
func issue(t *testing.T, by *authority, host string, until time.Time) (a authority, certificate, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), NotAfter: until,
		NotBefore: time.Now().Add(-48 * time.Hour), Subject: pkix.Name{CommonName: "techo test " + host}}
	parent, signer := template, private
	if by == nil {
		template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	} else {
		template.DNSNames, parent, signer = []string{host}, by.certificate, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &private.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	certificate = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	key = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})
	a = authority{template, private, filepath.Join(t.TempDir(), "ca.pem")}
	if a.certificate, err = x509.ParseCertificate(der); err == nil {
		err = os.WriteFile(a.file, certificate, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return a, certificate, key
}

// secure returns the address of a store in a database that is reached with TLS.
func secure(s *postgres.Server, host, mode, file string) string {
	address := fmt.Sprintf("postgres://%s@%s:%d/%s?namespace=tls&sslmode=%s", postgres.User, host, s.Port,
		postgres.User, mode)
	if file != "" {
		address += "&sslrootcert=" + file
	}
	return address
}

// TestDatabaseTLS connects to a server with the right certificate, another one, none, and
// one for another host.
func TestDatabaseTLS(t *testing.T) {
	s := startDatabase(t)
	migrated(t, s.Address("tls"))
	next := time.Now().Add(48 * time.Hour)
	right, _, _ := issue(t, nil, "", next)
	wrong, _, _ := issue(t, nil, "", next)
	refused := func(address string, says ...string) {
		t.Helper()
		says = append(says, "There is no secure connection to the database")
		wantRefused(t, techo(t, address, "memo", "list"), refusal{"unavailable", false, says})
	}
	refused(secure(s, "localhost", "verify-full", right.file), "server refused TLS connection")

	_, certificate, key := issue(t, &right, "localhost", next)
	if err := s.Encrypt(certificate, key); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"verify-full", "verify-ca", "require"} {
		mustTecho(t, secure(s, "localhost", mode, right.file), "memo", "list")
		refused(secure(s, "localhost", mode, wrong.file), "unknown authority", "sslrootcert=FILE")
	}
	refused(secure(s, "localhost", "verify-full", ""), "unknown authority")
	refused(secure(s, "127.0.0.1", "verify-full", right.file), "127.0.0.1", "valid for the host")
	mustTecho(t, secure(s, "127.0.0.1", "verify-ca", right.file), "memo", "list")
	missing := filepath.Join(t.TempDir(), "missing.pem")
	wantRefused(t, techo(t, secure(s, "localhost", "verify-full", missing), "memo", "list"),
		refusal{"invalid_input", false, []string{"This is not the address of a store", "missing.pem",
			"no such file"}})

	_, certificate, key = issue(t, &right, "localhost", time.Now().Add(-time.Hour))
	if err := s.Encrypt(certificate, key); err != nil {
		t.Fatal(err)
	}
	refused(secure(s, "localhost", "verify-full", right.file), "expired")
}
