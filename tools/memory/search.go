package memory

import (
	"context"
	"math"
	"strings"

	"techo/export"
	"techo/store"
	"techo/store/search"
	"techo/tools"
)

// Search finds memories.
var Search = tools.Define(tools.Tool{
	Name:    "search_memory",
	For:     tools.Agents,
	Command: "memory search",
	About:   "Find the memories that answer a question",
	More: "Ask in plain English or Japanese; there is no syntax. The best matches come first. matched lists the " +
		"words of the query that a memory has; snippet shows where. If nothing is found, suggestions lists words " +
		"that occur in memories.",
	Effect:      tools.Reads,
	Preapproved: true,
	InStore:     true,
	Words:       []string{"query…"},
	Examples: []tools.Example{
		{Does: "Ask a question", Line: `memory search "What is the name of Tanaka's dog?"`},
		{Does: "Search recent memories", Line: `memory search dog --since 2026-01-01 --limit 3 -o text`},
	},
}, searchMemory)

// SearchIn is the input of search_memory.
type SearchIn struct {
	Query   string `json:"query" minLength:"1" doc:"The question, in plain words"`
	Limit   int    `json:"limit" default:"5" minimum:"1" maximum:"1000" doc:"How many to return"`
	Session string `json:"session,omitempty" doc:"Only of this session"`
	Scope   string `json:"scope,omitempty" enum:"person,project" doc:"Only of this scope"`
	Since   string `json:"since,omitempty" doc:"Only created at this time or later"`
	Until   string `json:"until,omitempty" doc:"Only created before this time; a day or month includes all of it"`
}

// SearchOut is the result of search_memory.
type SearchOut struct {
	Query       string   `json:"query"`
	Results     []Result `json:"results"`
	Total       int      `json:"total"`
	AtLeast     bool     `json:"at_least"` // Total is a lower bound
	Suggestions []string `json:"suggestions"`
	Message     string   `json:"message"`
}

// Result is a memory that matches the query.
type Result struct {
	ID        string   `json:"id"`
	Caption   string   `json:"caption"`
	CreatedAt string   `json:"created_at"`
	Session   string   `json:"session"`
	Score     float64  `json:"score"`
	Matched   []string `json:"matched"`
	Snippet   string   `json:"snippet"`

	Supersedes []string `json:"supersedes,omitempty"` // ids of memories whose words count too
}

func searchMemory(ctx context.Context, env *tools.Env, in SearchIn) (out SearchOut, err error) {
	st, since, until, err := openFor(ctx, env, in.Since, in.Until)
	if err != nil {
		return out, err
	}
	found, err := st.SearchMemories(ctx, env.User, in.Query, store.MemoryFilter{
		Session: in.Session, Scope: in.Scope, Since: since, Until: until, Limit: in.Limit,
	})
	if err != nil {
		return out, explain(env, err)
	}
	out = SearchOut{Query: in.Query, Results: []Result{}, Total: found.Total, AtLeast: found.AtLeast,
		Suggestions: append([]string{}, found.Nearby...)}
	e := search.NewExcerpts(in.Query)
	for _, h := range found.Hits {
		out.Results = append(out.Results, Result{
			ID: h.ID, Caption: h.Caption, CreatedAt: env.Time(h.CreatedAt), Session: h.Session,
			Score:   math.Round(h.Score*1e4) / 1e4,
			Matched: e.Matched(wordsOf(h.Memory)), Snippet: e.Snippet(h.FullText), Supersedes: formerIDs(h.Memory),
		})
	}
	out.Message = searchMessage(env, out)
	return out, nil
}

// wordsOf returns the text by which a memory is found.
func wordsOf(m store.Memory) string {
	words := m.FullText + "\n" + m.Caption
	for _, f := range m.Supersedes {
		words += "\n" + f.FullText + "\n" + f.Caption
	}
	return words
}

// formerIDs returns the ids of the memories that a memory superseded.
func formerIDs(m store.Memory) (ids []string) {
	for _, f := range m.Supersedes {
		ids = append(ids, f.ID)
	}
	return ids
}

func searchMessage(env *tools.Env, o SearchOut) string {
	switch {
	case len(o.Results) > 0 && o.AtLeast:
		return env.Localize("Found %d of more than %d", len(o.Results), o.Total)
	case len(o.Results) > 0:
		return env.Localize("Found %d of %d", len(o.Results), o.Total)
	case len(o.Suggestions) > 0:
		return env.Localize("Nothing found; the memories have: %s", strings.Join(o.Suggestions, ", "))
	}
	return env.Localize("Nothing found")
}

// Text shows two lines per result.
func (o SearchOut) Text(env *tools.Env) string {
	lines := []string{o.Message}
	for _, r := range o.Results {
		lines = append(lines, "- ["+r.ID+"] "+export.OneLine(r.Caption)+" ("+env.MinuteOf(r.CreatedAt)+")", "  "+
			export.OneLine(r.Snippet))
	}
	return strings.Join(lines, "\n")
}
