package space

import (
	"context"

	"techo/store/space"
	"techo/tools"
)

// Create creates a space.
var Create = &tools.Tool{
	Name:    "create_space",
	For:     tools.Persons,
	Command: "space create",
	About:   "Create a space that several users share",
	More: "A space has memos and memories of its own; tools use it by its name in the field space. " +
		"You become its first admin. Other users see nothing of a space, not even that it " +
		"exists, before they are members.",
	Notes: []tools.Note{
		{Text: "%s adds members.", Names: []string{"space grant"}},
	},
	Effect: tools.Adds,
	Words:  []string{"space"},
	Examples: []tools.Example{
		{Does: "Create a space for a team", Line: "space create sales"},
	},
	Run: tools.Func[NameIn, ChangedOut](createSpace),
}

// NameIn is the input of the tools that take only the name of a space.
type NameIn struct {
	Space string `json:"space" minLength:"1" doc:"Name of the space"`
}

func createSpace(ctx context.Context, env *tools.Env, in NameIn) (out ChangedOut, err error) {
	st, err := env.Store(ctx, tools.Adds)
	if err != nil {
		return out, err
	}
	sp, err := space.Of(st.Ledger).Create(ctx, in.Space, tools.Acting(env))
	if err != nil {
		return out, explain(env, in.Space, err)
	}
	return ChangedOut{Space: spaceOf(env, sp), Message: env.Localize("Space created (name: %s)", sp.Name)}, nil
}
