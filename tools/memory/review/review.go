// Package review has the tools by which a person keeps memories true: what is to be decided, and
// the merger of memories that say the same.
package review

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"techo/export"
	"techo/internal/legible"
	"techo/store"
	"techo/store/memory"
	"techo/tools"
	family "techo/tools/memory"
)

// Tools returns the tools in the order of the help.
func Tools() []*tools.Tool { return []*tools.Tool{Review, Merge, Settle} }

// Review lists what a person should decide.
var Review = &tools.Tool{
	Name:    "review_memories",
	For:     tools.Hosts,
	Command: "memory review",
	About:   "List what to decide about memories",
	More: "What was changed on two machines, also memos, events and to-dos; memories that are near each other, the newest " +
		"first; ones whose file has changed or is gone; expired ones; " +
		"and ones of more than 90 days that were never confirmed (kind=unconfirmed lists all of these). choices are " +
		"the calls that decide; a suggestion is there only if it is no guess. What is decided is not listed again; " +
		"confirm all of them to keep them as they are.",
	Effect:  tools.Reads,
	Sharing: tools.OneSpace,
	Examples: []tools.Example{
		{Does: "List what to decide", Line: `memory review`},
		{Does: "List what is near each other, as text", Line: `memory review --kind near -o text`},
	},
	Run: tools.Func[In, Out](review),
}

// The kinds of what is to be decided, in the order of the list.
const (
	syncConflict  = "sync_conflict"
	near          = "near"
	sourceChanged = "source_changed"
	sourceGone    = "source_gone"
	expired       = "expired"
	unconfirmed   = "unconfirmed"
)

type kind string

// Enum returns the kinds, in the order of the list.
func (kind) Enum() []string {
	return []string{syncConflict, near, sourceChanged, sourceGone, expired, unconfirmed}
}

// settling is how long a memory may be unconfirmed.
const settling = 90 * 24 * time.Hour

// In is the input of review_memories.
type In struct {
	Kind   kind   `json:"kind,omitempty" doc:"Only this"`
	Limit  int    `json:"limit" default:"20" minimum:"1" maximum:"200" doc:"How many to list" list:"bare"`
	Cursor string `json:"cursor,omitempty" doc:"Continue here: next_cursor of the previous result" list:"bare"`
}

// Out is the result of review_memories.
type Out struct {
	Items      []Item `json:"items" compact:"keep"`
	Total      int    `json:"total"`
	AtLeast    bool   `json:"at_least,omitempty"` // Total is a lower bound: only the latest 1,000 of a kind were read
	NextCursor string `json:"next_cursor,omitempty"`
	Message    string `json:"message"`
}

// Item is something to decide about memories.
type Item struct {
	Kind       string          `json:"kind"`
	Memories   []family.Detail `json:"memories"` // the newest first
	Conflict   *Conflict       `json:"conflict,omitempty"`
	Why        string          `json:"why"`
	Suggestion *Suggestion     `json:"suggestion,omitempty"` // the first of the choices, if it is no guess
	Choices    []Suggestion    `json:"choices"`              // all that decide it
}

// Suggestion is a call that decides an item.
type Suggestion struct {
	Choice  string         `json:"choice"` // supersede, merge, confirm, remove, keep or keep_both
	Tool    string         `json:"tool"`
	Input   map[string]any `json:"input"`
	Command string         `json:"command"`
}

// waiting is something to decide, before it is written.
type waiting struct {
	memory.Waiting
	kind     string
	conflict Conflict // of a sync_conflict
}

func review(ctx context.Context, env *tools.Env, in In) (out Out, err error) {
	after, err := parseCursor(env, in.Cursor)
	if err != nil {
		return out, err
	}
	st, err := env.Store(ctx, tools.Reads)
	if err != nil {
		return out, err
	}
	l := listing{env: env, in: in, after: after}
	if err := l.read(ctx, st); err != nil {
		return out, family.Explain(env, err)
	}
	out = Out{Items: []Item{}, Total: l.total, AtLeast: l.more}
	for _, w := range l.found[:min(in.Limit, len(l.found))] {
		out.Items = append(out.Items, itemOf(env, w))
	}
	if len(l.found) > in.Limit {
		out.NextCursor = cursorOf(l.found[in.Limit-1]).String()
	}
	out.Message = env.Localize("Nothing is to be decided")
	switch {
	case out.AtLeast:
		out.Message = env.Localize("To decide: %d of more than %d", len(out.Items), out.Total)
	case out.Total > 0:
		out.Message = env.Localize("To decide: %d of %d", len(out.Items), out.Total)
	}
	return out, nil
}

// listing is a list of what is to be decided.
type listing struct {
	env   *tools.Env
	in    In
	after cursor
	found []waiting // behind the cursor: those to list, and one more if there are more
	total int
	more  bool // the total is a lower bound
}

// asks reports whether the list has items of a kind.
func (l *listing) asks(kind string) bool { return l.in.Kind == "" || string(l.in.Kind) == kind }

func (l *listing) read(ctx context.Context, st *store.Store) error {
	f := memory.ReviewFilter{Near: l.asks(near), Sourced: l.asks(sourceChanged) || l.asks(sourceGone),
		Expired: l.asks(expired), Unconfirmed: l.asks(unconfirmed), Limit: l.in.Limit + 1}
	if l.in.Kind == "" {
		f.Before = l.env.Now().Add(-settling)
	}
	if l.after.kind == unconfirmed {
		f.Behind = &l.after.spot
	}
	all, err := memory.Review(ctx, st.Ledger, tools.Owner(l.env), f)
	if err != nil {
		return err
	}
	l.more = all.More
	if l.asks(syncConflict) {
		lost, err := conflictsOf(ctx, l.env, st)
		if err != nil {
			return err
		}
		for _, w := range lost {
			l.total++
			if l.after.before(w) {
				l.found = append(l.found, w)
			}
		}
	}
	l.add(near, all.Near)
	var gone []memory.Waiting
	for _, w := range all.Sourced {
		switch changed, missing := family.StaleSource(ctx, l.env, w.Memories[0].Source); {
		case changed:
			l.add(sourceChanged, []memory.Waiting{w})
		case missing:
			gone = append(gone, w)
		}
	}
	l.add(sourceGone, gone)
	l.add(expired, all.Expired)
	n := l.total
	l.add(unconfirmed, all.Unconfirmed)
	l.total = n + all.UnconfirmedTotal
	return ctx.Err()
}

// add adds what is to be decided, if it is asked for.
func (l *listing) add(kind string, all []memory.Waiting) {
	for _, w := range all {
		if !l.asks(kind) {
			continue
		}
		l.total++
		if found := (waiting{Waiting: w, kind: kind}); l.after.before(found) {
			l.found = append(l.found, found)
		}
	}
}

// cursor is the place of an item in the list. The zero cursor is before all.
type cursor struct {
	kind string
	spot memory.Spot
}

func cursorOf(w waiting) cursor { return cursor{w.kind, w.Spot} }

func (c cursor) String() string { return fmt.Sprintf("%s:%d:%d", c.kind, c.spot.At, c.spot.Text) }

func parseCursor(env *tools.Env, text string) (c cursor, err error) {
	if text == "" {
		return c, nil
	}
	parts := strings.Split(text, ":")
	if len(parts) == 3 && slices.Contains(kind("").Enum(), parts[0]) {
		at, err1 := strconv.ParseInt(parts[1], 10, 64)
		n, err2 := strconv.ParseUint(parts[2], 10, 32)
		if err1 == nil && err2 == nil {
			return cursor{parts[0], memory.Spot{At: at, Text: uint32(n)}}, nil
		}
	}
	return c, tools.InvalidField(env, "/cursor", "must be the next_cursor of a result")
}

// before reports whether an item comes after the cursor. Of the unconfirmed memories the oldest come
// first, of all others the latest.
func (c cursor) before(w waiting) bool {
	switch a, b := slices.Index(kind("").Enum(), c.kind), slices.Index(kind("").Enum(), w.kind); {
	case a != b:
		return a < b
	case w.kind == unconfirmed:
		return w.Spot.Compare(c.spot) > 0
	}
	return w.Spot.Compare(c.spot) < 0
}

// Text shows what is to be decided with the ids of the memories and the suggested commands.
func (o Out) Text(env *tools.Env) string {
	lines := []string{o.Message}
	for _, item := range o.Items {
		lines = append(lines, "", item.Why)
		for _, m := range item.Memories {
			lines = append(lines, "- ["+m.ID+"] "+export.OneLine(m.Caption)+" ("+env.MinuteOf(m.CreatedAt)+")")
		}
		if c := item.Conflict; c != nil {
			if c.Present == "" {
				lines = append(lines, env.Localize("It was removed since."))
			} else {
				lines = append(lines, env.Localize("It holds now:"), indented(c.Present))
			}
			lines = append(lines,
				env.Localize("On %s, %s:", c.Machine, env.MinuteOf(c.At)), indented(c.Other))
		}
		for _, c := range item.Choices {
			lines = append(lines, "  "+export.OneLine(c.Command))
		}
	}
	if o.NextCursor != "" {
		lines = append(lines, "", env.Localize("Continue with --cursor %s", o.NextCursor))
	}
	return strings.Join(lines, "\n")
}

func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(legible.Escape(text), "\n"), "\n", "\n    ")
}
