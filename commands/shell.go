package commands

import (
	"context"

	"techo/commands/catalogue"
	"techo/commands/demo"
	"techo/commands/line"
	"techo/commands/machines"
	"techo/commands/quick"
	"techo/commands/run"
	"techo/commands/stores"
	"techo/commands/system"
	"techo/commands/transfer"
	"techo/tools/ask"
)

// shellCommands returns the commands that are not tools for agents. It is a
// line.Builder: most lines call a tool, and need none of these commands.
func shellCommands(a *line.App, has func(words ...string) bool) (all []*line.Command) {
	s := a.Run
	add := func(more ...*line.Command) { all = append(all, more...) }
	if has("add") {
		all = append(all, &line.Command{Tool: quick.Tool(a.Run)})
	}
	if has("demo") {
		add(demo.Command(func(ctx context.Context, w system.System) int {
			inner := run.New(w, families())
			defer inner.Close()
			return programOf(inner).Execute(ctx)
		}))
	}
	if has("ask") {
		for _, t := range ask.Shell() {
			add(&line.Command{Tool: t})
		}
	}
	if has("config") {
		add(configCommands(s)...)
	}
	if has("call", "tools") {
		add(callCommand(), toolsCommand(s))
	}
	if has("import", "export", "cal") {
		add(transfer.Calendars(s)...)
		add(calAuthGoogleCommand(s), calAuthCalDAVCommand(s), calSubscribeCommand())
	}
	if has("setup", "hook", "mcp", "serve", "page", "login", "logout") {
		add(setupCommand(s), hookCommand(),
			mcpCommand(),
			serveCommand(),
			pageCommand(),
			loginCommand(s), logoutCommand(s))
	}
	if has("token") {
		add(tokenAddCommand(s), tokenListCommand(), tokenRemoveCommand())
	}
	if has("skill", "init") {
		add(skillCommand(), initCommand(s))
	}
	if has("sync") {
		add(machines.Commands(s)...)
	}
	if has("store", "doctor") {
		add(stores.Commands(s)...)
	}
	if has("import", "export") {
		add(transfer.Files(s)...)
	}
	if has("help", "man", "completion", "complete", "version") {
		add(line.HelpCommand(a), line.ManCommand(a), line.CompletionCommand(), line.CandidatesCommand(a),
			versionCommand())
	}
	return all
}

// toolsCommand prints the definitions of the tools.
func toolsCommand(s *run.Run) *line.Command {
	return &line.Command{Tool: catalogue.Tool(s.Offered, run.Naming(s), func() bool { return s.Options.Compact(false) })}
}
