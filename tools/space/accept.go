package space

import (
	"context"

	"techo/store/space"
	"techo/tools"
)

// Accept accepts an invitation.
var Accept = &tools.Tool{
	Name:    "accept_space",
	For:     tools.Persons,
	Command: "space accept",
	About:   "Accept an invitation to a space",
	More: "From then on the records of the space, marked with its name, come up in your searches " +
		"and prompts.",
	Notes: []tools.Note{
		{Text: "%s shows your invitations; %s leaves the space.", Names: []string{"space list", "space revoke"}},
	},
	Effect:   tools.Changes,
	Words:    []string{"space"},
	Examples: []tools.Example{{Does: "Accept an invitation", Line: "space accept team --user carol"}},
	Run:      tools.Func[NameIn, ChangedOut](acceptSpace),
}

func acceptSpace(ctx context.Context, env *tools.Env, in NameIn) (out ChangedOut, err error) {
	sp, err := answer(ctx, env, in.Space, true)
	if err != nil {
		return out, err
	}
	return ChangedOut{Space: spaceOf(env, sp), Message: env.Localize("You are a member of %s with the role %s", sp.Name,
		sp.Role)}, nil
}

func answer(ctx context.Context, env *tools.Env, name string, accept bool) (sp space.Shared, err error) {
	if !env.Sharing.Allows(name) {
		return sp, &space.NoSpaceError{Space: name}
	}
	st, err := env.Store(ctx, tools.Changes)
	if err != nil {
		return sp, err
	}
	sp, err = space.Of(st.Ledger).Answer(ctx, name, accept, tools.Acting(env))
	return sp, explain(env, name, err)
}
