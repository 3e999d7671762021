package line

import (
	"github.com/urfave/cli/v3"

	"techo/commands/input"
	"techo/commands/run"
	"techo/tools"
)

// App parses one command line and runs its command.
type App struct {
	Run      *run.Run
	Commands []*Command
	root     *cli.Command // at least the branch of this line
	line     Line
	problems []tools.Detail // in the settings
	input    *input.Builder // of the called command
}

// New returns an app without commands.
func New(s *run.Run) *App { return &App{Run: s} }

// Add adds commands.
func (s *App) Add(more ...*Command) { s.Commands = append(s.Commands, more...) }

// Names returns the names of all commands, as typed after the program's name.
func (s *App) Names() (names []string) {
	for _, c := range s.Commands {
		names = append(names, c.Tool.Command)
	}
	return names
}

// whole builds and returns the tree of all commands.
func (s *App) whole() *cli.Command {
	s.root = tree(s.Commands, nil, nil)
	return s.root
}

// Parse parses a command line against the tree of all commands.
func (s *App) Parse(args []string) Line { return readLine(s.whole(), args) }
