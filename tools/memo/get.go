package memo

import (
	"context"
	"strings"

	"techo/store/memo"
	"techo/tools"
)

// Get shows one memo.
var Get = &tools.Tool{
	Name:        "get_memo",
	For:         tools.Agents,
	Command:     "memo get",
	About:       "Show one memo with its detail",
	Details:     "Its content, priority, tags, detail and times.",
	Effect:      tools.Reads,
	Preapproved: true,
	InStore:     true,
	Sharing:     tools.OneSpace,
	Words:       []string{"memo_name"},
	Examples: []tools.Example{
		{Does: "Show a memo", Line: `memo get ramen`},
	},
	Run: tools.Func[NameIn, GetOut](getMemo),
}

// GetOut is the result of get_memo.
type GetOut struct {
	Memo    Detail `json:"memo"`
	Message string `json:"message"`
	memo    memo.Memo
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
	d := detail(env, m)
	if d.Etag, err = m.Etag(); err != nil {
		return out, err
	}
	return GetOut{d, env.Localize("Memo found (name: %s)", m.Name), m}, nil
}

// Text shows the memo in the format of the specification.
func (o GetOut) Text(env *tools.Env) string {
	m := o.memo
	lines := []string{
		env.Localize("Memo details:"),
		env.Localize("- name: %s", inItem(m.Name, "  ")),
		env.Localize("- priority: %d", m.Priority),
		env.Localize("- tags: %s", inItem(tagText(env, m.Tags), "  ")),
		env.Localize("- content: %s", m.Content),
	}
	if m.Detail != "" {
		lines = append(lines, env.Localize("- detail: %s", m.Detail))
	}
	lines = append(lines,
		env.Localize("- created: %s", env.Minute(m.CreatedAt)),
		env.Localize("- updated: %s", env.Minute(m.UpdatedAt)),
	)
	return strings.Join(lines, "\n")
}
