package space

import (
	"context"

	"techo/tools"
)

// Invite invites a user to a space.
var Invite = &tools.Tool{
	Name:    "invite_to_space",
	For:     tools.Persons,
	Command: "space invite",
	About:   "Invite a user to a space",
	More: "Until the user accepts, the space does not exist for them. For admins of the space, and " +
		"for the owner of the store.",
	Notes: []tools.Note{
		{Text: "%s makes them a member, %s withdraws the invitation.", Names: []string{"space accept", "space revoke"}},
	},
	Effect: tools.Changes,
	Words:  []string{"space", "member", "role"},
	Examples: []tools.Example{
		{Does: "Invite Carol to read", Line: "space invite team carol read"},
		{Does: "Invite Dave to read and write", Line: "space invite team dave write"},
	},
	Run: tools.Func[GrantIn, ChangedOut](inviteUser),
}

func inviteUser(ctx context.Context, env *tools.Env, in GrantIn) (ChangedOut, error) {
	by := tools.Acting(env)
	by.Asks = true
	return grant(ctx, env, in, by)
}
