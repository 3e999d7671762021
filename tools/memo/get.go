package memo

import (
	"context"
	"strings"

	"techo/store"
	"techo/tools"
)

// Get shows one memo.
var Get = tools.Define(tools.Tool{
	Name:    "get_memo",
	Command: "memo get",
	About:   tools.Say{EN: "Show one memo with its detail", JA: "メモの詳細を取得する"},
	More:    tools.Say{EN: "Its content, priority, tags, detail and times.", JA: "詳細情報も含めて全て表示する。"},
	Effect:  tools.Reads,
	InStore: true,
	Words:   []string{"memo_name"},
	Examples: []tools.Example{
		{Does: tools.Say{EN: "Show a memo", JA: "メモを表示する"}, Line: `memo get ramen`},
	},
}, getMemo)

// GetOut is the result of get_memo.
type GetOut struct {
	Memo    Whole  `json:"memo"`
	Message string `json:"message"`
	memo    store.Memo
}

func getMemo(ctx context.Context, env *tools.Env, in NameIn) (out GetOut, err error) {
	st, err := env.Store(ctx, tools.Reads)
	if err != nil {
		return out, err
	}
	m, err := st.GetMemo(ctx, in.MemoName)
	if err != nil {
		return out, explain(env, err)
	}
	return GetOut{whole(env, m), env.Say(tools.Say{EN: "Memo found (name: %s)", JA: "メモを取得しました（name: %s）"}, m.Name), m}, nil
}

// Text writes the memo as the specification does.
func (o GetOut) Text(env *tools.Env) string {
	m := o.memo
	lines := []string{
		env.Say(tools.Say{EN: "Memo details:", JA: "メモ詳細:"}),
		env.Say(tools.Say{EN: "- name: %s", JA: "- name: %s"}, inItem(m.Name, "  ")),
		env.Say(tools.Say{EN: "- priority: %d", JA: "- 優先度: %d"}, m.Priority),
		env.Say(tools.Say{EN: "- tags: %s", JA: "- タグ: %s"}, inItem(tagText(env, m.Tags), "  ")),
		env.Say(tools.Say{EN: "- content: %s", JA: "- 内容: %s"}, m.Content),
	}
	if m.Detail != "" {
		lines = append(lines, env.Say(tools.Say{EN: "- detail: %s", JA: "- 詳細: %s"}, m.Detail))
	}
	lines = append(lines,
		env.Say(tools.Say{EN: "- created: %s", JA: "- 作成日: %s"}, minute(env, m.CreatedAt)),
		env.Say(tools.Say{EN: "- updated: %s", JA: "- 更新日: %s"}, minute(env, m.UpdatedAt)),
	)
	return strings.Join(lines, "\n")
}
