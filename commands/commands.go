// Package commands listens and answers: it is the only room that speaks to a
// terminal, a pipe or an agent. Whatever comes in becomes one call of a tool;
// whatever comes back becomes one document on stdout.
package commands

import (
	"context"
	"runtime/debug"
	"slices"
	"techo/commands/line"
	"techo/commands/run"
	"techo/commands/server"
	"techo/commands/system"
	"techo/tools"
	"techo/tools/ask"
	"techo/tools/calendar"
	"techo/tools/files"
	"techo/tools/memo"
	"techo/tools/memory"
	"techo/tools/web"
	"time"
)

// families are all tools that an agent is offered.
func families() []*tools.Tool {
	return slices.Concat(memo.Tools(), memory.Tools(), calendar.Tools(), files.Tools(), ask.Tools(), web.Tools())
}

// Main runs the program and returns its exit code.
func Main(w system.System) int {
	// A process that lives for one call is done before collecting pays.
	debug.SetGCPercent(400)
	ctx, stop := w.Interrupted(context.Background())
	context.AfterFunc(ctx, stop) // a second interrupt ends what does not listen
	defer stop()
	s := run.New(w, families())
	code := programOf(s).Execute(ctx)
	closed := make(chan struct{})
	go func() { s.Close(); close(closed) }()
	select {
	case <-closed:
	case <-time.After(server.EndTime): // a call that was left behind may hold the store
	}
	return code
}

// programOf makes the app of all commands.
func programOf(s *run.Run) *line.App {
	a := line.New(s)
	for _, t := range s.Offered {
		a.Add(&line.Command{Tool: t})
	}
	a.Add(shellCommands(a)...)
	return a
}
