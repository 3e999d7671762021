// Package files implements the tools that search, read and change files.
package files

import (
	"strings"

	"techo/tools"
)

// Tools returns the tools of this family in the order of the help.
func Tools() []*tools.Tool {
	return []*tools.Tool{Grep, Glob, Read, Write, Edit, Insert, Patch, List, Move, Remove, Undo}
}

// invalidInput returns one error for all problems of an input.
func invalidInput(env *tools.Env, all []tools.Detail) *tools.Error {
	var texts []string
	for _, d := range all {
		texts = append(texts, env.Localize("%s %s", strings.TrimPrefix(d.Path, "/"), d.Message))
	}
	e := env.Fail(tools.InvalidInput, "%s", strings.Join(texts, "; "))
	e.Details = all
	return e
}
