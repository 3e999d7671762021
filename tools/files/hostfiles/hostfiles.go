// Package hostfiles has what the file tools know of the host: files outside of the searched
// folders, and stdin.
package hostfiles

import "techo/tools"

// Settings are the settings of the host.
type Settings struct {
	// Home and Config ($XDG_CONFIG_HOME) are the person's folders, where other
	// programs keep their settings. "" means that there is no such folder.
	Home, Config string

	// GitConfig lists the configuration files of git that apply to all repositories, those
	// with less precedence first.
	GitConfig []string

	// Stdin is what was piped into the command if its line names it by the field
	// Flagged.Stdin, else nil.
	Stdin []byte

	// Unread reports whether input waits on stdin, which the line of the command does not
	// name. nil means no.
	Unread func() bool
}

// Of returns the settings of a call.
func Of(env *tools.Env) Settings { return tools.Setting[Settings](env) }
