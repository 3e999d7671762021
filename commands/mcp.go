package commands

import (
	"context"
	"log/slog"
	"slices"

	"techo/commands/catalogue"
	"techo/commands/line"
	"techo/commands/machines"
	"techo/commands/mcp"
	"techo/commands/run"
	"techo/commands/serve"
	"techo/commands/server"
	"techo/commands/setup"
	"techo/tools"
)

type mcpIn struct {
	HTTP *string `json:"http" doc:"Serve HTTP at HOST:PORT or unix:PATH instead of stdin and stdout"`
	catalogue.Choice
	catalogue.MCPListing
	NoToken bool     `json:"no_token,omitempty" doc:"With --http on this machine: require no token"`
	Hosts   []string `json:"hosts,omitempty" doc:"With --http: a name of this server besides localhost"`
	Install *string  `json:"install" enum:"claude,codex,cursor,gemini" doc:"Register this server with a client"`
	Project bool     `json:"project,omitempty" doc:"With --install: for this folder's project, without machine paths"`
	DryRun  bool     `json:"dry_run,omitempty" doc:"With --install: change nothing, print what would change"`
}

// mcpCommand serves the tools over the Model Context Protocol.
func mcpCommand() *line.Command {
	c := line.Answering(tools.Tool{
		Command: "mcp",
		About:   "Offer the tools over MCP",
		More: "Serves the Model Context Protocol on stdin and stdout until stdin ends, in all versions from " +
			"2024-11-05 to 2026-07-28. An MCP client starts it with the command techo and the argument mcp; " +
			"--install writes this, with the other flags, into the client's configuration. The most useful " +
			"tools are listed first (the profile core), and find_tools finds the others; --profile full lists " +
			"all. Other commands and servers can use the same store meanwhile. The flags choose the user, the " +
			"language and the time zone; a model cannot change them. The audiences are agent (a model), host " +
			"(the program that runs it) and person.\n" +
			"The file tools can use the folder in which techo was started, even / or your home folder, and the " +
			"roots that the client lists (roots/list). --root DIR replaces these folders, and --root / allows " +
			"all. With --http the rules of techo serve apply: HOST:PORT needs a token, and file tools need " +
			"--root.",
		Examples: []tools.Example{
			{Does: "Show how a client's configuration would change", Line: "mcp --install claude --dry-run"},
			{Does: "Answer the requests in a file", Line: "mcp --read-only < requests.jsonl"},
		},
	}, doMCP)
	c.Speaks = func(l line.Line) bool {
		return !slices.ContainsFunc(l.Flags, func(f line.Flag) bool { return f.Field == "http" || f.Field == "install" })
	}
	return c
}

// doMCP serves the protocol, or registers the server with a client.
func doMCP(ctx context.Context, s *run.Run, in mcpIn) int {
	if e := in.check(s); e != nil {
		return s.Out.Fail(e)
	}
	if e := run.CheckHere(s); e != nil && !in.Project { // the file of a project names no store
		return s.Out.Fail(e)
	}
	start, listing := server.New, catalogue.Listing(in.MCPListing)
	if listing.Profile == "" {
		listing.Profile = in.Choice.Default()
	}
	if in.HTTP != nil {
		run.ForgetTurn(s)
		start = server.NewRemote
	}
	h, e := start(s, in.Choice)
	switch {
	case e != nil:
		return s.Out.Fail(e)
	case in.Install != nil:
		words := s.SettingWords()
		if in.Project {
			words = s.SharedWords()
		} else if e := run.CheckKept(s); e != nil {
			return s.Out.Fail(e)
		}
		args := slices.Concat([]string{"mcp"}, words, in.Choice.Flags(), listing.Flags(in.Choice.Default()))
		return setup.Register(s, *in.Install, args, in.Project, in.DryRun)
	}
	h.List(listing)
	go machines.Keep(ctx, s)
	if in.HTTP != nil {
		f := serve.New(h, serve.Options{Hosts: in.Hosts, MCP: mcp.Handler(h), MCPOnly: true})
		return serve.ListenAndServe(ctx, s, serve.ListenIn{Address: *in.HTTP, NoToken: in.NoToken}, f,
			slog.New(slog.NewTextHandler(s.System.Stderr, nil)))
	}
	h.PageLink = pageLinks(ctx, s)
	return mcp.ServeStdio(ctx, s, h)
}

// check returns an error for flags that cannot be combined, else nil.
func (in mcpIn) check(s *run.Run) *tools.Error {
	env := s.Env()
	var details []tools.Detail
	refuse := func(wrong bool, field string, reason tools.Text) {
		if wrong {
			details = append(details, tools.Detail{Path: "/" + field, Message: env.Localize(reason)})
		}
	}
	refuse(in.Install == nil && in.Project, "project", "needs --install")
	refuse(in.Install == nil && in.DryRun, "dry_run", "needs --install")
	refuse(in.Install != nil && in.HTTP != nil, "http", "does not go with --install: a client starts techo itself")
	_, store := s.Given.Settings["store"]
	refuse(in.Project && store, "store", "does not go with --project: others share the file")
	refuse(in.Project && len(s.Given.Roots) > 0, "root", "does not go with --project: others share the file")
	refuse(in.HTTP == nil && in.NoToken, "no_token", "needs --http")
	refuse(in.HTTP == nil && len(in.Hosts) > 0, "hosts", "needs --http")
	if len(details) == 0 {
		return nil
	}
	e := env.Fail(tools.InvalidInput, "These flags cannot be combined").
		WithHint(env.Hint("See %s", tools.Help("mcp")))
	e.Details = details
	return e
}
