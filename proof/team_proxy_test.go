package proof

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"techo/internal/testenv"
)

// proxyOptions let the Caddyfile of examples/team run without a public name, root, or a
// change of the trusted certificates of the machine.
const proxyOptions = `{
	admin off
	local_certs
	skip_install_trust
	auto_https disable_redirects
}
import %s
`

// startProxy starts Caddy with the configuration of examples/team before servers. It
// returns the address, and the file with the certificate of the authority.
func startProxy(t *testing.T, servers ...*teamServer) (address, authority string) {
	t.Helper()
	program, dir := testenv.Tool(t, "caddy"), t.TempDir()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = fmt.Sprintf("https://localhost:%d", l.Addr().(*net.TCPAddr).Port)
	l.Close()
	config := filepath.Join(dir, "Caddyfile")
	site := filepath.Join(testenv.Root(t), "examples", "team", "Caddyfile")
	if err := os.WriteFile(config, fmt.Appendf(nil, proxyOptions, site), 0o600); err != nil {
		t.Fatal(err)
	}
	var bases []string
	for _, s := range servers {
		bases = append(bases, strings.TrimPrefix(s.base, "http://"))
	}
	c := exec.CommandContext(t.Context(), program, "run", "--config", config, "--adapter", "caddyfile")
	c.Env = append(environment(), "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir, "TECHO_HOST="+address,
		"TECHO_SERVERS="+strings.Join(bases, " "))
	log := &testenv.Buffer{}
	c.Stderr = log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
		if t.Failed() {
			t.Log(log)
		}
	})
	authority = filepath.Join(dir, "caddy", "pki", "authorities", "local", "root.crt")
	testenv.Eventually(t, func() bool {
		_, err := os.Stat(authority)
		return err == nil && strings.Contains(log.String(), "serving initial configuration")
	})
	return address, authority
}

// TestTeamProxy sets up what docs/team.md describes: a database, two servers, a proxy with
// TLS, and the command line as a client with a token. The servers restart one after the
// other meanwhile, and no call fails.
func TestTeamProxy(t *testing.T) {
	store := migrated(t, startDatabase(t).Address("proxy"))
	token := mustTecho(t, store, "token", "add", "--user", "alice").Doc["token"].(string)
	var servers []*teamServer
	for range 2 {
		servers = append(servers, startServer(t, store, "--drain", "3s", "--host", "localhost"))
	}
	address, authority := startProxy(t, servers...)
	client := func(ctx context.Context, trusts string, args ...string) answer {
		c := command(ctx, address, args...)
		c.Env = append(c.Env, "TECHO_TOKEN="+token, "SSL_CERT_FILE="+trusts)
		return collect(c)
	}
	if a := client(t.Context(), "/dev/null", "memo", "list"); a.errorCode() != "upstream" ||
		!strings.Contains(string(a.Out), "SSL_CERT_FILE") {
		t.Errorf("an unknown authority: %v", a)
	}
	testenv.Eventually(t, func() bool { return client(t.Context(), authority, "memo", "list").Code == 0 })
	var made atomic.Int64
	var done atomic.Bool
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for !done.Load() {
			name := fmt.Sprint("memo-", made.Add(1))
			if a := client(t.Context(), authority, "memo", "add", name, "x", "--priority", "3"); a.Code != 0 {
				t.Errorf("%v", a)
			}
		}
	}()
	for _, s := range servers {
		s.restart(t)
	}
	done.Store(true)
	<-ended
	if got := len(contentsOf(t, store)); got != int(made.Load()) {
		t.Errorf("%d memos of %d", got, made.Load())
	}
	t.Logf("%d calls during two restarts", made.Load())
}
