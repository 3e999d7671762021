// Techo is the pocket notebook and toolbox of an AI agent, and of the person
// beside it.
package main

import (
	"os"

	"techo/commands"
	"techo/commands/system"
)

func main() {
	os.Exit(commands.Main(system.OS()))
}
