package memo

import (
	"context"
	"strings"
	"time"

	"techo/tools"
)

// Tags lists the tags in use.
var Tags = &tools.Tool{
	Name:        "list_memo_tags",
	For:         tools.Agents,
	Command:     "memo tags",
	About:       "List the tags in use, with counts",
	More:        "Check these before you make a new tag; if a similar one exists, use it.",
	Effect:      tools.Reads,
	Preapproved: true,
	InStore:     true,
	Sharing:     tools.OneSpace,
	Examples: []tools.Example{
		{Does: "List the tags", Line: `memo tags`},
	},
	Run: tools.Func[TagsIn, TagsOut](listTags),
}

// TagsIn is the empty input of list_memo_tags.
type TagsIn struct{}

// TagsOut is the result of list_memo_tags.
type TagsOut struct {
	Tags    []TagCount `json:"tags" compact:"keep"`
	Total   int        `json:"total"`
	Message string     `json:"message"`
	latest  []time.Time
}

// TagCount is a tag with the number of its memos.
type TagCount struct {
	Tag             string `json:"tag"`
	Count           int    `json:"count"`
	LatestUpdatedAt string `json:"latest_updated_at" compact:"day"`
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
	out.Message = env.Localize("Memo tags (%d)", len(tags))
	if len(tags) == 0 {
		out.Message = env.Localize("There are no memo tags")
	}
	return out, nil
}

// Text shows the tags in the format of the specification.
func (o TagsOut) Text(env *tools.Env) string {
	if len(o.Tags) == 0 {
		return o.Message
	}
	lines := []string{o.Message + ":"}
	for i, t := range o.Tags {
		lines = append(lines, env.Localize("- %s: %d (last updated: %s)",
			inItem(t.Tag, "  "), t.Count, o.latest[i].In(env.Zone).Format(time.DateOnly)))
	}
	return strings.Join(lines, "\n")
}
