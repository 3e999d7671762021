package memory

import (
	"context"
	"strings"

	"techo/export"
	"techo/store/memory"
	"techo/tools"
	"techo/tools/when"
)

// List lists memories.
var List = &tools.Tool{
	Name:    "list_memory",
	For:     tools.Agents,
	Command: "memory list",
	About:   "List memories, the newest first",
	More:    "Captions without the full texts. With superseded also what is not true any more, by what and since when.",
	Notes: []tools.Note{
		{Text: "%s shows one of them in full.", Names: []string{"memory get"}},
	},
	Effect:      tools.Reads,
	Preapproved: true,
	InStore:     true,
	Sharing:     tools.OneSpace,
	Examples: []tools.Example{
		{Does: "List the newest", Line: `memory list`},
		{Does: "List what holds for a topic, and what held before", Line: `memory list --topic release --superseded`},
		{Does: "List memories of a session, as text",
			Line: `memory list --session 2026-01-05 --since 2026-01-01 -o text`},
	},
	Run: tools.Func[ListIn, ListOut](listMemory),
}

// ListIn is the input of list_memory.
type ListIn struct {
	Session string `json:"session,omitempty" doc:"Only of this session" list:"bare"`
	Topic   string `json:"topic,omitempty" doc:"Only with this topic" list:"bare"`
	Scope   string `json:"scope,omitempty" enum:"person,project" doc:"Only of this scope" list:"bare"`
	Since   string `json:"since,omitempty" doc:"Only created at this time or later, e.g. 2026-01-05, last week"`
	Until   string `json:"until,omitempty" doc:"Only created before it; a day or month is included, e.g. 2026-01-31"`
	Old     bool   `json:"superseded,omitempty" doc:"Also list what was superseded"`
	Offset  int    `json:"offset" default:"0" minimum:"0" doc:"How many to skip" list:"bare"`
	Limit   int    `json:"limit" default:"20" minimum:"1" maximum:"1000" doc:"How many to list" list:"bare"`
}

// ListOut is the result of list_memory.
type ListOut struct {
	Memories []Summary `json:"memories" compact:"keep"`
	Total    int       `json:"total"`
	Offset   int       `json:"offset"`
	Limit    int       `json:"limit"`
	Message  string    `json:"message"`
	when.Meaning
}

func listMemory(ctx context.Context, env *tools.Env, in ListIn) (out ListOut, err error) {
	st, span, meanings, err := openFor(ctx, env, in.Since, in.Until)
	if err != nil {
		return out, err
	}
	found, total, err := memory.List(ctx, st.Ledger, tools.Owner(env), memory.Filter{
		Session: in.Session, Topic: in.Topic, Scope: in.Scope, Since: span.Since, Until: span.Until,
		Offset: in.Offset, Limit: in.Limit,
	}, in.Old)
	if err != nil {
		return out, Explain(env, err)
	}
	out = ListOut{Memories: []Summary{}, Total: total, Offset: in.Offset, Limit: in.Limit, Meaning: meanings.Meaning()}
	for _, m := range found {
		s := summary(env, m.Memory)
		s.SupersededBy, s.SupersededAt = m.SupersededBy, optionalTime(env, m.SupersededAt)
		out.Memories = append(out.Memories, s)
	}
	switch {
	case len(found) > 0:
		out.Message = env.Localize("Memories (%d-%d of %d)", in.Offset+1, in.Offset+len(found), total)
	case total > 0:
		out.Message = env.PastEnd(total)
	default:
		out.Message = env.Localize("There are no memories")
	}
	return out, nil
}

// Text shows one line per memory.
func (o ListOut) Text(env *tools.Env) string {
	return strings.Join(append([]string{o.Message}, captions(env, o.Memories)...), "\n")
}

// captions returns a line for each memory.
func captions(env *tools.Env, all []Summary) (lines []string) {
	for _, m := range all {
		line := "- [" + m.ID + "] " + export.OneLine(m.Caption) + " (" + env.MinuteOf(m.CreatedAt) + ")"
		if m.SupersededBy != "" {
			line += " (" + supersededText(env, m.SupersededAt, m.SupersededBy) + ")"
		}
		lines = append(lines, line)
	}
	return lines
}
