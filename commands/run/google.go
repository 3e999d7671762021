package run

import (
	"techo/commands/google"
	"techo/tools"
)

// google is how tools reach Google.
func (s *Run) google() tools.Google {
	return google.New(s.System, s.Env).Calendar()
}
