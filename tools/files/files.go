// Package files implements the tools that search, read and change files.
package files

import (
	"techo/tools"
)

// Tools returns the tools of this family in the order of the help.
func Tools() []*tools.Tool {
	return []*tools.Tool{Grep, Glob, Read, Write, Edit, Insert, Patch, List, Move, Remove, Undo}
}
