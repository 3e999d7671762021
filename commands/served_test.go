package commands

import (
	"context"
	"maps"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"techo/internal/testenv"
)

// served is a server under test and a client for it.
type served struct {
	testenv.Client
	stop func() (stdout string, code int)
	log  *testenv.Buffer // its stderr
}

// serve starts a server in this process. Unless args contain --listen, serve
// listens on a free port and needs no token; --socket-by-default leaves the
// program's own default.
func (w *world) serve(t *testing.T, args ...string) *served {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	own := *w
	own.interrupt, own.env = ctx, maps.Clone(w.env)
	stdout, stderr := &testenv.Buffer{}, &testenv.Buffer{}
	if i := slices.Index(args, "--socket-by-default"); i >= 0 {
		args = slices.Delete(args, i, i+1)
	} else if !strings.Contains(strings.Join(args, " "), "--listen") && args[0] == "serve" {
		args = append(args, "--listen", "127.0.0.1:0", "--no-token")
	}
	ended := make(chan int, 1)
	go func() { ended <- Main(own.World(unreadable{}, stdout, stderr, args...)) }()
	s := &served{Client: testenv.Client{T: t, HTTP: &http.Client{Timeout: 20 * time.Second}}, log: stderr}
	s.stop = sync.OnceValues(func() (string, int) {
		interrupt()
		s.HTTP.CloseIdleConnections()
		select {
		case code := <-ended:
			return stdout.String(), code
		case <-time.After(20 * time.Second):
			t.Fatal("the server does not stop")
			return "", 0
		}
	})
	t.Cleanup(func() { s.stop() })
	s.Base = addressOf(t, ended, stdout, stderr)
	return s
}

// useSocket makes the client connect to the socket that the server listens on.
func (s *served) useSocket() (path string) {
	s.T.Helper()
	path, ok := strings.CutPrefix(s.Base, "unix:")
	if !ok {
		s.T.Fatalf("no socket: %s", s.Base)
	}
	s.Base = "http://techo"
	s.HTTP.Transport = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}
	return path
}

// addressOf waits until a server that is starting logs its address. ended receives
// the exit code if the server ends instead.
func addressOf(t *testing.T, ended <-chan int, stdout, stderr *testenv.Buffer) string {
	t.Helper()
	address := regexp.MustCompile(`msg=listening address=(\S+)`)
	for range 1000 {
		if m := address.FindStringSubmatch(stderr.String()); m != nil {
			return m[1]
		}
		select {
		case code := <-ended:
			t.Fatalf("the server ended with exit code %d\n%s%s", code, stdout, stderr)
		case <-time.After(5 * time.Millisecond):
		}
	}
	t.Fatalf("the server does not listen\n%s", stderr)
	return ""
}
