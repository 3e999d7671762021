package commands

import (
	"context"
	"log/slog"
	"techo/commands/line"
	"techo/commands/mcp"
	"techo/commands/offer"
	"techo/commands/run"
	"techo/commands/serve"
	"techo/commands/server"
	"techo/tools"
)

// mcpIn is the input of the command mcp.
type mcpIn struct {
	HTTP     *string        `json:"http" doc:"Speak over HTTP at HOST:PORT or unix:PATH, not over stdin and stdout"`
	Only     []string       `json:"only,omitempty" doc:"Offer only these families or tools, e.g. memo,grep"`
	ReadOnly bool           `json:"read_only,omitempty" doc:"Offer only what changes nothing"`
	Audience tools.Audience `json:"audience" default:"agent" enum:"agent,host,person" doc:"Whom to offer tools to: a model (agent), the program that runs it (host), or the person; each also gets the tools of those before it"`
	NoToken  bool           `json:"no_token,omitempty" doc:"With --http: at HOST:PORT on this machine, let every user and program of it call without a token"`
	Hosts    []string       `json:"hosts,omitempty" doc:"With --http: a name that clients call this server by, besides its address and localhost"`
	Install  *string        `json:"install" enum:"claude,codex,cursor,gemini" doc:"Write this command, with these flags, into a client's configuration, and end"`
	Project  bool           `json:"project,omitempty" doc:"With --install: the configuration of this folder's project, not your own"`
	DryRun   bool           `json:"dry_run,omitempty" doc:"With --install: change nothing, say what would be"`
}

// mcpCommand is the face for clients of the Model Context Protocol.
func mcpCommand() *line.Command {
	return line.Answering(tools.Tool{
		Command: "mcp",
		About:   "Offer the tools over MCP",
		More: "Serves the Model Context Protocol on stdin and stdout until stdin ends, in all versions from " +
			"2024-11-05 to 2026-07-28. An MCP client starts it with the command techo and the argument mcp. " +
			"Other commands and servers can use the same store meanwhile. The flags of this command choose the " +
			"user, the language and the time zone; a model cannot change them. The file tools can use the folder " +
			"that techo was started in, even / or your home folder, and the roots that the client lists " +
			"(roots/list). --root DIR replaces these folders, and --root / allows all. With --http the rules of " +
			"techo serve apply: HOST:PORT needs a token, and file tools need --root.",
		Examples: []tools.Example{
			{Does: "Tell a client of it, once", Line: "mcp --install claude --dry-run"},
			{Does: "Answer what is on stdin", Line: "mcp --read-only < requests.jsonl"},
		},
	}, doMCP)
}

func doMCP(ctx context.Context, s *run.Run, in mcpIn) int {
	if e := in.clash(s.Env()); e != nil {
		return s.Out.Fail(e)
	}
	start := server.New
	if in.HTTP != nil {
		start = server.NewRemote
	}
	h, e := start(s, offer.Choice{Only: in.Only, ReadOnly: in.ReadOnly, Audience: in.Audience})
	switch {
	case e != nil:
		return s.Out.Fail(e)
	case in.Install != nil:
		return mcp.Install(s, *in.Install, mcpWords(s, in), in.Project, in.DryRun)
	}
	if in.HTTP != nil {
		f := serve.New(h, serve.Options{Hosts: in.Hosts, MCP: mcp.Handler(mcp.NewServer(h, nil)), MCPOnly: true})
		return serve.ListenAndServe(ctx, s, serve.ListenIn{Address: *in.HTTP, NoToken: in.NoToken}, f,
			slog.New(slog.NewTextHandler(s.System.Stderr, nil)))
	}
	return mcp.ServeStdio(ctx, s, h)
}

// clash is the error of flags that mean nothing together.
func (in mcpIn) clash(env *tools.Env) *tools.Error {
	var faults []tools.Detail
	add := func(wrong bool, field string, why tools.Text) {
		if wrong {
			faults = append(faults, tools.Detail{Path: "/" + field, Message: env.Localize(why)})
		}
	}
	needs := tools.Text("needs --install")
	add(in.Install == nil && in.Project, "project", needs)
	add(in.Install == nil && in.DryRun, "dry_run", needs)
	add(in.Install != nil && in.HTTP != nil, "http", "cannot be installed: a client starts techo itself")
	add(in.HTTP == nil && in.NoToken, "no_token", "needs --http")
	add(in.HTTP == nil && len(in.Hosts) > 0, "hosts", "needs --http")
	if len(faults) == 0 {
		return nil
	}
	e := env.Fail(tools.InvalidInput, "These flags do not go together").
		WithHint(env.Localize("See techo mcp --help"))
	e.Details = faults
	return e
}

// mcpWords are the arguments that a client starts techo with.
func mcpWords(s *run.Run, in mcpIn) []string {
	words := append([]string{"mcp"}, s.SettingWords()...)
	for _, name := range in.Only {
		words = append(words, "--only", name)
	}
	if in.ReadOnly {
		words = append(words, "--read-only")
	}
	return append(words, offer.AudienceWords(in.Audience)...)
}
