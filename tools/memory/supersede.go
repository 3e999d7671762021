package memory

import (
	"context"

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
	About:   "Replace a memory whose fact has changed",
	More: "Use it when something is not true any more. The new memory has the session, scope, topic and expiry of " +
		"the old one, is found by the words and the id of both, and keeps the old text in supersedes; the old one " +
		"appears in no list, search or prompt.",
	Effect:  tools.Adds,
	InStore: true,
	Models:  true,
	Sharing: tools.OneSpace,
	Words:   []string{"memory_id", "full_text"},
	Examples: []tools.Example{
		{Does: "Tanaka has moved", Line: `memory supersede mem_6qq4kd4i "Since May Tanaka lives in Osaka."`},
	},
	Run: tools.Func[SupersedeIn, SupersededOut](supersedeMemory),
}

// SupersedeIn is the input of supersede_memory.
type SupersedeIn struct {
	ID       string  `json:"memory_id" minLength:"1" doc:"Id of the memory that is out of date" record:"memory"`
	FullText string  `json:"full_text" format:"nonblank" doc:"What holds now, in full"`
	Expires  *string `json:"expires_at" doc:"When it expires, e.g. 2026-01-31; empty: never; default: as before"`
}

// SupersededOut is the result of supersede_memory.
type SupersededOut struct {
	Memory     Detail   `json:"memory"`
	Superseded Detail   `json:"superseded"`
	Warnings   []string `json:"warnings,omitempty"`
	Message    string   `json:"message"`
	when.Meaning
}

func supersedeMemory(ctx context.Context, env *tools.Env, in SupersedeIn) (out SupersededOut, err error) {
	t := when.NewTimes(env)
	expires, err := newExpiry(env, t, in.Expires)
	if err != nil {
		return out, err
	}
	st, err := env.Store(ctx, tools.Adds)
	if err != nil {
		return out, err
	}
	m, old, err := memory.Supersede(ctx, st.Ledger, tools.Owner(env), in.ID, in.FullText, expires)
	if err != nil {
		return out, Explain(env, err)
	}
	embed.After(ctx, env, st, tools.Owner(env))
	warnings := tools.SecretWarnings(env, in.FullText)
	return SupersededOut{DetailOf(env, m), DetailOf(env, old), warnings,
		tools.WithWarnings(env, env.Localize("Memory superseded (id: %s → %s)", old.ID, m.ID), warnings),
		t.Meaning()}, nil
}
