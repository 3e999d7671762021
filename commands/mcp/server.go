// Package mcp serves tools over the Model Context Protocol: transports, elicitation,
// roots, progress, and registration with clients.
//
// It uses the low-level AddTool of the official library: the generic one rounds large integers
// and makes lists nullable. Stdin and stdout have their own connection, because the
// library's ends at the first invalid message and drops unfinished answers when stdin ends.
package mcp

//lint:file-ignore SA1019 Clients announce their folders as roots until protocol 2026-07-28 replaces them.

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/commands/catalogue"
	"techo/commands/run"
	"techo/commands/server"
	"techo/commands/system"
	"techo/tools"
	"techo/tools/calendar"
	"techo/tools/when"
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
	h.Work, h.Stop = work, work
	h.Run.ClientName = "mcp-" + rand.Text()
	err := newServer(h, roots, true).Run(ctx,
		&pipeTransport{in: s.System.Stdin, out: s.System.Stdout, grace: finishCalls, end: end, stop: ctx})
	switch {
	case err == nil, errors.Is(err, io.EOF), errors.Is(err, context.Canceled):
		return 0 // without a document, because stdout carries the protocol
	}
	slog.New(slog.NewTextHandler(s.System.Stderr, nil)).Error("mcp", "error", err)
	return run.ExitCode(tools.Internal)
}

// instructions describe the tools as a whole to a model, and say what is not listed. Those of a session have the
// time at which it begins.
func instructions(h *server.Host, session bool) string {
	env := h.Run.Env()
	text := env.Localize("techo is your notebook and toolbox. Keep what is worth remembering, look it up before " +
		"you answer, and follow the hint of an error. Each result is one JSON object. If an error has retryable " +
		"true, the same call may succeed later.")
	if others := h.Listing.Profile.Others(env, h.Run.Offered); len(others) > 0 {
		text += env.Localize(" Not all tools are listed: find_tools finds the others by words in English or Japanese, "+
			"and call_tool calls what it finds. They are for: %s.",
			strings.Join(catalogue.Subjects(env, others), env.Localize(", ")))
	}
	if offered(h.Run, "add_memory") {
		text += env.Localize(" If add_memory answers with related memories, supersede the one that is no longer true " +
			"(supersedes, or supersede_memory), and remove one that says the same. Of lines with days in a notice, " +
			"judge which holds.")
	}
	if !h.Audience.Includes(tools.Persons) {
		text += env.Localize(" A history has all changes: the user sees it with the command techo history, and takes " +
			"changes back with techo undo.")
	}
	if session {
		text += env.Localize(" %s when this session begins.", when.Now(env))
	}
	return text
}

// stdioRoots returns the roots of a server over stdin and stdout, or nil if --root
// replaces them.
func stdioRoots(s *run.Run) (*clientRoots, *tools.Error) {
	if len(s.Options.Roots) > 0 {
		return nil, nil
	}
	roots, err := newClientRoots(s.System.Dir, slog.New(slog.NewTextHandler(s.System.Stderr, nil)))
	if err != nil {
		env := s.Env()
		e := env.Fail(tools.Unavailable, "The working folder of techo cannot be used").
			WithHint(env.Hint("Start it in another folder, or name one with %s",
				tools.Flag("root", tools.Placeholder("DIR"))))
		e.Details = []tools.Detail{{Message: env.Cause(err)}}
		return nil, e
	}
	return roots, nil
}

// newServer returns a server of the protocol. The roots confine the file tools;
// without roots, the host's settings do. session is set if it serves one client.
func newServer(h *server.Host, roots *clientRoots, session bool) *mcp.Server {
	a := &adapter{host: h, secret: []byte(rand.Text()), roots: roots}
	if session && h.Listing.Profile.Small() {
		a.found = &foundTools{names: map[string]bool{}}
	}
	env := h.Run.Env()
	can := &mcp.ServerCapabilities{
		Tools:     &mcp.ToolCapabilities{ListChanged: a.found != nil},
		Resources: &mcp.ResourceCapabilities{ListChanged: true, Subscribe: true},
		Prompts:   &mcp.PromptCapabilities{},
	}
	can.AddExtension(viewExtension, nil)
	a.server = mcp.NewServer(&mcp.Implementation{
		Name: system.Name, Version: system.Version,
		Title: env.Localize("techo, the notebook of an agent"),
	}, &mcp.ServerOptions{
		Instructions:      instructions(h, session),
		Capabilities:      can,
		CompletionHandler: a.complete,
		// receive does what there is to do.
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
		SetCacheable:       func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" },
		InitializedHandler: func(_ context.Context, r *mcp.InitializedRequest) {
			a.requestRoots(r.Session)
		},
		RootsListChangedHandler: func(_ context.Context, r *mcp.RootsListChangedRequest) {
			a.requestRoots(r.Session)
		},
	})
	names := []string{calendar.Dispatcher}
	for _, t := range h.Run.Offered {
		names = append(names, t.Name)
	}
	for _, name := range names {
		// listTools replaces the definition in each listing, in the caller's language.
		a.server.AddTool(&mcp.Tool{Name: name, InputSchema: anyObject}, a.callTool)
	}
	a.watcher.host, a.watcher.server, a.watcher.sessions = h, a.server, session
	// Adding a template, also one that is there, makes the library send the notification.
	a.watcher.list = func() {
		a.server.AddResourceTemplate(&mcp.ResourceTemplate{Name: system.Name, URITemplate: scheme + "{+rest}"},
			a.readResource)
	}
	a.watcher.list()
	a.server.AddResourceTemplate(&mcp.ResourceTemplate{Name: "views", URITemplate: viewScheme + "{name}"},
		a.readResource)
	for _, p := range prompts() {
		a.server.AddPrompt(&mcp.Prompt{Name: p.name}, a.getPrompt)
	}
	a.server.AddReceivingMiddleware(a.receive)
	a.server.AddSendingMiddleware(keepContents, a.watcher.announce)
	return a.server
}
