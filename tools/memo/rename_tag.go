package memo

import (
	"context"

	"techo/tools"
)

// RenameTag renames a tag on all memos.
var RenameTag = &tools.Tool{
	Name:    "rename_memo_tag",
	For:     tools.Persons,
	Command: "memo rename-tag",
	About:   "Rename a tag on all memos",
	More:    "If the new tag is in use already, the two tags become one.",
	Effect:  tools.Changes,
	InStore: true,
	Sharing: tools.OneSpace,
	Words:   []string{"tag", "new_tag"},
	Examples: []tools.Example{
		{Does: "Rename a tag", Line: `memo rename-tag food meals`},
	},
	Run: tools.Func[RenameTagIn, RenameTagOut](renameTag),
}

// RenameTagIn is the input of rename_memo_tag.
type RenameTagIn struct {
	Tag    string `json:"tag" format:"name" maxLength:"64" doc:"The tag to rename"`
	NewTag string `json:"new_tag" format:"name" maxLength:"64" doc:"The new name of the tag"`
}

// RenameTagOut is the result of rename_memo_tag.
type RenameTagOut struct {
	Changed int    `json:"changed"`
	Message string `json:"message"`
}

func renameTag(ctx context.Context, env *tools.Env, in RenameTagIn) (out RenameTagOut, err error) {
	st, err := env.Store(ctx, tools.Changes)
	if err != nil {
		return out, err
	}
	changed, err := st.RenameMemoTag(ctx, in.Tag, in.NewTag)
	if err != nil {
		return out, explain(env, err)
	}
	return RenameTagOut{changed, env.Localize("Tag %q renamed to %q (memos: %d)", in.Tag, in.NewTag, changed)}, nil
}
