// Package memory is the family of tools for memories: full texts of what an agent
// has learned, with search.
package memory

import (
	"techo/tools"
	"techo/tools/memory/embed"
)

// Tools returns the family in the order of the help.
func Tools() []*tools.Tool {
	return []*tools.Tool{Add, Edit, Supersede, Remove, List, Get, Search, Timeline, Confirm, Check, Move,
		embed.Reindex, Context, Investigate, Tool}
}
