package run

import (
	"techo/commands/output"
	"techo/commands/system"
	"techo/tools"
)

// Configure reads the options from the flags, the environment and the files with
// settings, and returns their problems. The commands that change these files work in
// spite of problems in them.
func (s *Run) Configure(g Given) (problems []tools.Detail) {
	language, _ := (&parser{sys: s.System, flags: g.Settings}).get("lang")
	lang, _ := findLanguage(s.System, language)
	g.Files = readFiles(s.System, &tools.Env{Lang: lang})
	s.Given = g
	s.Options, problems = Parse(s.System, g)
	problems = append(problems, g.Files.problems...)
	if len(g.Path) > 0 && g.Path[0] == "config" {
		g.Files = &FileValues{}
		_, problems = Parse(s.System, g)
	}
	s.Out.Text, s.Out.MaxBytes, s.Out.ErrorsToStderr = s.Options.text, s.Options.maxBytes, s.Options.errors
	return problems
}

// New returns a run with default options. Configure sets them.
func New(w system.System, offered []*tools.Tool) *Run {
	return &Run{System: w, Offered: offered, Resources: &Resources{}, Out: output.New(w)}
}
