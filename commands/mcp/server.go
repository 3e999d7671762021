// Package mcp serves tools over the Model Context Protocol: transports, elicitation,
// roots, progress, and registration with clients.
package mcp

//lint:file-ignore SA1019 Clients announce their folders as roots until protocol 2026-07-28 replaces them.

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"techo/commands/output"
	"techo/commands/run"
	"techo/commands/server"
	"techo/commands/system"
	"techo/tools"
	"techo/tools/calendar"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeStdio serves one client over stdin and stdout until stdin ends.
func ServeStdio(ctx context.Context, s *run.Run, h *server.Host) int {
	s.System.CatchSignals()
	roots, e := stdioRoots(s)
	if e != nil {
		return s.Out.Fail(e)
	}
	work, end := context.WithCancel(ctx)
	defer end()
	h.Work = work
	h.ClientName, h.System.Lineage = "mcp-"+rand.Text(), s.System.Lineage
	err := NewServer(h, roots).Run(ctx,
		&PipeTransport{In: s.System.Stdin, Out: s.System.Stdout, Finish: finishCalls, End: end, stop: ctx})
	switch {
	case err == nil, errors.Is(err, io.EOF), errors.Is(err, context.Canceled):
		return 0 // stdout is the protocol's: no document
	}
	slog.New(slog.NewTextHandler(s.System.Stderr, nil)).Error("mcp", "error", err)
	return output.ExitCode(tools.Internal)
}

// instructions tell a model what the tools together are for.
func instructions() tools.Text {
	return "techo is your notebook and toolbox. Keep what is worth remembering, look it up before you answer, and " +
		"follow the hint of an error. Every result is one JSON object; an error says whether the same call may " +
		"succeed later (retryable)."
}

// stdioRoots returns the roots of a server over stdin and stdout. They are nil
// when the person named some with --root.
func stdioRoots(s *run.Run) (*clientRoots, *tools.Error) {
	if len(s.Options.Roots) > 0 {
		return nil, nil
	}
	roots, err := NewClientRoots(s.System.Dir, slog.New(slog.NewTextHandler(s.System.Stderr, nil)))
	if err != nil {
		env := s.Env()
		return nil, env.Fail(tools.Unavailable, "The folder that techo was started in cannot be used: %v", err).
			WithHint(env.Localize("Start techo in another folder, or name one with --root DIR"))
	}
	return roots, nil
}

// NewServer makes the protocol's server for a host. roots confine the tools for
// files; nil leaves that to the host's settings.
func NewServer(h *server.Host, roots *clientRoots) *mcp.Server {
	f := &Face{Host: h, Secret: []byte(rand.Text()), roots: roots}
	env := h.Env()
	server := mcp.NewServer(&mcp.Implementation{
		Name: system.Name, Version: system.Version,
		Title: env.Localize("techo, the notebook of an agent"),
	}, &mcp.ServerOptions{
		Instructions: env.Localize(instructions()),
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		InitializedHandler: func(_ context.Context, r *mcp.InitializedRequest) {
			f.askRoots(r.Session)
		},
		RootsListChangedHandler: func(_ context.Context, r *mcp.RootsListChangedRequest) {
			f.askRoots(r.Session)
		},
	})
	names := []string{calendar.Dispatcher}
	for _, t := range h.Offered {
		names = append(names, t.Name)
	}
	for _, name := range names {
		// What a client sees of it is made for each listing, in its language.
		server.AddTool(&mcp.Tool{Name: name, InputSchema: anyObject}, f.callTool)
	}
	server.AddReceivingMiddleware(f.receive)
	server.AddSendingMiddleware(tolerate)
	return server
}
