package memo

import (
	"context"

	"techo/store/memo"
	"techo/tools"
)

// Edit changes a memo.
var Edit = &tools.Tool{
	Name:    "edit_memo",
	For:     tools.Agents,
	Command: "memo edit",
	About:   "Change a memo; only what is given changes",
	More: "Use it when a memo is out of date, or to write down its detail, which replaces the old " +
		"one.",
	Details: "An empty detail or an empty list of tags clears them.",
	Effect:  tools.Changes,
	InStore: true,
	Sharing: tools.OneSpace,
	Words:   []string{"memo_name"},
	Refused: "Could not change the memo: %s",
	Examples: []tools.Example{
		{Does: "Raise a memo's priority", Line: `memo edit trip --priority 4`},
		{Does: "Rename it and remove its tags", Line: `memo edit trip --new-name "Kyoto trip" --tags ""`},
	},
	Run: tools.Func[EditIn, ChangedOut](editMemo),
}

// EditIn is the input of edit_memo.
type EditIn struct {
	MemoName string   `json:"memo_name" minLength:"1" doc:"Name or id of the memo to change" list:"bare" record:"memo"`
	Content  *string  `json:"content" format:"nonblank" doc:"New content" list:"bare"`
	Priority *int     `json:"priority" minimum:"1" maximum:"5" doc:"New priority, 1 to 5" list:"bare"`
	Tags     tagNames `json:"tags,omitempty" doc:"At most 3; [] removes all tags"`
	Detail   *string  `json:"detail" doc:"New detail, replaces the old one; empty removes it"`
	NewName  *string  `json:"new_name" format:"name" maxLength:"32" doc:"New name" list:"bare"`
	Etag     string   `json:"expected_etag,omitempty" doc:"Fail if it changed since it was read: the etag of get_memo"`
}

// Controls returns the fields that change nothing.
func (EditIn) Controls() []string { return []string{"memo_name", "expected_etag"} }

func editMemo(ctx context.Context, env *tools.Env, in EditIn) (out ChangedOut, err error) {
	st, err := env.Store(ctx, tools.Changes)
	if err != nil {
		return out, err
	}
	m, err := st.EditMemo(ctx, in.MemoName, memo.Change{
		Name: in.NewName, Content: in.Content, Priority: in.Priority, Tags: in.Tags, Detail: in.Detail,
		ExpectedEtag: in.Etag,
	})
	if err != nil {
		return out, explain(env, err)
	}
	return changed(env, m, env.Localize("Memo updated (name: %s)", m.Name)), nil
}
