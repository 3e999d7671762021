package memory

import (
	"context"

	"techo/tools"
)

// Get shows one memory.
var Get = tools.Define(tools.Tool{
	Name:    "get_memory",
	Command: "memory get",
	About:   tools.Say{EN: "Show one memory with its full text", JA: "記憶の全文を取得する"},
	More:    tools.Say{EN: "Its caption, full text, session and times.", JA: "見出し、全文、セッション、日時を表示する。"},
	Effect:  tools.Reads,
	InStore: true,
	Words:   []string{"id"},
	Examples: []tools.Example{
		{Does: tools.Say{EN: "Show a memory", JA: "記憶を表示する"}, Line: `memory get mem_weuf4qjt`},
	},
}, getMemory)

// GetIn is the input of get_memory.
type GetIn struct {
	ID string `json:"id" min:"1" en:"Id of the memory" ja:"記憶の id"`
}

// GetOut is the result of get_memory.
type GetOut struct {
	Memory  Whole  `json:"memory"`
	Message string `json:"message"`
}

func getMemory(ctx context.Context, env *tools.Env, in GetIn) (out GetOut, err error) {
	st, err := env.Store(ctx, tools.Reads)
	if err != nil {
		return out, err
	}
	m, err := st.GetMemory(ctx, env.User, in.ID)
	if err != nil {
		return out, explain(env, err)
	}
	return GetOut{whole(env, m), env.Say(tools.Say{EN: "Memory found (id: %s)", JA: "記憶を取得しました（id: %s）"}, m.ID)}, nil
}

// Text writes the memory as investigate_memory does.
func (o GetOut) Text(env *tools.Env) string {
	return section(env, o.Memory.ID, o.Memory.Caption, o.Memory.CreatedAt, o.Memory.FullText)
}
