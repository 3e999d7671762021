package memo

import (
	"context"
	"strings"

	"techo/store/memo"
	"techo/tools"
)

// List lists memos.
var List = &tools.Tool{
	Name:    "list_memo",
	For:     tools.Agents,
	Command: "memo list",
	About:   "List memos, the most important first",
	More:    "Details are left out.",
	Details: "By priority, then the latest first.",
	Notes: []tools.Note{
		{Text: "%s shows them.", Names: []string{"memo get"}},
	},
	Effect:      tools.Reads,
	Preapproved: true,
	InStore:     true,
	Sharing:     tools.AllSpaces,
	Examples: []tools.Example{
		{Does: "List the first ten", Line: `memo list`},
		{Does: "List memos with a tag, as text", Line: `memo list --tag food -o text`},
		{Does: "Find memos by their content", Line: `memo list --query "what does Tanaka like to eat?"`},
	},
	Run: tools.Func[ListIn, ListOut](listMemo),
}

// defaultLimit is the number of memos in a list. The specification treats a limit
// of 0 as the default.
const defaultLimit = 10

// ListIn is the input of list_memo.
type ListIn struct {
	Query  string `json:"query,omitempty" doc:"Only memos that answer this, the best first"`
	Tag    string `json:"tag,omitempty" doc:"Only memos with this tag" list:"bare"`
	Offset int    `json:"offset" default:"0" minimum:"0" doc:"How many to skip, for paging" list:"bare"`
	Limit  int    `json:"limit" default:"10" minimum:"0" doc:"How many to list; 0 means the default" list:"bare"`
}

// ListOut is the result of list_memo.
type ListOut struct {
	Memos   []Summary `json:"memos" compact:"keep"`
	Total   int       `json:"total"`
	Offset  int       `json:"offset"`
	Limit   int       `json:"limit"`
	Message string    `json:"message"`
}

func listMemo(ctx context.Context, env *tools.Env, in ListIn) (out ListOut, err error) {
	if in.Limit == 0 {
		in.Limit = defaultLimit
	}
	f := memo.Filter{Tag: in.Tag, Offset: in.Offset, Limit: in.Limit}
	var memos []placed
	var total int
	if in.Query != "" {
		memos, total, err = searchMemos(ctx, env, in.Query, f)
	} else {
		memos, total, err = listOwn(ctx, env, f)
	}
	if err != nil {
		return out, err
	}
	out = ListOut{Memos: summaries(env, memos), Total: total, Offset: in.Offset, Limit: in.Limit}
	switch {
	case len(memos) > 0:
		out.Message = env.Localize("Memos (%d-%d of %d)", in.Offset+1, in.Offset+len(memos), total)
	case total > 0:
		out.Message = env.PastEnd(total)
	case in.Query != "":
		out.Message = env.Localize("No memos about %q", in.Query)
	case in.Tag != "":
		out.Message = env.Localize("No memos with the tag %q", in.Tag)
	default:
		out.Message = env.Localize("There are no memos")
	}
	return out, nil
}

// listOwn returns the memos of the space of the call or, without one, the user's own.
func listOwn(ctx context.Context, env *tools.Env, f memo.Filter) (memos []placed, total int, err error) {
	st, err := env.Store(ctx, tools.Reads)
	if err != nil {
		return nil, 0, err
	}
	found, total, err := st.FindMemos(ctx, f)
	return place(tools.Space(env), found), total, err
}

// Text shows the list in the format of the specification.
func (o ListOut) Text(env *tools.Env) string {
	lines := []string{o.Message}
	for _, m := range o.Memos {
		line := env.Localize("- [%s] priority %d [%s] %s",
			inItem(m.Name, "  "), m.Priority, inItem(tagText(env, m.Tags), "  "), inItem(m.Content, "  "))
		if m.HasDetail {
			line += env.Localize(" [has detail]")
		}
		if m.Space != "" {
			line += env.Localize(" [space: %s]", m.Space)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
