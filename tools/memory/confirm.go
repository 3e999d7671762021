package memory

import (
	"context"
	"strings"

	"techo/store/memory"
	"techo/tools"
	"techo/tools/memory/embed"
)

// Confirm notes that memories are still true.
var Confirm = &tools.Tool{
	Name:    "confirm_memory",
	For:     tools.Agents,
	Command: "memory confirm",
	About:   "Note that memories are still true",
	More:    "Use it when the person says so, or when you have checked it.",
	Details: "Sets confirmed_at; text and date stay. The review asks no more about two of the same matter " +
		"once both are confirmed. If its file has changed, the memory is as of the present file from " +
		"now on. Unknown ids are listed in missing.",
	Effect:  tools.Changes,
	InStore: true,
	Models:  true,
	Sharing: tools.OneSpace,
	Words:   []string{"ids…"},
	Examples: []tools.Example{
		{Does: "A memory is still true", Line: `memory confirm mem_weuf4qjt`},
	},
	Run: tools.Func[ConfirmIn, ConfirmedOut](confirmMemory),
}

// ConfirmIn is the input of confirm_memory.
type ConfirmIn struct {
	IDs []string `json:"ids" minItems:"1" minLength:"1" doc:"Ids of the memories" list:"bare" record:"memory"`
}

// ConfirmedOut is the result of confirm_memory.
type ConfirmedOut struct {
	Confirmed []string `json:"confirmed"`
	Missing   []string `json:"missing"`
	Message   string   `json:"message"`
}

func confirmMemory(ctx context.Context, env *tools.Env, in ConfirmIn) (out ConfirmedOut, err error) {
	st, err := env.Store(ctx, tools.Changes)
	if err != nil {
		return out, err
	}
	found, _, err := st.GetMemories(ctx, tools.Owner(env), in.IDs)
	if err != nil {
		return out, Explain(env, err)
	}
	confirmed, missing, err := memory.Confirm(ctx, st.Ledger, tools.Owner(env), in.IDs, renewed(ctx, env, found))
	if err != nil {
		return out, Explain(env, err)
	}
	if len(confirmed) > 0 {
		embed.After(ctx, env, st, tools.Owner(env))
	}
	out = ConfirmedOut{Confirmed: append([]string{}, confirmed...), Missing: append([]string{}, missing...)}
	out.Message = env.Localize("Memories confirmed: %d", len(confirmed))
	if len(missing) > 0 {
		out.Message += env.Localize("; not found: %s", strings.Join(missing, ", "))
	}
	return out, nil
}
