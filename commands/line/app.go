package line

import (
	"github.com/urfave/cli/v3"

	"techo/commands/input"
	"techo/commands/run"
	"techo/tools"
)

// App reads one command line and runs the command on it.
type App struct {
	Run      *run.Run
	Commands []*Command
	root     *cli.Command // with the branch of the line at least
	line     Line
	faults   []tools.Detail // of the settings
	input    *input.Builder // of the command that is called
}

// New makes the app of a run.
func New(s *run.Run) *App { return &App{Run: s} }

// Add adds commands.
func (s *App) Add(more ...*Command) { s.Commands = append(s.Commands, more...) }

// Whole makes the tree one of all commands, for what speaks of others than the
// one that runs.
func (s *App) Whole() *cli.Command {
	s.root = tree(s.Commands, nil, nil)
	return s.root
}
