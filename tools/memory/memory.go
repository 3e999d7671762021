// Package memory is the family of tools for memories: full texts of what an agent
// has learned, with search.
package memory

import (
	"context"

	"techo/tools"
	"techo/tools/memory/embed"
)

// Tools returns the family in the order of the help.
func Tools() []*tools.Tool {
	return []*tools.Tool{Add, Edit, Supersede, Remove, List, Get, Search, Timeline, Confirm, Check, Move,
		embed.Reindex, Context, Investigate, Tool}
}

// Settings are the settings for memories.
type Settings struct {
	On       bool   // memory is enabled
	Files    bool   // the memory tool is enabled
	InPrompt bool   // the prompt contains references to memories
	Dates    bool   // the references have the days of the memories
	Service  string // address of a memory service that replaces the store, or ""
	Token    string // bearer token for the service, or ""

	// ReadFile reads a file that the caller may read, and returns where it is. nil means that
	// the files of sources are not read.
	ReadFile func(ctx context.Context, env *tools.Env, path string) (content []byte, at string, err error)

	// Received is the result of investigate_memory that a server has returned. The call
	// then only writes it to files of this machine.
	Received []byte

	// Turns counts the calls of the process that the store cannot count because it may only
	// be read. nil means that there is no count: such a call fails.
	Turns *Turns
}

func settings(env *tools.Env) Settings { return tools.Setting[Settings](env) }
