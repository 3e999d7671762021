package memory

import (
	"context"
	"strings"

	"techo/store"
	"techo/tools"
)

// Add keeps a memory.
var Add = tools.Define(tools.Tool{
	Name:    "add_memory",
	Command: "memory add",
	About:   tools.Say{EN: "Keep something that was learned, in full", JA: "知ったことを全文で記憶する"},
	More: tools.Say{
		EN: "Write the full text so that it can be understood alone: who, what, when. The same text again is the memory that there is (created is false); similar names those that say nearly the same. Memories with one session are found together.",
		JA: "それだけ読んで分かるように、誰が・何を・いつを含めて書く。同じ内容なら既存の記憶を返す（created は false）。similar はほぼ同じ内容の記憶。同じ session の記憶は互いに見つかりやすくなる。",
	},
	Effect:  tools.Adds,
	InStore: true,
	Words:   []string{"full_text"},
	Examples: []tools.Example{
		{Does: tools.Say{EN: "Keep a memory", JA: "記憶する"}, Line: `memory add "Tanaka has a golden retriever named Max. He got him in 2023."`},
		{Does: tools.Say{EN: "Keep one of a session, under a caption", JA: "セッションと見出しを付けて記憶する"}, Line: `memory add "Max is afraid of thunder." --caption "Max and thunder" --session 2026-01-05`},
	},
}, addMemory)

// AddIn is the input of add_memory.
type AddIn struct {
	FullText  string `json:"full_text" min:"1" en:"What was learned, in full" ja:"記憶する内容の全文"`
	Caption   string `json:"caption,omitempty" max:"1000" en:"One line that stands for it in a prompt; else the first sentence" ja:"プロンプトに載せる1行の見出し。省略時は最初の文"`
	Session   string `json:"session,omitempty" max:"200" en:"What it was learned in, e.g. a conversation's id" ja:"記憶した会話などの識別子"`
	CreatedAt string `json:"created_at,omitempty" en:"When it was learned (RFC 3339); else now" ja:"記憶した時刻（RFC 3339）。省略時は現在"`
}

// AddOut is the result of add_memory.
type AddOut struct {
	Memory  Whole    `json:"memory"`
	Created bool     `json:"created"`
	Similar []string `json:"similar"`
	Message string   `json:"message"`
}

func addMemory(ctx context.Context, env *tools.Env, in AddIn) (out AddOut, err error) {
	f := faults{env: env}
	f.filled("full_text", in.FullText)
	created := f.read("created_at", in.CreatedAt, false)
	if err := f.err(); err != nil {
		return out, err
	}
	st, err := env.Store(ctx, tools.Adds)
	if err != nil {
		return out, err
	}
	added, similar, err := st.AddMemory(ctx, store.Memory{
		User: env.User, FullText: in.FullText, Caption: in.Caption, Session: in.Session, CreatedAt: created,
	})
	if err != nil {
		return out, explain(env, err)
	}
	out = AddOut{Memory: whole(env, added.Memory), Created: added.Created, Similar: append([]string{}, similar...)}
	switch {
	case !added.Created:
		out.Message = env.Say(tools.Say{EN: "This was kept already (id: %s)", JA: "既に記憶しています（id: %s）"}, added.ID)
	case len(similar) > 0:
		out.Message = env.Say(tools.Say{EN: "Memory kept (id: %s); nearly the same: %s", JA: "記憶しました（id: %s）。ほぼ同じ内容: %s"}, added.ID, strings.Join(similar, ", "))
	default:
		out.Message = env.Say(tools.Say{EN: "Memory kept (id: %s)", JA: "記憶しました（id: %s）"}, added.ID)
	}
	return out, nil
}
