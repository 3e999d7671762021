package memo

import (
	"context"

	"techo/tools"
)

// Remove removes a memo.
var Remove = &tools.Tool{
	Name:    "remove_memo",
	For:     tools.Agents,
	Command: "memo remove",
	About:   "Remove a memo",
	Details: "The result holds the memo as it was.",
	Effect:  tools.Removes,
	InStore: true,
	Sharing: tools.OneSpace,
	Words:   []string{"memo_name"},
	Examples: []tools.Example{
		{Does: "Remove a memo", Line: `memo remove "Kyoto trip"`},
	},
	Run: tools.Func[NameIn, RemovedOut](removeMemo),
}

// NameIn is the input of the tools that take only a memo's name.
type NameIn struct {
	MemoName string `json:"memo_name" minLength:"1" doc:"Name or id of the memo" list:"bare" record:"memo"`
}

// RemovedOut is the result of remove_memo.
type RemovedOut struct {
	Removed Detail `json:"removed"`
	Message string `json:"message"`
}

func removeMemo(ctx context.Context, env *tools.Env, in NameIn) (out RemovedOut, err error) {
	st, err := env.Store(ctx, tools.Removes)
	if err != nil {
		return out, err
	}
	m, err := st.RemoveMemo(ctx, in.MemoName)
	if err != nil {
		return out, explain(env, err)
	}
	message := tools.AfterPurge(ctx, env, env.Localize("Memo removed (name: %s)", m.Name))
	return RemovedOut{detail(env, m), message}, nil
}
