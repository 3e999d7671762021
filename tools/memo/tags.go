package memo

import (
	"context"
	"strings"
	"time"

	"techo/tools"
)

// Tags lists the tags in use.
var Tags = tools.Define(tools.Tool{
	Name:    "list_memo_tags",
	Command: "memo tags",
	About:   tools.Say{EN: "List the tags in use, with counts", JA: "メモに使用されているタグの一覧を取得する"},
	More: tools.Say{
		EN: "Look here before you make a new tag; if one much like it is there, use that.",
		JA: "新しいタグを作成する前に、既存のタグを確認するために使用する。類似のタグが存在する場合は、新規作成せずにそれを使用すること。",
	},
	Effect:  tools.Reads,
	InStore: true,
	Examples: []tools.Example{
		{Does: tools.Say{EN: "List the tags", JA: "タグの一覧を表示する"}, Line: `memo tags`},
	},
}, listTags)

// TagsIn is the input of list_memo_tags: nothing.
type TagsIn struct{}

// TagsOut is the result of list_memo_tags.
type TagsOut struct {
	Tags    []TagCount `json:"tags"`
	Total   int        `json:"total"`
	Message string     `json:"message"`
	latest  []time.Time
}

// TagCount tells how a tag is used.
type TagCount struct {
	Tag             string `json:"tag"`
	Count           int    `json:"count"`
	LatestUpdatedAt string `json:"latest_updated_at"`
}

func listTags(ctx context.Context, env *tools.Env, _ TagsIn) (out TagsOut, err error) {
	st, err := env.Store(ctx, tools.Reads)
	if err != nil {
		return out, err
	}
	tags, err := st.MemoTags(ctx)
	if err != nil {
		return out, err
	}
	out = TagsOut{Tags: []TagCount{}, Total: len(tags)}
	for _, t := range tags {
		out.Tags = append(out.Tags, TagCount{t.Tag, t.Count, env.Time(t.LatestUpdatedAt)})
		out.latest = append(out.latest, t.LatestUpdatedAt)
	}
	out.Message = env.Say(tools.Say{EN: "Memo tags (%d)", JA: "メモタグ一覧（%d種類）"}, len(tags))
	if len(tags) == 0 {
		out.Message = env.Say(tools.Say{EN: "There are no memo tags", JA: "メモタグがありません"})
	}
	return out, nil
}

// Text writes the tags as the specification does.
func (o TagsOut) Text(env *tools.Env) string {
	if len(o.Tags) == 0 {
		return o.Message
	}
	lines := []string{o.Message + ":"}
	for i, t := range o.Tags {
		lines = append(lines, env.Say(tools.Say{EN: "- %s: %d (last updated: %s)", JA: "- %s: %d件（最終更新: %s）"},
			inItem(t.Tag, "  "), t.Count, o.latest[i].In(env.Zone).Format(time.DateOnly)))
	}
	return strings.Join(lines, "\n")
}
