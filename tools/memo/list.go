package memo

import (
	"context"
	"strings"

	"techo/store"
	"techo/tools"
)

// List lists memos.
var List = tools.Define(tools.Tool{
	Name:    "list_memo",
	Command: "memo list",
	About:   tools.Say{EN: "List memos, the most important first", JA: "メモの一覧を取得する"},
	More: tools.Say{
		EN: "By priority, then the latest first. Details are left out; get_memo shows them.",
		JA: "優先度の高い順、更新日時の新しい順。name、優先度、タグ、内容、詳細有無を含む。詳細は get_memo で取得する。",
	},
	Effect:  tools.Reads,
	InStore: true,
	Examples: []tools.Example{
		{Does: tools.Say{EN: "List the first ten", JA: "最初の10件を表示する"}, Line: `memo list`},
		{Does: tools.Say{EN: "List those with a tag, for a person", JA: "タグで絞り込む"}, Line: `memo list --tag food -o text`},
		{Does: tools.Say{EN: "Find memos by what they say", JA: "内容で検索する"}, Line: `memo list --query "what does Tanaka like to eat?"`},
	},
}, listMemo)

// defaultLimit is how many memos a list shows when nothing else is said; the
// specification takes a limit of 0 for that.
const defaultLimit = 10

// ListIn is the input of list_memo.
type ListIn struct {
	Query  string `json:"query,omitempty" en:"Only memos that answer this, the best first" ja:"この内容に関連するメモのみ（関連の高い順）"`
	Tag    string `json:"tag,omitempty" en:"Only memos with this tag" ja:"指定したタグを持つメモのみフィルター"`
	Offset int    `json:"offset" default:"0" min:"0" en:"How many to skip" ja:"スキップする件数（ページネーション用）"`
	Limit  int    `json:"limit" default:"10" min:"0" en:"How many to list" ja:"取得する最大件数"`
}

// ListOut is the result of list_memo.
type ListOut struct {
	Memos   []Listed `json:"memos"`
	Total   int      `json:"total"`
	Offset  int      `json:"offset"`
	Limit   int      `json:"limit"`
	Message string   `json:"message"`
}

func listMemo(ctx context.Context, env *tools.Env, in ListIn) (out ListOut, err error) {
	if in.Limit == 0 {
		in.Limit = defaultLimit
	}
	st, err := env.Store(ctx, tools.Reads)
	if err != nil {
		return out, err
	}
	f := store.MemoFilter{Tag: in.Tag, Offset: in.Offset, Limit: in.Limit}
	find := st.FindMemos
	if in.Query != "" {
		find = func(ctx context.Context, f store.MemoFilter) ([]store.Memo, int, error) {
			return st.SearchMemos(ctx, in.Query, f)
		}
	}
	memos, total, err := find(ctx, f)
	if err != nil {
		return out, err
	}
	out = ListOut{Memos: listAll(env, memos), Total: total, Offset: in.Offset, Limit: in.Limit}
	switch {
	case len(memos) > 0:
		out.Message = env.Say(tools.Say{EN: "Memos (%d-%d of %d)", JA: "メモ一覧（%d-%d件 / 全%d件）"}, in.Offset+1, in.Offset+len(memos), total)
	case in.Query != "":
		out.Message = env.Say(tools.Say{EN: "No memos about %q", JA: "「%s」に関連するメモは見つかりませんでした"}, in.Query)
	case in.Tag != "":
		out.Message = env.Say(tools.Say{EN: "No memos with the tag %q", JA: "タグ「%s」のメモは見つかりませんでした"}, in.Tag)
	default:
		out.Message = env.Say(tools.Say{EN: "There are no memos", JA: "メモがありません"})
	}
	return out, nil
}

// Text writes the list as the specification does.
func (o ListOut) Text(env *tools.Env) string {
	lines := []string{o.Message}
	for _, m := range o.Memos {
		line := env.Say(tools.Say{EN: "- [%s] priority %d [%s] %s", JA: "- [%s] 優先度%d [%s] %s"},
			inItem(m.Name, "  "), m.Priority, inItem(tagText(env, m.Tags), "  "), inItem(m.Content, "  "))
		if m.HasDetail {
			line += env.Say(tools.Say{EN: " [has detail]", JA: " [詳細あり]"})
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
