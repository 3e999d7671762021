package commands

import (
	"techo/commands/catalogue"
	"techo/commands/line"
	"techo/commands/run"
)

// toolsCommand prints the definitions of the tools.
func toolsCommand(s *run.Run) *line.Command {
	return &line.Command{Tool: catalogue.Tool(s.Offered, run.Naming(s))}
}
