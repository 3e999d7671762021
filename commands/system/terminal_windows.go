package system

import "techo/tools/person"

// openTerminal always fails: safe prompts on this system's console are not
// supported, so questions wait in the store.
func openTerminal() (person.Terminal, error) {
	return nil, &person.NoTerminalError{Reason: "techo has no terminal"}
}
