package memory

import (
	"context"
	"strings"

	"techo/store/memory"
	"techo/tools"
	"techo/tools/memory/embed"
	"techo/tools/when"
)

// Supersede replaces a memory whose fact has changed.
var Supersede = &tools.Tool{
	Name:    "supersede_memory",
	For:     tools.Agents,
	Command: "memory supersede",
	About:   "Replace memories whose facts have changed",
	More:    "Use it when something is not true any more; further ids are in memory_ids.",
	Details: "The new memory has the session, scope, topic and expiry of the first old one, is found " +
		"by the words and the ids of all, and keeps the old texts in supersedes, with the day on " +
		"which each was superseded. The old ones are in no list, search or prompt of the present.",
	Effect:  tools.Adds,
	InStore: true,
	Models:  true,
	Sharing: tools.OneSpace,
	Words:   []string{"memory_id", "full_text", "memory_ids…"},
	Examples: []tools.Example{
		{Does: "Tanaka has moved", Line: `memory supersede mem_6qq4kd4i "Since May Tanaka lives in Osaka."`},
	},
	Run: tools.Func[SupersedeIn, SupersededOut](supersedeMemory),
}

// SupersedeIn is the input of supersede_memory.
type SupersedeIn struct {
	ID       string        `json:"memory_id,omitempty" doc:"Id of the memory that is out of date" record:"memory"`
	FullText string        `json:"full_text" format:"nonblank" doc:"What holds now, in full" list:"bare"`
	IDs      supersededIDs `json:"memory_ids,omitempty" doc:"Ids of several, in place of memory_id or beside it"`
	Expires  *string       `json:"expires_at" doc:"When it expires, e.g. 2026-01-31; empty: never; default: as before"`
}

// ids returns the ids of all memories to supersede. A command line may have the text behind all of them.
func (in *SupersedeIn) ids() (all []string) {
	if n := len(in.IDs) - 1; n >= 0 && looksLikeID(in.FullText) && !looksLikeID(in.IDs[n]) {
		in.FullText, in.IDs = in.IDs[n], append(supersededIDs{in.FullText}, in.IDs[:n]...)
	}
	if in.ID != "" {
		all = append(all, in.ID)
	}
	return append(all, in.IDs...)
}

// looksLikeID reports whether a text is an id as techo assigns them.
func looksLikeID(text string) bool {
	code, ok := strings.CutPrefix(text, "mem_")
	return ok && code != "" && strings.Trim(code, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// SupersededOut is the result of supersede_memory.
type SupersededOut struct {
	Memory     Detail    `json:"memory"`
	Superseded []string  `json:"superseded"` // ids of the old ones
	Related    []Related `json:"related"`    // others about the same matter, the nearest first
	Warnings   []string  `json:"warnings,omitempty"`
	Message    string    `json:"message"`
	when.Meaning
}

func supersedeMemory(ctx context.Context, env *tools.Env, in SupersedeIn) (out SupersededOut, err error) {
	ids := in.ids()
	if len(ids) == 0 {
		return out, tools.InvalidField(env, "/memory_id", "is required, unless memory_ids is given")
	}
	t := when.NewTimes(env)
	expires, err := newExpiry(env, t, "expires_at", in.Expires)
	if err != nil {
		return out, err
	}
	st, err := env.Store(ctx, tools.Adds)
	if err != nil {
		return out, err
	}
	done, err := memory.Supersede(ctx, st.Ledger, tools.Owner(env), ids, in.FullText, expires)
	if err != nil {
		return out, Explain(env, err)
	}
	embed.After(ctx, env, st, tools.Owner(env))
	out = SupersededOut{Memory: DetailOf(env, done.Memory), Superseded: []string{},
		Related: relatedOf(env, done.Related), Warnings: tools.SecretWarnings(env), Meaning: t.Meaning()}
	for _, old := range done.Old {
		out.Superseded = append(out.Superseded, old.ID)
	}
	out.Message = env.Localize("Memory superseded (id: %s → %s)", strings.Join(out.Superseded, ", "), done.ID)
	out.Message = tools.WithWarnings(env, out.Message, out.Warnings) + relatedMessage(env, out.Related)
	return out, nil
}

// Text shows what was superseded, and other memories about the same matter.
func (o SupersededOut) Text(env *tools.Env) string { return withRelated(env, o.Message, o.Related) }
