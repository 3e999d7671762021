package memo

import (
	"context"

	"techo/store"
	"techo/tools"
)

// Add keeps a new memo.
var Add = tools.Define(tools.Tool{
	Name:    "add_memo",
	Command: "memo add",
	About:   tools.Say{EN: "Keep something worth remembering as a memo", JA: "重要だと思ったことをメモに追加する"},
	More: tools.Say{
		EN: "Use it when you hear something important: preferences, interests, family, work, requests, promises, plans. Several people talk here, so say who: a memo about a person names that person. Look at the memos there are first, and do not add the same one twice.",
		JA: "ユーザーの好み、興味、家族構成、仕事情報、依頼事項、約束、予定など重要な情報を聞いた時に使用する。複数人のチャットなので「誰が」が重要。人に関連するメモには必ず主語を入れる。既存メモを確認し、同じ内容のメモを追加しないこと。",
	},
	Effect:  tools.Adds,
	InStore: true,
	Words:   []string{"name", "content"},
	Refused: tools.Say{EN: "Could not create the memo: %s", JA: "メモの作成に失敗しました: %s"},
	Examples: []tools.Example{
		{Does: tools.Say{EN: "Keep a memo", JA: "メモを追加する"}, Line: `memo add ramen "Tanaka likes ramen" --priority 4 --tag food`},
		{Does: tools.Say{EN: "Read a long detail along with it", JA: "詳細も添える"}, Line: `memo add trip "Suzuki travels to Kyoto in May" --priority 3 --tag plan --detail "By train, with her sister."`},
	},
}, addMemo)

// AddIn is the input of add_memo.
type AddIn struct {
	Name     string   `json:"name" min:"1" max:"32" en:"Unique name" ja:"メモの名前（ユニーク、1〜32文字）"`
	Content  string   `json:"content" min:"1" en:"What to remember, best in about 50 characters; name the person it is about" ja:"メモの内容（50文字程度を推奨、強制ではない。主語を明記すること）"`
	Priority int      `json:"priority" min:"1" max:"5" en:"1 to 5: 5 always needed (names, family, important plans), 4 often (preferences, interests, regular plans), 3 useful (general topics, passing plans), 2 extra, 1 for the moment" ja:"優先度（1-5、5が最高）。5: 常に覚えておくべき重要情報（名前、家族、重要な予定）、4: 頻繁に参照すべき情報（好み、興味、定期的な予定）、3: 参考になる情報（一般的な話題、一時的な予定）、2: 補足情報、1: 一時的なメモ"`
	Tags     []string `json:"tags,omitempty" most:"3" min:"1" max:"64" en:"At most 3 tags; look at the tags in use first" ja:"タグリスト（最大3つ）。既存タグを確認してから指定すること。"`
	Detail   string   `json:"detail,omitempty" en:"More about it, as long as needed" ja:"詳細情報"`
}

// ChangedOut is the result of the tools that make or change a memo.
type ChangedOut struct {
	Memo    Whole  `json:"memo"`
	Message string `json:"message"`
}

func addMemo(ctx context.Context, env *tools.Env, in AddIn) (out ChangedOut, err error) {
	st, err := env.Store(ctx, tools.Adds)
	if err != nil {
		return out, err
	}
	m, err := st.AddMemo(ctx, store.Memo{Name: in.Name, Content: in.Content, Priority: in.Priority, Tags: in.Tags, Detail: in.Detail})
	if err != nil {
		return out, explain(env, err)
	}
	return ChangedOut{whole(env, m), env.Say(tools.Say{EN: "Memo added (name: %s)", JA: "メモを追加しました（name: %s）"}, m.Name)}, nil
}
