package review

import (
	"context"
	"strings"

	store "techo/store/memory"
	"techo/tools"
	"techo/tools/memory"
)

// Merge joins memories that say the same.
var Merge = &tools.Tool{
	Name:    "merge_memories",
	For:     tools.Hosts,
	Command: "memory merge",
	About:   "Join memories",
	More: "The newest one stays, with the sentences of all, its own first; full_text gives it another text. It keeps " +
		"the others, with their sessions, sources and dates, in supersedes, is found by the words and ids of all, and " +
		"counts as confirmed when it was said last. One undo takes all of it back.",
	Effect:  tools.Changes,
	InStore: true,
	Sharing: tools.OneSpace,
	Words:   []string{"ids…"},
	Examples: []tools.Example{
		{Does: "Two memories say the same", Line: `memory merge mem_weuf4qjt mem_i5zf5vpu`},
	},
	Run: tools.Func[MergeIn, MergeOut](merge),
}

// MergeIn is the input of merge_memories.
type MergeIn struct {
	IDs      []string `json:"ids" minItems:"2" maxItems:"20" minLength:"1" doc:"Ids of the memories" list:"bare" record:"memory"`
	FullText string   `json:"full_text,omitempty" doc:"The text of the memory that stays; else the sentences of all"`
}

// MergeOut is the result of merge_memories.
type MergeOut struct {
	Memory  memory.Detail `json:"memory"`
	Merged  []string      `json:"merged"` // ids of the others
	Message string        `json:"message"`
}

// Keeps lists the texts that are kept.
func (MergeIn) Keeps() []string {
	return []string{"full_text"}
}

func merge(ctx context.Context, env *tools.Env, in MergeIn) (out MergeOut, err error) {
	st, err := env.Store(ctx, tools.Changes)
	if err != nil {
		return out, err
	}
	m, merged, err := store.Merge(ctx, st.Ledger, tools.Owner(env), in.IDs, in.FullText)
	if err != nil {
		return out, memory.Explain(env, err)
	}
	out = MergeOut{Memory: memory.DetailOf(env, m), Merged: append([]string{}, merged...)}
	out.Message = env.Localize("These are one memory already (id: %s)", m.ID)
	if len(merged) > 0 {
		out.Message = env.Localize("Memories merged (id: %s ← %s)", m.ID, strings.Join(merged, ", "))
	}
	return out, nil
}
