// Package files is the family of tools that search, read and change files. The packages below it have
// the tools and what these share; only this one is imported by others.
package files

import (
	"context"

	"techo/tools"
	"techo/tools/files/edit"
	"techo/tools/files/patch"
	"techo/tools/files/paths"
	"techo/tools/files/read"
	"techo/tools/files/search"
)

// Tools returns the tools of this family in the order of the help.
func Tools() []*tools.Tool {
	return []*tools.Tool{search.Grep, search.Glob, read.File, edit.Write, edit.Edit, edit.Insert, patch.Apply,
		search.List, edit.MakeFolder, edit.Move, edit.Remove, edit.Undo}
}

// ReadWhole reads a file that the caller may read, and returns where it is. The store's files
// are refused.
func ReadWhole(ctx context.Context, env *tools.Env, path string) (content []byte, at string, err error) {
	f, err := paths.OpenFile(ctx, env, path, false)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	if f.IsStoreFile(env) {
		return nil, "", paths.BelongsToStore(env, path)
	}
	if f.Opened == nil {
		return nil, "", f.Missing(env)
	}
	content, err = f.Read(env)
	return content, f.Full(), err
}

// History is what the family of the history needs of this one.
type History = edit.History
