// Package google authorizes techo for Google Calendar and stores the credentials.
package google

import (
	"techo/commands/system"
	"techo/tools"
)

// Access reads and changes a person's Google credentials.
type Access struct {
	system system.System
	env    func() *tools.Env
}

// New returns the access of a person. env returns the environment of the current
// call.
func New(w system.System, env func() *tools.Env) *Access { return &Access{w, env} }
