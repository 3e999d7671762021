package memory

import (
	"context"
	"strings"

	"techo/tools"
)

// Remove removes memories.
var Remove = tools.Define(tools.Tool{
	Name:    "remove_memory",
	Command: "memory remove",
	About:   tools.Say{EN: "Remove memories", JA: "記憶を削除する"},
	More: tools.Say{
		EN: "All that are there, in one step; ids without a memory come back in missing.",
		JA: "存在するものを一度に削除する。存在しない id は missing に入る。",
	},
	Effect:  tools.Removes,
	InStore: true,
	Words:   []string{"ids…"},
	Examples: []tools.Example{
		{Does: tools.Say{EN: "Remove a memory", JA: "記憶を削除する"}, Line: `memory remove mem_6qq4kd4i`},
	},
}, removeMemory)

// RemoveIn is the input of remove_memory.
type RemoveIn struct {
	IDs []string `json:"ids" least:"1" min:"1" en:"Ids of the memories" ja:"記憶の id"`
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
	removed, missing, err := st.RemoveMemories(ctx, env.User, in.IDs)
	if err != nil {
		return out, explain(env, err)
	}
	out = RemovedOut{Removed: append([]string{}, removed...), Missing: append([]string{}, missing...)}
	out.Message = env.Say(tools.Say{EN: "Memories removed: %d", JA: "記憶を%d件削除しました"}, len(removed))
	if len(missing) > 0 {
		out.Message += env.Say(tools.Say{EN: "; not found: %s", JA: "（見つからない id: %s）"}, strings.Join(missing, ", "))
	}
	return out, nil
}
