// Package files is the family of tools that search, read and change files. The packages below it have
// the tools and what these share; only this one is imported by others.
package files

import (
	"techo/tools"
	"techo/tools/files/edit"
	"techo/tools/files/patch"
	"techo/tools/files/read"
	"techo/tools/files/search"
)

// Tools returns the tools of this family in the order of the help.
func Tools() []*tools.Tool {
	return []*tools.Tool{search.Grep, search.Glob, read.File, edit.Write, edit.Edit, edit.Insert, patch.Apply,
		search.List, edit.Move, edit.Remove, edit.Undo}
}

// History is what the family of the history needs of this one.
type History = edit.History
