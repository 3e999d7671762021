package postgres

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// ErrNoPooler is returned on machines without PgBouncer.
var ErrNoPooler = errors.New("postgres: PgBouncer is not installed")

// Pooler is a PgBouncer in transaction mode in front of a server.
type Pooler struct {
	Port int

	server  *Server
	process *exec.Cmd
	dir     string
}

// NewPooler starts a pooler that shares a number of connections to a server among up to
// as many clients as it is told.
func NewPooler(s *Server, connections, clients int) (*Pooler, error) {
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		if program = "/usr/sbin/pgbouncer"; exec.Command(program, "--version").Run() != nil {
			return nil, ErrNoPooler
		}
	}
	p := &Pooler{server: s}
	if p.Port, err = freePort(); err != nil {
		return nil, err
	}
	if p.dir, err = os.MkdirTemp("", "techo-pgbouncer-"); err != nil {
		return nil, err
	}
	settings := fmt.Sprintf("[databases]\n* = host=127.0.0.1 port=%d\n[pgbouncer]\nlisten_addr = 127.0.0.1\n"+
		"listen_port = %d\nunix_socket_dir =\nauth_type = trust\nauth_file = %s\npool_mode = transaction\n"+
		"default_pool_size = %d\nmax_client_conn = %d\n", s.Port, p.Port, filepath.Join(p.dir, "users"), connections,
		clients)
	for name, content := range map[string]string{"settings": settings, "users": `"` + User + `" ""` + "\n"} {
		path := filepath.Join(p.dir, name)
		if err := errors.Join(os.WriteFile(path, []byte(content), 0o600), s.Give(path)); err != nil {
			return nil, errors.Join(err, os.RemoveAll(p.dir))
		}
	}
	if err := s.Give(p.dir); err != nil {
		return nil, errors.Join(err, os.RemoveAll(p.dir))
	}
	args := []string{"-q", filepath.Join(p.dir, "settings")}
	if s.as != nil {
		args = append(args, "-u", "postgres")
	}
	p.process = exec.Command(program, args...)
	if err := p.process.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(p.dir))
	}
	return p, p.await()
}

// await waits until the pooler takes connections.
func (p *Pooler) await() error {
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(p.Port)))
		if err == nil {
			return c.Close()
		}
		if time.Since(began) > timeout {
			return errors.Join(err, p.Stop())
		}
	}
}

// Address returns the address of a store in the database of the server behind the pooler.
func (p *Pooler) Address(namespace string) string {
	behind := *p.server
	behind.Port = p.Port
	return behind.Address(namespace)
}

// Stop ends the pooler and removes its folder.
func (p *Pooler) Stop() error {
	err := p.process.Process.Kill()
	_ = p.process.Wait() // it was killed
	return errors.Join(err, os.RemoveAll(p.dir))
}
