package serve

import (
	"log/slog"
	"net/http/httptest"
	"slices"
	"testing"

	"techo/commands/catalogue"
	"techo/commands/mcp"
	"techo/commands/run"
	"techo/commands/run/runtest"
	"techo/commands/server"
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
	h, e := server.NewRemote(r, catalogue.Choice{Audience: tools.Agents, Only: s.only})
	if e != nil {
		t.Fatal(e)
	}
	s.MCP = mcp.Handler(h)
	srv := New(h, s.Options)
	srv.access = access{open: true}
	web := httptest.NewServer(srv.handler())
	t.Cleanup(web.Close)
	t.Cleanup(web.CloseClientConnections)
	return srv, &testenv.Client{T: t, Base: web.URL, HTTP: web.Client()}
}

func newRun(t *testing.T, flags map[string]string) *run.Run {
	t.Helper()
	return runtest.New(t, run.Given{Path: []string{"serve"}, Settings: flags},
		slices.Concat(memo.Tools(), memory.Tools(), files.Tools(), ask.Tools()))
}

// quiet returns a log that drops everything.
func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }
