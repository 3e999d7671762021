// Techo is the pocket notebook and toolbox of an AI agent, and of the person
// beside it.
package main

import (
	"os"

	"techo/commands"
	"techo/commands/system"
	"techo/internal/procs"
	"techo/internal/startup"
)

func main() {
	procs.Restricted(startup.Procs)
	os.Exit(commands.Main(system.OS()))
}
