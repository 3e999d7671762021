package serve

import (
	"io"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"techo/commands/mcp"
	"techo/commands/offer"
	"techo/commands/run"
	"techo/commands/server"
	"techo/commands/system"
	"techo/internal/testenv"
	"techo/tools"
	"techo/tools/ask"
	"techo/tools/files"
	"techo/tools/memo"
	"techo/tools/memory"
)

// setup describes a server under test.
type setup struct {
	flags map[string]string // global flags
	only  []string
	tools []*tools.Tool // further tools
	Options
}

// start returns a server with a store of its own that needs no token, and a client
// for it.
func (s setup) start(t *testing.T) (*Server, *testenv.Client) {
	t.Helper()
	r := newRun(t, s.flags)
	r.Offered = append(r.Offered, s.tools...)
	h, e := server.NewRemote(r, offer.Choice{Audience: tools.Agents, Only: s.only})
	if e != nil {
		t.Fatal(e)
	}
	s.MCP = mcp.Handler(mcp.NewServer(h, nil))
	srv := New(h, s.Options)
	srv.access = access{open: true}
	web := httptest.NewServer(srv.Handler())
	t.Cleanup(web.Close)
	t.Cleanup(web.CloseClientConnections)
	return srv, &testenv.Client{T: t, Base: web.URL, HTTP: web.Client()}
}

// newRun returns a run with global flags, a store of its own and a clock that
// stands still.
func newRun(t *testing.T, flags map[string]string) *run.Run {
	t.Helper()
	dir := t.TempDir()
	environment := map[string]string{"HOME": dir, "USER": "tanaka", "TZ": "UTC", "TECHO_NOW": "2026-01-02T12:00:00Z",
		"TECHO_STORE": filepath.Join(dir, "store")}
	r := run.New(system.System{
		Getenv: func(name string) string { return environment[name] },
		Dir:    dir, Now: time.Now, Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard,
	}, slices.Concat(memo.Tools(), memory.Tools(), files.Tools(), ask.Tools()))
	if faults := r.Configure(run.Given{Path: []string{"serve"}, Settings: flags}); len(faults) > 0 {
		t.Fatal(faults)
	}
	t.Cleanup(r.Close)
	return r
}

// quiet is a log that keeps nothing.
func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }
