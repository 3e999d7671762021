package history

import (
	"context"
	"path/filepath"
	"strings"

	"techo/export"
	"techo/store"
	"techo/store/calendar"
	"techo/store/history"
	"techo/store/ledger"
	"techo/tools"
	"techo/tools/when"
)

// ListIn is the input of list_history.
type ListIn struct {
	Family string `json:"family,omitempty" enum:"memo,memory,calendar,files,ask,space,guarded" doc:"Only of this family"`
	Since  string `json:"since,omitempty" doc:"Only changes at this time or later, e.g. 2026-01-05, yesterday 15:00"`
	Until  string `json:"until,omitempty" doc:"Only changes before it; a day or month is included, e.g. 2026-01-31"`
	About  string `json:"about,omitempty" doc:"Only changes of this record: an id, path, or name of a memo or calendar"`
	Limit  int    `json:"limit" default:"20" minimum:"1" maximum:"1000" doc:"How many to list" list:"bare"`
	Cursor string `json:"cursor,omitempty" doc:"Continue here: next_cursor of the previous result" list:"bare"`
}

// ListOut is the result of list_history.
type ListOut struct {
	Changes    []Change `json:"changes" compact:"keep"`
	Total      int      `json:"total"`
	NextCursor string   `json:"next_cursor"`
	when.Meaning
	Message string `json:"message"`
}

func (f Families) list() *tools.Tool {
	return tools.Define(tools.Tool{
		Name:    "list_history",
		For:     tools.Hosts,
		Command: "history",
		About:   "List changes, the newest first",
		More: "Who changed which memos, memories, events, questions and files, when and with which tool. Answers, and " +
			"what the person confirms (family guarded), have an assurance: secret, client or none.",
		Notes: []tools.Note{
			{Text: "%s shows what changed, %s undoes it.", Names: []string{"history show", "undo"}},
		},
		Effect:  tools.Reads,
		Sharing: tools.OneSpace,
		Examples: []tools.Example{
			{Does: "List the newest changes", Line: "history"},
			{Does: "List the changes of one memo, for a person", Line: "history --about ramen -o text"},
			{Does: "List the changes of a shared space", Line: "history --space team"},
		},
	}, f.listHistory)
}

func (f Families) listHistory(ctx context.Context, env *tools.Env, in ListIn) (out ListOut, err error) {
	times := when.NewTimes(env)
	filter := f.filter(env)
	filter.Family, filter.Limit = in.Family, in.Limit
	filter.Since, filter.Until = times.Span(in.Since, in.Until)
	if err := times.Err(); err != nil {
		return out, err
	}
	if in.Cursor != "" {
		if filter.Before, err = ledger.ChangeNumber(in.Cursor); err != nil {
			return out, tools.InvalidField(env, "/cursor", "must be the next_cursor of a result")
		}
	}
	st, err := env.Store(ctx, tools.Reads)
	if err != nil {
		return out, err
	}
	if filter.About, filter.Memo, err = recordsNamed(ctx, env, st, in.About); err != nil {
		return out, err
	}
	page, err := history.Of(st.Ledger).List(ctx, filter)
	if err != nil {
		return out, err
	}
	var changes []ledger.Change
	for _, c := range page.Changes {
		changes = append(changes, c.Change)
	}
	at, err := placesOf(ctx, env, st, changes...)
	if err != nil {
		return out, err
	}
	out = ListOut{Changes: []Change{}, Total: page.Total, Meaning: times.Meaning()}
	for _, c := range page.Changes {
		one := at.change(c.Change, c.Title)
		one.Records = c.Changed
		out.Changes = append(out.Changes, one)
	}
	if page.Next != 0 {
		out.NextCursor = ledger.ChangeID(page.Next)
	}
	if out.Message = env.Localize("Changes: %d of %d", len(out.Changes), page.Total); page.Total == 0 {
		out.Message = env.Localize("There are no changes")
	}
	return out, nil
}

// recordsNamed returns the ids of the records that a text may stand for: an id, a path,
// the name of a calendar or of a memo. If there is no such memo, one with the name that was removed is meant. It returns
// nil for "".
func recordsNamed(ctx context.Context, env *tools.Env, st *store.Store, name string) (ids []string, memo string,
	err error) {
	if name == "" {
		return nil, "", nil
	}
	ids = []string{name, filepath.ToSlash(filepath.Join(env.Dir, name))}
	cal, err := calendar.IDNamed(ctx, st.Ledger, name)
	if err != nil {
		return nil, "", err
	}
	if cal != "" {
		ids = append(ids, cal)
	}
	if found, err := st.GetMemo(ctx, name); err == nil {
		return append(ids, found.ID), "", nil
	}
	return ids, name, nil
}

// Text shows one line per change.
func (o ListOut) Text(env *tools.Env) string {
	lines := []string{o.Message}
	for _, c := range o.Changes {
		lines = append(lines, c.line(env))
	}
	return strings.Join(lines, "\n")
}

func (c Change) line(env *tools.Env) string {
	about := export.OneLine(c.About) // a path may contain line breaks
	if c.Title != "" && c.Title != c.About {
		about += " " + export.OneLine(c.Title)
	}
	line := env.Localize("- %s %s %s: %s (by %s)", c.ID, env.MinuteOf(c.At), c.Tool, about, c.By)
	if c.Tool == "sync" {
		line += env.Localize(", from %s", c.Client)
	}
	if c.Assurance != "" {
		line += env.Localize(", assurance: %s", c.Assurance)
	}
	if c.Records > 1 {
		line += env.Localize(", ") + env.Count(c.Records, "%d record", "%d records")
	}
	if c.Moved != "" && c.left {
		line += " → " + c.Moved
	} else if c.Moved != "" {
		line += " ← " + c.Moved
	}
	if c.Undone {
		line += env.Localize(", undone by %s", c.UndoneBy)
	}
	return line
}
