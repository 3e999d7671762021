// Techo is the pocket notebook and toolbox of an AI agent, and of the person
// beside it.
package main

import (
	"os"
	"runtime"

	"techo/commands"
	"techo/commands/system"
	"techo/internal/procs"
)

func main() {
	procs.Restricted(runtime.GOMAXPROCS(1))
	os.Exit(commands.Main(system.OS()))
}
