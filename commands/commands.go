// Package commands contains Main, the command tree and the commands for the
// shell. It is the only package that uses arguments, the environment and the
// standard streams.
package commands

import (
	"context"
	"runtime/debug"
	"slices"
	"time"

	"techo/commands/catalogue"
	"techo/commands/line"
	"techo/commands/machines"
	"techo/commands/run"
	"techo/commands/server"
	"techo/commands/system"
	"techo/tools"
	"techo/tools/ask"
	"techo/tools/calendar"
	"techo/tools/calendar/todo"
	"techo/tools/clock"
	"techo/tools/files"
	"techo/tools/history"
	"techo/tools/memo"
	"techo/tools/memory"
	"techo/tools/memory/review"
	"techo/tools/space"
	"techo/tools/web"
)

func families() []*tools.Tool {
	changes := history.Tools(history.Families{Files: files.History{}, PermitQuestion: ask.PermitUndo,
		UndoElsewhere: calendar.UndoElsewhere})
	return slices.Concat(memo.Tools(), memory.Tools(), review.Tools(), calendar.Tools(), todo.Tools(), clock.Tools(),
		files.Tools(), changes, space.Tools(), ask.Tools(), web.Tools(), []*tools.Tool{catalogue.Find, catalogue.Call})
}

// Main runs the program and returns its exit code.
func Main(w system.System) int {
	// A process for one call usually exits before a garbage collection pays off.
	debug.SetGCPercent(400)
	ctx, stop := w.Interrupted(context.Background())
	keep := context.AfterFunc(ctx, stop) // a second interrupt kills the process
	defer func() {
		keep() // otherwise stop would also run in a goroutine
		stop()
	}()
	s := run.New(w, families())
	code := programOf(s).Execute(ctx)
	machines.After(ctx, s)
	if ctx.Err() == nil && s.Options.Timeout == 0 { // no call was abandoned
		s.Close()
		return code
	}
	closed := make(chan struct{})
	go func() { s.Close(); close(closed) }()
	select {
	case <-closed:
	case <-time.After(server.EndTime): // an abandoned call may hold the store
	}
	return code
}

func programOf(s *run.Run) *line.App {
	app := line.New(s, func(a *line.App, has func(words ...string) bool) (all []*line.Command) {
		for _, t := range s.Offered {
			c := &line.Command{Tool: t}
			if t == catalogue.Call {
				c.Do = callNamed
			}
			all = append(all, c)
		}
		return append(all, shellCommands(a, has)...)
	})
	app.Start = showToday
	return app
}
