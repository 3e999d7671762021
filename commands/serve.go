package commands

import (
	"context"
	"log/slog"
	"time"

	"techo/commands/catalogue"
	"techo/commands/line"
	"techo/commands/machines"
	"techo/commands/mcp"
	"techo/commands/run"
	"techo/commands/serve"
	"techo/commands/server"
	"techo/commands/transfer"
	"techo/tools"
	"techo/tools/when"
)

type serveIn struct {
	Listen  *string  `json:"listen" doc:"unix:PATH, or HOST:PORT, e.g. 127.0.0.1:7430 (default: your socket)"`
	NoToken bool     `json:"no_token,omitempty" doc:"At HOST:PORT on this machine: require no token"`
	Hosts   []string `json:"hosts,omitempty" doc:"A name of this server, besides its address and localhost"`
	catalogue.Choice
	catalogue.Listing
	Page  bool    `json:"page,omitempty" doc:"At HOST:PORT on this machine: also serve the page of techo page"`
	Quiet bool    `json:"quiet,omitempty" doc:"No access log on stderr"`
	Log   string  `json:"log" default:"text" enum:"text,json" doc:"Format of the log on stderr"`
	Drain string  `json:"drain" default:"0s" maxLength:"40" doc:"Take requests this long after SIGTERM, not ready"`
	Unit  *string `json:"unit" enum:"systemd,launchd" doc:"Print a service file that starts it at login"`
}

func serveCommand() *line.Command {
	return line.Answering(tools.Tool{
		Command: "serve",
		About:   "Answer calls over HTTP",
		More: "POST /tools/{name} calls a tool with the JSON input in the body and answers like techo call. GET " +
			"/tools lists the tools (?format=openai…), /mcp speaks MCP, GET /memories/full?user_id=U&ids=a,b reads " +
			"memories, GET /health answers while the server runs, GET /ready while it can answer calls, and GET " +
			"/metrics counts calls for Prometheus. The headers Techo-User, Techo-Lang, Techo-Tz " +
			"and Idempotency-Key work like the flags.\n" +
			"Without --listen the server uses a socket that is yours alone: techo/serve.sock in $XDG_RUNTIME_DIR, " +
			"else in $XDG_STATE_HOME or ~/.local/state. At HOST:PORT every request except /health and /ready needs " +
			"the header Authorization: Bearer TOKEN. TOKEN is $TECHO_TOKEN, which may name any user, or a token of " +
			"techo token add, which is for one user. If there is neither, techo creates a token for all users at " +
			"the first start, prints it once, and keeps it in techo/token in $XDG_STATE_HOME or ~/.local/state. " +
			"There is no TLS: use a reverse proxy.\n" +
			"A model gets the tools for agents. --audience host adds those for the program that runs the model, " +
			"and --audience person adds those for you as well; --page serves them to your browser. File tools need " +
			"--root. Other commands can use the store at the same time. Ctrl-C or SIGTERM stops the server " +
			"when the running calls have ended.",
		Examples: []tools.Example{
			{Does: "Start it when you log in, on Linux", Line: "serve --unit systemd > techo.service"},
			{Does: "The same on a Mac, on a port", Line: `serve --listen 127.0.0.1:7430 --unit launchd`},
		},
	}, doServe)
}

func doServe(ctx context.Context, s *run.Run, in serveIn) int {
	if in.Unit != nil {
		if e := run.CheckKept(s); e != nil {
			return s.Out.Fail(e)
		}
		return s.Out.Document(unit(s, in))
	}
	if e := run.CheckHere(s); e != nil {
		return s.Out.Fail(e)
	}
	drain, e := in.drain(s.Env())
	if e != nil {
		return s.Out.Fail(e)
	}
	h, e := server.NewRemote(s, in.Choice)
	if e != nil {
		return s.Out.Fail(e)
	}
	h.List(in.Listing)
	log := in.logger(s)
	o := serve.Options{Hosts: in.Hosts, MCP: mcp.Handler(h), Drain: drain, Transfers: transfer.Served(s, in.Choice)}
	if in.Page {
		if o.Page, o.Person, e = personPage(s, true); e != nil {
			return s.Out.Fail(e)
		}
		o.Kind = pageKind(s)
		o.Listening = func(address string) {
			link, _ := o.Page.Link(address)
			announceLink(s, link)
		}
	}
	if !in.Quiet {
		o.Log = log
	}
	go machines.Keep(ctx, s)
	return serve.ListenAndServe(ctx, s, in.place(), serve.New(h, o), log)
}

// maxDrain is the longest time that a server drains.
const maxDrain = 24 * time.Hour

func (in serveIn) drain(env *tools.Env) (time.Duration, *tools.Error) {
	d, err := when.ParseDuration(in.Drain)
	if err != nil || d > maxDrain {
		return 0, tools.InvalidField(env, "/drain", "must be a duration such as 30s, at most 24h, not %q", in.Drain)
	}
	return d, nil
}

func (in serveIn) logger(s *run.Run) *slog.Logger {
	if in.Log == "json" {
		return slog.New(slog.NewJSONHandler(s.System.Stderr, nil))
	}
	return slog.New(slog.NewTextHandler(s.System.Stderr, nil))
}

func (in serveIn) place() serve.ListenIn {
	if in.Listen == nil {
		return serve.ListenIn{NoToken: in.NoToken}
	}
	return serve.ListenIn{Address: *in.Listen, NoToken: in.NoToken}
}
