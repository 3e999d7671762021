// Package postgres starts PostgreSQL servers for tests and benchmarks, from the programs
// of Debian's package: a primary and standbys, on the loopback and without passwords.
package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// User is the name of the role and of its database.
const User = "techo"

// ErrMissing is returned on machines without PostgreSQL, or without the right to run it.
var ErrMissing = errors.New("postgres: PostgreSQL is not installed")

// timeout bounds each step of a server.
const timeout = time.Minute

// Server is one PostgreSQL server.
type Server struct {
	Port int

	dir  string // has the folder data and the log
	bin  string
	as   []string // words before a command: PostgreSQL does not run as root
	name string   // of a standby; "" for a primary

	settings []string // NAME=VALUE
}

// New creates and starts a server in a new folder, with settings of the form NAME=VALUE.
// Stop ends it and removes the folder.
func New(settings ...string) (*Server, error) {
	s, err := prepare("")
	if err != nil {
		return nil, err
	}
	s.settings = settings
	err = s.run("initdb", "-D", s.data(), "-E", "UTF8", "--locale=C", "-A", "trust", "-U", User)
	if err == nil {
		err = s.Start()
	}
	if err == nil {
		err = s.run("createdb", s.to("-U", User, User)...)
	}
	if err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

func prepare(name string) (*Server, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(found) == 0 {
		return nil, ErrMissing
	}
	s := &Server{bin: found[len(found)-1], name: name}
	if s.dir, err = os.MkdirTemp("", "techo-postgres-"); err != nil {
		return nil, err
	}
	if os.Geteuid() == 0 {
		s.as = []string{"runuser", "-u", "postgres", "--"}
	}
	if err := s.Give(s.dir); err != nil {
		return nil, errors.Join(err, os.Remove(s.dir), ErrMissing)
	}
	s.Port, err = freePort()
	return s, err
}

// Give makes the user of the server the owner of a file or folder.
func (s *Server) Give(path string) error {
	if s.as == nil {
		return nil
	}
	if out, err := exec.Command("chown", "postgres", path).CombinedOutput(); err != nil {
		return fmt.Errorf("chown: %w: %s", err, out)
	}
	return nil
}

// freePort returns a port of the loopback that nothing listens on.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// to returns the arguments that lead a client to the server, and more.
func (s *Server) to(more ...string) []string {
	return append([]string{"-h", "127.0.0.1", "-p", strconv.Itoa(s.Port)}, more...)
}

func (s *Server) run(program string, args ...string) error {
	_, err := s.output(program, args...)
	return err
}

func (s *Server) output(program string, args ...string) ([]byte, error) {
	ctx, stop := context.WithTimeout(context.Background(), timeout)
	defer stop()
	words := slices.Concat(s.as, []string{filepath.Join(s.bin, program)}, args)
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.Dir, c.WaitDelay = s.dir, time.Second // the server inherits the output
	out, err := c.CombinedOutput()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", program, err, out)
	}
	return out, err
}

// Start starts the server, after Kill, and waits until it takes connections.
func (s *Server) Start() error {
	settings := fmt.Sprintf("-c listen_addresses=127.0.0.1 -c port=%d -c unix_socket_directories=%s "+
		"-c max_connections=200 -c wal_retrieve_retry_interval=100ms", s.Port, s.dir)
	if s.name != "" {
		settings += " -c cluster_name=" + s.name
	}
	for _, more := range s.settings {
		settings += " -c " + more
	}
	return s.run("pg_ctl", "-D", s.data(), "-l", filepath.Join(s.dir, "log"), "-w", "-o", settings, "start")
}

// Kill ends the server as a crash does: without a checkpoint, and all connections break.
func (s *Server) Kill() error {
	return s.run("pg_ctl", "-D", s.data(), "-m", "immediate", "-w", "stop")
}

// Restart kills the server and starts it again, which recovers from the log.
func (s *Server) Restart() error {
	if err := s.Kill(); err != nil {
		return err
	}
	return s.Start()
}

// Standby adds a standby. A commit of the server returns when the standby has it too.
func (s *Server) Standby(name string) (*Server, error) {
	standby, err := prepare(name)
	if err != nil {
		return nil, err
	}
	err = s.run("pg_basebackup", s.to("-U", User, "-D", standby.data(), "-R", "-C", "-S", name, "-X", "stream",
		"-c", "fast")...)
	if err == nil {
		err = standby.Start()
	}
	if err == nil {
		err = s.Set("synchronous_standby_names", "FIRST 1 ("+name+")")
	}
	if err != nil {
		return nil, errors.Join(err, standby.Stop())
	}
	return standby, s.Await("SELECT sync_state FROM pg_stat_replication", "sync")
}

// Await waits until a query has a result.
func (s *Server) Await(sql, want string) error {
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		got, err := s.Query(sql)
		if err != nil || got == want {
			return err
		}
		if time.Since(began) > timeout {
			return fmt.Errorf("%s: %q, not %q", sql, got, want)
		}
	}
}

// Promote makes a standby the primary.
func (s *Server) Promote() error { return s.run("pg_ctl", "-D", s.data(), "-w", "promote") }

// Query runs a statement of SQL and returns its result as text.
func (s *Server) Query(sql string) (string, error) { return s.QueryAs(User, sql) }

// QueryAs is Query for another role.
func (s *Server) QueryAs(role, sql string) (string, error) {
	out, err := s.output("psql", s.to("-U", role, "-d", User, "-At", "-v", "ON_ERROR_STOP=1", "-c", sql)...)
	return string(bytes.TrimSpace(out)), err
}

// Set changes a setting of the running server, for connections to come.
func (s *Server) Set(name, value string) error {
	_, err := s.Query("ALTER SYSTEM SET " + name + " = '" + value + "'")
	if err == nil {
		_, err = s.Query("SELECT pg_reload_conf()")
	}
	return err
}

// Encrypt lets the server offer TLS, with a certificate and its key in the form PEM.
func (s *Server) Encrypt(certificate, key []byte) error {
	for name, content := range map[string][]byte{"server.crt": certificate, "server.key": key} {
		path := filepath.Join(s.data(), name)
		if err := errors.Join(os.WriteFile(path, content, 0o600), s.Give(path)); err != nil {
			return err
		}
	}
	return s.Set("ssl", "on")
}

// Address returns the address of a store in the database of the server. After a
// failover it leads to the standby of others that was promoted.
func (s *Server) Address(namespace string, others ...*Server) string {
	hosts := ""
	for _, o := range append([]*Server{s}, others...) {
		hosts += fmt.Sprintf(",127.0.0.1:%d", o.Port)
	}
	return fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable&target_session_attrs=read-write&namespace=%s", User,
		hosts[1:], User, namespace)
}

// Stop kills the server, if it runs, and removes its folder.
func (s *Server) Stop() error {
	if _, err := os.Stat(filepath.Join(s.data(), "postmaster.pid")); err == nil {
		if err := s.Kill(); err != nil {
			return err
		}
	}
	return os.RemoveAll(s.dir)
}
