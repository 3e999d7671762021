package space

import (
	"context"

	"techo/store/ledger"
	"techo/tools"
)

// Revoke removes a member from a space.
var Revoke = &tools.Tool{
	Name:    "revoke_space",
	For:     tools.Persons,
	Command: "space revoke",
	About:   "Remove a member from a space",
	More: "The next call of the member is refused. What the member added stays in the space. A member may also " +
		"leave; the last admin may not. It also withdraws an invitation.",
	Effect: tools.Removes,
	Words:  []string{"space", "member"},
	Examples: []tools.Example{
		{Does: "Remove Bob", Line: "space revoke team bob"},
	},
	Run: tools.Func[RevokeIn, ChangedOut](revokeRole),
}

// RevokeIn is the input of revoke_space.
type RevokeIn struct {
	Space  string `json:"space" minLength:"1" doc:"Name of the space"`
	Member string `json:"member" format:"name" doc:"The user"`
}

func revokeRole(ctx context.Context, env *tools.Env, in RevokeIn) (out ChangedOut, err error) {
	sp, err := change(ctx, env, in.Space, in.Member, ledger.NoRole, tools.Acting(env))
	out.Space = spaceOf(env, sp)
	out.Message = env.Localize("%s is no longer a member of %s", in.Member, sp.Name)
	if sp.Withdrawn {
		out.Message = env.Localize("The invitation of %s to %s was withdrawn", in.Member, sp.Name)
	}
	return out, err
}
