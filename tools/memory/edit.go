package memory

import (
	"context"
	"strings"

	"techo/store/memory"
	"techo/tools"
	"techo/tools/memory/embed"
	"techo/tools/when"
)

// Edit changes a memory.
var Edit = &tools.Tool{
	Name:    "edit_memory",
	For:     tools.Agents,
	Command: "memory edit",
	About:   "Change a memory; only what is given changes",
	More:    "Use it to correct a memory; its id stays.",
	Details: "If the memory with the new fact is there already, name the old ones in supersedes. A " +
		"caption that no longer fits a new text is derived from it.",
	Notes: []tools.Note{
		{Text: "When a fact has changed, %s also keeps what was true before.", Names: []string{"memory supersede"}},
		{Text: "related is as of %s.", Names: []string{"memory add"}},
	},
	Effect:  tools.Changes,
	InStore: true,
	Models:  true,
	Sharing: tools.OneSpace,
	Words:   []string{"id"},
	Examples: []tools.Example{
		{Does: "Give a memory another caption", Line: `memory edit mem_6qq4kd4i --caption "Max fears thunder"`},
	},
	Run: tools.Func[EditIn, EditOut](editMemory),
}

// EditIn is the input of edit_memory.
type EditIn struct {
	ID         string        `json:"id" minLength:"1" doc:"Id of the memory" list:"bare" record:"memory"`
	Caption    *string       `json:"caption" format:"nonblank" maxLength:"1000" doc:"New caption" list:"bare"`
	FullText   *string       `json:"full_text" format:"nonblank" doc:"New full text, replaces the old one"`
	Session    *string       `json:"session" format:"name" minLength:"0" maxLength:"200" doc:"New session; empty removes it"`
	Topic      *string       `json:"topic" format:"name" minLength:"0" maxLength:"200" doc:"New topic; empty removes it"`
	Scope      *string       `json:"scope" enum:"person,project" doc:"New scope" list:"bare"`
	Expires    *string       `json:"expires_at" doc:"New time from which it is not found, e.g. 2026-01-31; empty removes it"`
	Source     *string       `json:"source" maxLength:"1000" doc:"New source, e.g. file:docs/api.md#L3-L9; empty removes it"`
	Supersedes supersededIDs `json:"supersedes,omitempty" doc:"Ids of other memories that this one makes untrue"`
	Etag       string        `json:"expected_etag,omitempty" doc:"Fail if it changed since it was read: the etag of get_memory"`
}

// Controls returns the fields that change nothing.
func (EditIn) Controls() []string { return []string{"id", "expected_etag"} }

// EditOut is the result of edit_memory. Related is for a new text.
type EditOut struct {
	Memory     Detail    `json:"memory"`
	Superseded []string  `json:"superseded"` // ids of memories that this one replaced
	Related    []Related `json:"related"`
	Warnings   []string  `json:"warnings,omitempty"`
	Message    string    `json:"message"`
	when.Meaning
}

func editMemory(ctx context.Context, env *tools.Env, in EditIn) (out EditOut, err error) {
	change := memory.Change{Caption: in.Caption, FullText: in.FullText, Session: in.Session, Topic: in.Topic,
		Scope: in.Scope, Supersedes: in.Supersedes, ExpectedEtag: in.Etag}
	t := when.NewTimes(env)
	if change.ExpiresAt, err = newExpiry(env, t, "expires_at", in.Expires); err != nil {
		return out, err
	}
	if in.Source != nil {
		source, err := readSource(ctx, env, *in.Source)
		if err != nil {
			return out, err
		}
		change.Source = &source
	}
	st, err := env.Store(ctx, tools.Changes)
	if err != nil {
		return out, err
	}
	m, related, err := memory.Edit(ctx, st.Ledger, tools.Owner(env), in.ID, change)
	if err != nil {
		return out, Explain(env, err)
	}
	embed.After(ctx, env, st, tools.Owner(env))
	out = EditOut{Memory: DetailOf(env, m), Message: env.Localize("Memory updated (id: %s)", m.ID),
		Meaning: t.Meaning()}
	if in.FullText != nil {
		out.Warnings = tools.SecretWarnings(env)
	}
	out.Superseded, out.Related = append([]string{}, in.Supersedes...), relatedOf(env, related)
	if len(in.Supersedes) > 0 {
		out.Message += env.Localize("; supersedes %s", strings.Join(in.Supersedes, ", "))
	}
	out.Message = tools.WithWarnings(env, out.Message, out.Warnings) + relatedMessage(env, out.Related)
	return out, nil
}

// Text shows what was changed, and the other memories about the same matter.
func (o EditOut) Text(env *tools.Env) string { return withRelated(env, o.Message, o.Related) }
