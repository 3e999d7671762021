package run

import (
	"techo/commands/output"
	"techo/commands/system"
	"techo/tools"
)

// Configure reads the options from the flags and the environment, and returns
// their problems.
func (s *Run) Configure(g Given) (problems []tools.Detail) {
	s.Given = g
	s.Options, problems = Parse(s.System, g.Settings, g.Roots)
	s.Out.Text, s.Out.MaxBytes, s.Out.ErrorsToStderr = s.Options.text, s.Options.maxBytes, s.Options.errors
	return problems
}

// New returns a run with default options. Configure sets them.
func New(w system.System, offered []*tools.Tool) *Run {
	return &Run{System: w, Offered: offered, Resources: &Resources{}, Out: output.New(w)}
}
