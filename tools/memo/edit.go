package memo

import (
	"context"

	"techo/store"
	"techo/tools"
)

// Edit changes a memo.
var Edit = tools.Define(tools.Tool{
	Name:    "edit_memo",
	Command: "memo edit",
	About:   tools.Say{EN: "Change a memo; only what is given changes", JA: "既存のメモを編集する"},
	More: tools.Say{
		EN: "Use it when a memo is out of date, or to write down its detail, which replaces the old one. An empty detail or an empty list of tags clears them.",
		JA: "情報が古くなった場合や、詳細情報を追記する場合に使用する。detailを指定すると詳細情報として上書き更新される。",
	},
	Effect:  tools.Changes,
	InStore: true,
	Words:   []string{"memo_name"},
	Refused: tools.Say{EN: "Could not change the memo: %s", JA: "メモの更新に失敗しました: %s"},
	Examples: []tools.Example{
		{Does: tools.Say{EN: "Raise a memo's priority", JA: "優先度を上げる"}, Line: `memo edit trip --priority 4`},
		{Does: tools.Say{EN: "Rename it and take its tags away", JA: "名前を変えてタグを外す"}, Line: `memo edit trip --new-name "Kyoto trip" --tags ""`},
	},
}, editMemo)

// EditIn is the input of edit_memo.
type EditIn struct {
	MemoName string   `json:"memo_name" min:"1" en:"Name or id of the memo to change" ja:"編集するメモの名前（またはID）"`
	Content  *string  `json:"content" min:"1" en:"New content" ja:"新しい内容（変更する場合のみ）"`
	Priority *int     `json:"priority" min:"1" max:"5" en:"New priority, 1 to 5" ja:"新しい優先度（変更する場合のみ、1-5）"`
	Tags     []string `json:"tags,omitempty" most:"3" min:"1" max:"64" en:"New tags, at most 3; an empty list takes all away" ja:"新しいタグリスト（変更する場合のみ、最大3つ。空で全て外す）"`
	Detail   *string  `json:"detail" en:"New detail, in place of the old one; an empty text takes it away" ja:"詳細情報（上書き更新される。空で消去）"`
	NewName  *string  `json:"new_name" min:"1" max:"32" en:"New name" ja:"新しい名前（変更する場合のみ）"`
}

func editMemo(ctx context.Context, env *tools.Env, in EditIn) (out ChangedOut, err error) {
	st, err := env.Store(ctx, tools.Changes)
	if err != nil {
		return out, err
	}
	m, err := st.EditMemo(ctx, in.MemoName, store.MemoChange{
		Name: in.NewName, Content: in.Content, Priority: in.Priority, Tags: in.Tags, Detail: in.Detail,
	})
	if err != nil {
		return out, explain(env, err)
	}
	return ChangedOut{whole(env, m), env.Say(tools.Say{EN: "Memo updated (name: %s)", JA: "メモを更新しました（name: %s）"}, m.Name)}, nil
}
