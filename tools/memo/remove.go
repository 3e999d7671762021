package memo

import (
	"context"

	"techo/tools"
)

// Remove removes a memo.
var Remove = tools.Define(tools.Tool{
	Name:    "remove_memo",
	Command: "memo remove",
	About:   tools.Say{EN: "Remove a memo that is no longer needed", JA: "メモを削除する"},
	More: tools.Say{
		EN: "The result holds the memo as it was.",
		JA: "不要になったメモを削除する場合に使用する。",
	},
	Effect:  tools.Removes,
	InStore: true,
	Words:   []string{"memo_name"},
	Examples: []tools.Example{
		{Does: tools.Say{EN: "Remove a memo", JA: "メモを削除する"}, Line: `memo remove "Kyoto trip"`},
	},
}, removeMemo)

// NameIn is the input of the tools that take a memo's name and no more.
type NameIn struct {
	MemoName string `json:"memo_name" min:"1" en:"Name or id of the memo" ja:"メモの名前（またはID）"`
}

// RemovedOut is the result of remove_memo.
type RemovedOut struct {
	Removed Whole  `json:"removed"`
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
	return RemovedOut{whole(env, m), env.Say(tools.Say{EN: "Memo removed (name: %s)", JA: "メモを削除しました（name: %s）"}, m.Name)}, nil
}
