package memory

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"techo/export"
	"techo/store"
	"techo/store/memory"
	"techo/store/search"
	"techo/store/space"
	"techo/tools"
	"techo/tools/memory/embed"
	"techo/tools/when"
)

// Search finds memories.
var Search = &tools.Tool{
	Name:    "search_memory",
	For:     tools.Agents,
	Command: "memory search",
	About:   "Find the memories that answer a question",
	More:    "Use it before you say that you do not know. Ask in plain English or Japanese.",
	Details: "There is no syntax. The best matches come first, and of those about the same matter the " +
		"newest, unless the query asks about the past. matched lists the words of the query that " +
		"a memory has; snippet shows where; score is how likely the memory answers. A result " +
		"without such words has a reason. superseded lists what a memory has replaced, with the day. as_of finds what held at a day. " +
		"Memories of a time that the query names, such as last week, before June 3 or from March " +
		"to May, come first; interpreted is that time, with .. for an open side, or that of " +
		"since and until in words. corrected lists misspelt words with the ones that were " +
		"searched for instead. If nothing is found, suggestions lists words of memories with a " +
		"similar meaning. The memories of your shared spaces are searched too; space names where " +
		"one is. In a workspace so are those about you in your own store (store=person).",
	Effect:      tools.Reads,
	Preapproved: true,
	InStore:     true,
	Models:      true,
	Sharing:     tools.AllSpaces,
	Words:       []string{"query…"},
	Examples: []tools.Example{
		{Does: "Ask a question", Line: `memory search "What is the name of Tanaka's dog?"`},
		{Does: "Search the memories of a time", Line: `memory search "What did we decide last week?"`},
		{Does: "Search recent memories", Line: `memory search dog --since 2026-01-01 --limit 3 -o text`},
	},
	Run: tools.Func[SearchIn, SearchOut](searchMemory),
}

// SearchIn is the input of search_memory.
type SearchIn struct {
	Query   string `json:"query" minLength:"1" doc:"The question, in plain words" list:"bare"`
	Limit   int    `json:"limit" default:"5" minimum:"1" maximum:"1000" doc:"How many to return" list:"bare"`
	Session string `json:"session,omitempty" doc:"Only of this session" list:"bare"`
	Scope   string `json:"scope,omitempty" enum:"person,project" doc:"Only of this scope" list:"bare"`
	Since   string `json:"since,omitempty" doc:"Only created at this time or later, e.g. 2026-01-05, last week"`
	Until   string `json:"until,omitempty" doc:"Only created before it; a day or month is included, e.g. 2026-01-31"`
	AsOf    string `json:"as_of,omitempty" doc:"What held at this day or time, e.g. 2026-01-31, last month"`
	By      string `json:"by" default:"both" enum:"both,words,meaning" doc:"What finds a memory"`
}

// SearchOut is the result of search_memory.
type SearchOut struct {
	Query       string      `json:"query"`
	Results     []Result    `json:"results" compact:"keep"`
	Total       int         `json:"total"`                      // of the memories that match, also without a limit
	AtLeast     bool        `json:"at_least"`                   // Total is a lower bound
	Weak        bool        `json:"weak,omitempty" compact:"-"` // not even the best result fits well, as the message says
	Corrected   []Corrected `json:"corrected,omitempty"`
	Suggestions []string    `json:"suggestions"`
	Files       []FoundFile `json:"files,omitempty"`    // of the memory tool, the best first
	Degraded    string      `json:"degraded,omitempty"` // the endpoint of the person did not answer
	Message     string      `json:"message"`
	when.Meaning
}

// Corrected is a word of the query that no memory has, and the similar word that was
// searched for instead.
type Corrected struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Result is a memory that matches the query.
type Result struct {
	ID        string   `json:"id"`
	Caption   string   `json:"caption"`
	CreatedAt string   `json:"created_at" compact:"day"`
	Session   string   `json:"session" compact:"-"`
	Score     float64  `json:"score" compact:"-"`
	Matched   []string `json:"matched" compact:"-"`
	Snippet   string   `json:"snippet" compact:"=caption"`
	FoundBy   []string `json:"found_by" compact:"-"` // words, meaning
	Reason    string   `json:"reason,omitempty"`     // of a memory without words of the query
	Space     string   `json:"space,omitempty"`      // the shared space that it is in
	Store     string   `json:"store,omitempty"`      // in a workspace: workspace, or person for the person's own store

	Source     string   `json:"source,omitempty"`
	Stale      bool     `json:"stale,omitempty"` // the file that it comes from has changed or is gone
	gone       bool     // it is gone
	Supersedes []string `json:"supersedes,omitempty"` // ids of memories whose words count too

	Superseded   []Superseded `json:"superseded,omitempty"`    // these memories, the latest first
	SupersededBy string       `json:"superseded_by,omitempty"` // of a result that held at as_of
	SupersededAt string       `json:"superseded_at,omitempty"`
}

// Superseded is a memory that a result has replaced.
type Superseded struct {
	ID           string `json:"id"`
	Caption      string `json:"caption"`
	CreatedAt    string `json:"created_at"`
	SupersededBy string `json:"superseded_by"`
	SupersededAt string `json:"superseded_at"`
}

// fewest is how many memories a search compares at least, so that under any limit the newest of a matter comes first. So
// many say whether any fits well.
const fewest = 5

func searchMemory(ctx context.Context, env *tools.Env, in SearchIn) (out SearchOut, err error) {
	times := when.NewTimes(env)
	since, until := times.Span(in.Since, in.Until)
	asOf := times.Read("as_of", in.AsOf, true)
	if err := times.Err(); err != nil {
		return out, err
	}
	st, sources, err := tools.Searched(ctx, env)
	if err != nil {
		return out, err
	}
	meanings := times.Meanings
	filter := memory.Filter{By: by(in.By), Session: in.Session, Scope: in.Scope, Since: since, Until: until,
		Limit: max(in.Limit, fewest), AsOf: asOf}
	asked := timedOf(env, in.Query)
	asked.limit(&filter)
	asked.addTo(env, &meanings)
	if asked.asksNewest() {
		filter.Limit = max(in.Limit, newestAmong)
	}
	degraded, err := askModel(ctx, env, st, sources, cmp.Or(asked.rest, in.Query), &filter)
	if err != nil {
		return out, err
	}
	found, err := searchIn(ctx, env, st, sources, asked.rest, filter)
	if err == nil && asked.rest == "" && len(found.Hits) == 0 {
		filter.Named, filter.TimeName, filter.Within, asked.rest = memory.Period{}, "", memory.Period{}, in.Query
		found, err = searchIn(ctx, env, st, sources, in.Query, filter)
	}
	if err != nil {
		return out, Explain(env, err)
	}
	if asked.asksNewest() {
		found.Hits = asked.newestFirst(found.Hits)
	} else if !asked.asksPast() {
		newerFirst(in.Query, found.Hits)
	}
	found.Hits = found.Hits[:min(in.Limit, len(found.Hits))]
	if err := named(ctx, env, st, sources, in, &found); err != nil {
		return out, Explain(env, err)
	}
	out = SearchOut{Query: in.Query, Results: []Result{}, Total: found.Total, AtLeast: found.AtLeast,
		Suggestions: append([]string{}, found.Nearby...), Meaning: meanings.Meaning(),
		Degraded: degraded}
	e, spelt := search.NewExcerpts(asked.rest), asked.subject()
	for _, w := range found.Respelt {
		spelt = strings.ReplaceAll(spelt, w.From, w.To)
		out.Corrected = append(out.Corrected, Corrected(w))
		e.Add(w.To)
	}
	for _, h := range found.Hits {
		r := result(env, e, h)
		state := sourceState(ctx, env, h.Source)
		r.Source, r.Stale, r.gone = h.Source.Text, state == sourceChanged || state == sourceGone, state == sourceGone
		if r.Matched = asked.matched(r.Matched, h); len(r.Matched) == 0 {
			r.Reason = reason(env, h)
		}
		out.Results = append(out.Results, r)
	}
	if out.Files, err = foundFiles(ctx, env, st, sources, in, e); err != nil {
		return out, Explain(env, err)
	}
	best := found.Hits[:min(fewest, len(found.Hits))]
	out.Weak = len(best) > 0 && len(relevantHits(spelt, subjectOf(spelt), best, false)) == 0
	out.Message = searchMessage(env, out)
	return out, nil
}

// named puts the memories whose ids a query names first.
func named(ctx context.Context, env *tools.Env, st *store.Store, sources space.Sources, in SearchIn,
	found *memory.Found) error {
	var ids []string
	for word := range strings.FieldsFuncSeq(in.Query, func(r rune) bool { return strings.ContainsRune(" \t\n,.[]()、。", r) }) {
		if looksLikeID(word) {
			ids = append(ids, word)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	all, _, err := getIn(ctx, env, st, sources, ids)
	var hits []memory.Hit
	for _, m := range all {
		same := func(h memory.Hit) bool { return h.ID == m.ID && h.Space == m.Space }
		if !slices.ContainsFunc(found.Hits, same) {
			found.Total++
		}
		found.Hits = slices.DeleteFunc(found.Hits, same)
		hits = append(hits, memory.Hit{Memory: m.Memory, Space: m.Space, Personal: m.Personal, Score: 1, Matches: true})
	}
	found.Hits = append(hits, found.Hits...)
	found.Hits = found.Hits[:min(in.Limit, len(found.Hits))]
	if len(found.Hits) > 0 {
		found.Nearby = nil
	}
	return err
}

// askModel adds the vectors of a question to a filter, unless words alone count.
func askModel(ctx context.Context, env *tools.Env, st *store.Store, in space.Sources, question string,
	filter *memory.Filter) (degraded string, err error) {
	if filter.By != search.ByWords {
		filter.Models, degraded, err = embed.Question(ctx, env, st, in, question)
	}
	return degraded, err
}

// by returns what finds memories.
func by(name string) search.By {
	switch name {
	case "words":
		return search.ByWords
	case "meaning":
		return search.ByMeaning
	}
	return search.ByBoth
}

// clearly is the likeness from which a memory that shares words with a question is also
// found by its meaning.
const clearly = 0.4

// foundBy returns why a memory was found.
func foundBy(h memory.Hit) []string {
	all := []string{}
	if h.Matches {
		all = append(all, "words")
	}
	if h.Likeness >= clearly || !h.Matches && h.Likeness > 0 {
		all = append(all, "meaning")
	}
	return all
}

// result returns a hit as the tool shows it.
func result(env *tools.Env, e *search.Excerpts, h memory.Hit) Result {
	snippet := e.Snippet(h.FullText) // first: Matched reads the same text next
	return Result{
		ID: h.ID, Caption: h.Caption, CreatedAt: env.Time(h.CreatedAt), Session: h.Session,
		Score:   math.Round(h.Score*1e4) / 1e4,
		Matched: e.Matched(h.Texts()...), Snippet: snippet, Space: h.Space, Store: storeOf(env, h.Space, h.Personal), FoundBy: foundBy(h),
		Supersedes: formerIDs(h.Memory), Superseded: supersededOf(env, h.Memory),
		SupersededBy: h.SupersededBy, SupersededAt: optionalTime(env, h.SupersededAt),
	}
}

func supersededOf(env *tools.Env, m memory.Memory) (all []Superseded) {
	for _, f := range m.Supersedes {
		all = append(all, Superseded{f.ID, f.Caption, env.Time(f.CreatedAt), f.SupersededBy,
			env.Time(f.SupersededAt)})
	}
	return all
}

// reason returns why a memory without words of the query was found.
func reason(env *tools.Env, h memory.Hit) string {
	switch {
	case h.Shares != "":
		return env.Localize("It has the name %s, as the best match does", h.Shares)
	case h.Beside != "":
		return env.Localize("It stands beside %s in the session", h.Beside)
	case h.Likeness > 0:
		return env.Localize("Its meaning is like the query's")
	}
	return ""
}

// formerIDs returns the ids of the memories that a memory superseded.
func formerIDs(m memory.Memory) (ids []string) {
	for _, f := range m.Supersedes {
		ids = append(ids, f.ID)
	}
	return ids
}

func searchMessage(env *tools.Env, o SearchOut) string {
	related := 0
	for _, r := range o.Results {
		if len(r.FoundBy) == 0 {
			related++
		}
	}
	var all []string
	switch matching := len(o.Results) - related; {
	case len(o.Results) == 0 && len(o.Files) > 0:
		return env.Localize("Found memory files: %d", len(o.Files))
	case len(o.Results) == 0 && len(o.Suggestions) > 0:
		return env.Localize("Nothing found; the memories have: %s", strings.Join(o.Suggestions, ", "))
	case len(o.Results) == 0:
		return env.Localize("Nothing found")
	case o.Weak:
		all = append(all, env.Localize("Nothing fits well; nearest: %d", len(o.Results)))
		related = 0
	case o.AtLeast:
		all = append(all, env.Localize("Found %d of more than %d", matching, o.Total))
	default:
		all = append(all, env.Localize("Found %d of %d", matching, o.Total))
	}
	if related > 0 {
		all = append(all, env.Localize("related: %d", related))
	}
	if len(o.Files) > 0 {
		all = append(all, env.Localize("memory files: %d", len(o.Files)))
	}
	for _, c := range o.Corrected {
		all = append(all, correction(env, c))
	}
	return strings.Join(all, "; ")
}

// correction names the word that was searched for in place of another one.
func correction(env *tools.Env, c Corrected) string {
	return env.Localize("searched for %s instead of %s", c.To, c.From)
}

// Text shows two lines per result, and the reason of one without words of the query.
func (o SearchOut) Text(env *tools.Env) string {
	lines := []string{o.Message}
	for _, r := range o.Results {
		line := "- [" + r.ID + "] " + export.OneLine(r.Caption) + " (" + env.MinuteOf(r.CreatedAt) + ")"
		if r.Space != "" {
			line += env.Localize(" [space: %s]", r.Space)
		}
		if r.Store == personStore {
			line += env.Localize(" [your own]")
		}
		switch {
		case r.gone:
			line += env.Localize(" [source gone]")
		case r.Stale:
			line += env.Localize(" [source changed]")
		}
		if r.SupersededBy != "" {
			line += " (" + supersededText(env, r.SupersededAt, r.SupersededBy) + ")"
		}
		lines = append(lines, line)
		if snippet := export.OneLine(r.Snippet); snippet != export.OneLine(r.Caption) {
			lines = append(lines, "  "+snippet)
		}
		for _, old := range r.Superseded {
			lines = append(lines, "  - ["+old.ID+"] "+export.OneLine(old.Caption)+" ("+
				supersededText(env, old.SupersededAt, old.SupersededBy)+")")
		}
		if r.Reason != "" {
			lines = append(lines, "  ("+r.Reason+")")
		}
	}
	if o.Degraded != "" {
		lines = append(lines, o.Degraded)
	}
	return strings.Join(append(lines, filesText(env, o.Files)...), "\n")
}
