package system

import (
	"os"

	"golang.org/x/sys/windows"

	"techo/tools/person"
)

// openTerminal always fails: safe prompts on this system's console are not
// supported, so questions wait in the store.
func openTerminal() (person.Terminal, error) {
	return nil, &person.NoTerminalError{Reason: "techo has no terminal"}
}

// consoleColors lets the console at stdout understand colours, and reports whether it does.
func consoleColors() bool {
	out := windows.Handle(os.Stdout.Fd())
	var mode uint32
	return windows.GetConsoleMode(out, &mode) == nil &&
		windows.SetConsoleMode(out, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
