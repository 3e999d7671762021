package memory

import (
	"context"
	"strings"

	"techo/export"
	"techo/store"
	"techo/store/memfile"
	"techo/store/search"
	"techo/store/space"
	"techo/tools"
)

// FoundFile is a file of the memory tool that matches a query.
type FoundFile struct {
	Path    string   `json:"path"`
	Matched []string `json:"matched"`
	Snippet string   `json:"snippet"`
}

// foundFiles returns the memory files that match a query, unless it asks for what no file has: a
// session, a scope or a time. They have an order of their own, because scores of whole files and of
// memories do not compare.
func foundFiles(ctx context.Context, env *tools.Env, st *store.Store, in space.Sources, asked SearchIn,
	e *search.Excerpts) (found []FoundFile, err error) {
	if !in.Own || tools.Space(env) != "" || asked.Session+asked.Scope+asked.Since+asked.Until != "" {
		return nil, nil
	}
	files, err := memfile.Of(st.Ledger).Search(ctx, env.User, asked.Query, asked.Limit)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		snippet := e.Snippet(f.Text) // first: Matched reads the same text next
		found = append(found, FoundFile{f.Path, e.Matched(f.Text, f.Names()), snippet})
	}
	return found, nil
}

// filesText shows two lines per file, below a heading.
func filesText(env *tools.Env, files []FoundFile) (lines []string) {
	if len(files) > 0 {
		lines = append(lines, env.Localize("Files:"))
	}
	for _, f := range files {
		lines = append(lines, "- "+f.Path, "  "+strings.TrimSpace(export.OneLine(f.Snippet)))
	}
	return lines
}
