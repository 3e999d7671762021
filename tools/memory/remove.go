package memory

import (
	"context"
	"strings"

	"techo/store/memory"
	"techo/tools"
)

// Remove removes memories.
var Remove = &tools.Tool{
	Name:    "remove_memory",
	For:     tools.Agents,
	Command: "memory remove",
	About:   "Remove memories",
	Details: "Removes all that exist, in one step. Unknown ids are listed in missing; this is not an " +
		"error, so a repeated call succeeds. An import of the file that they came from does not " +
		"bring them back.",
	Effect:  tools.Removes,
	InStore: true,
	Sharing: tools.OneSpace,
	Words:   []string{"ids…"},
	Examples: []tools.Example{
		{Does: "Remove a memory", Line: `memory remove mem_6qq4kd4i`},
	},
	Run: tools.Func[RemoveIn, RemovedOut](removeMemory),
}

// RemoveIn is the input of remove_memory.
type RemoveIn struct {
	IDs []string `json:"ids" minItems:"1" minLength:"1" doc:"Ids of the memories" list:"bare" record:"memory"`
}

// RemovedOut is the result of remove_memory.
type RemovedOut struct {
	Removed []string `json:"removed"`
	Missing []string `json:"missing"`
	Message string   `json:"message"`
}

func removeMemory(ctx context.Context, env *tools.Env, in RemoveIn) (out RemovedOut, err error) {
	st, err := env.Store(ctx, tools.Removes)
	if err != nil {
		return out, err
	}
	removed, missing, err := memory.Remove(ctx, st.Ledger, tools.Owner(env), in.IDs)
	if err != nil {
		return out, Explain(env, err)
	}
	out = RemovedOut{Removed: append([]string{}, removed...), Missing: append([]string{}, missing...)}
	out.Message = env.Localize("Memories removed: %d", len(removed))
	if len(missing) > 0 {
		out.Message += env.Localize("; not found: %s", strings.Join(missing, ", "))
	}
	out.Message = tools.AfterPurge(ctx, env, out.Message)
	return out, nil
}
