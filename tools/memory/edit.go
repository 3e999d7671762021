package memory

import (
	"context"

	"techo/store"
	"techo/tools"
)

// Edit changes a memory.
var Edit = tools.Define(tools.Tool{
	Name:    "edit_memory",
	Command: "memory edit",
	About:   tools.Say{EN: "Change a memory; only what is given changes", JA: "記憶を編集する"},
	More: tools.Say{
		EN: "Use it when a memory is out of date. Its id stays.",
		JA: "内容が古くなった場合に使用する。id は変わらない。",
	},
	Effect:  tools.Changes,
	InStore: true,
	Words:   []string{"id"},
	Examples: []tools.Example{
		{Does: tools.Say{EN: "Give a memory another caption", JA: "見出しを変える"}, Line: `memory edit mem_6qq4kd4i --caption "Max fears thunder"`},
	},
}, editMemory)

// EditIn is the input of edit_memory.
type EditIn struct {
	ID       string  `json:"id" min:"1" en:"Id of the memory" ja:"記憶の id"`
	Caption  *string `json:"caption" min:"1" max:"1000" en:"New caption" ja:"新しい見出し"`
	FullText *string `json:"full_text" min:"1" en:"New full text, in place of the old one" ja:"新しい全文（上書き）"`
	Session  *string `json:"session" max:"200" en:"New session; an empty text takes it away" ja:"新しいセッション（空で外す）"`
}

// ChangedOut is the result of edit_memory.
type ChangedOut struct {
	Memory  Whole  `json:"memory"`
	Message string `json:"message"`
}

func editMemory(ctx context.Context, env *tools.Env, in EditIn) (out ChangedOut, err error) {
	f := faults{env: env}
	if in.FullText != nil {
		f.filled("full_text", *in.FullText)
	}
	if in.Caption != nil {
		f.filled("caption", *in.Caption)
	}
	if err := f.err(); err != nil {
		return out, err
	}
	st, err := env.Store(ctx, tools.Changes)
	if err != nil {
		return out, err
	}
	m, err := st.EditMemory(ctx, env.User, in.ID, store.MemoryChange{Caption: in.Caption, FullText: in.FullText, Session: in.Session})
	if err != nil {
		return out, explain(env, err)
	}
	return ChangedOut{whole(env, m), env.Say(tools.Say{EN: "Memory updated (id: %s)", JA: "記憶を更新しました（id: %s）"}, m.ID)}, nil
}
