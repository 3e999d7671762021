package space

import (
	"context"

	"techo/tools"
)

// Decline declines an invitation.
var Decline = &tools.Tool{
	Name:    "decline_space",
	For:     tools.Persons,
	Command: "space decline",
	About:   "Decline an invitation to a space",
	More:    "The invitation ends. An admin of the space can invite you again.",
	Notes: []tools.Note{
		{Text: "%s leaves a space that you are a member of.", Names: []string{"space revoke"}},
	},
	Effect:   tools.Changes,
	Words:    []string{"space"},
	Examples: []tools.Example{{Does: "Decline an invitation", Line: "space decline team --user dave"}},
	Run:      tools.Func[NameIn, DeclinedOut](declineSpace),
}

// DeclinedOut is the result of decline_space.
type DeclinedOut struct {
	Declined string `json:"declined"`
	Message  string `json:"message"`
}

func declineSpace(ctx context.Context, env *tools.Env, in NameIn) (out DeclinedOut, err error) {
	sp, err := answer(ctx, env, in.Space, false)
	if err != nil {
		return out, err
	}
	return DeclinedOut{sp.Name, env.Localize("Declined the invitation to %s", sp.Name)}, nil
}
