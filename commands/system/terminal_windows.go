package system

import "techo/tools"

// openTerminal always fails: safe prompts on this system's console are not
// supported, so questions wait in the store.
func openTerminal() (tools.Terminal, error) {
	return nil, &tools.NoTerminalError{Reason: "techo has no terminal"}
}
