package line

import (
	"slices"

	"github.com/urfave/cli/v3"

	"techo/commands/run"
	"techo/tools"
)

// App parses one command line and runs its command.
type App struct {
	Run      *run.Run
	build    Builder
	all      []*Command   // nil until they are needed
	root     *cli.Command // at least the branch of this line
	line     Line
	problems []tools.Detail // in the settings
	input    *run.Input     // of the called command
}

// Builder returns the commands of an app. It calls has before it builds some of them,
// with words such that each of their names and aliases has one, and leaves these
// commands out if has returns false.
type Builder func(a *App, has func(words ...string) bool) []*Command

// New returns an app with the commands that build returns.
func New(s *run.Run, build Builder) *App { return &App{Run: s, build: build} }

// Commands returns all commands.
func (s *App) Commands() []*Command {
	if s.all == nil {
		s.all = s.build(s, func(...string) bool { return true })
	}
	return s.all
}

// Names returns the names of all commands, as typed after the program's name.
func (s *App) Names() (names []string) {
	for _, c := range s.Commands() {
		names = append(names, c.Tool.Command)
	}
	return names
}

// whole builds and returns the tree of all commands.
func (s *App) whole() *cli.Command {
	s.root = tree(s.Commands(), nil, nil)
	return s.root
}

// Parse parses a command line against the tree of all commands.
func (s *App) Parse(args []string) Line { return readLine(s.whole(), args) }

// anyOf returns a function that reports whether a line has any of some words.
func anyOf(line []string) func(words ...string) bool {
	return func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(line, w) })
	}
}
