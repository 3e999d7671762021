// Package files is the family of tools that read, write and change files.
package files

import (
	"strings"

	"techo/tools"
)

// Tools returns the family, in the order of the help.
func Tools() []*tools.Tool {
	return []*tools.Tool{Grep, Glob, Read, Write, Edit, Undo}
}

// faults refuses an input, all its faults at once.
func faults(env *tools.Env, all []tools.Detail) *tools.Error {
	var texts []string
	for _, d := range all {
		texts = append(texts, env.Say(tools.Say{EN: "%s %s", JA: "%s: %s"}, strings.TrimPrefix(d.Path, "/"), d.Message))
	}
	e := env.Fail(tools.InvalidInput, tools.Say{EN: "%s", JA: "%s"}, strings.Join(texts, "; "))
	e.Details = all
	return e
}
