package space

import (
	"context"
	"slices"

	"techo/store/ledger"
	"techo/store/space"
	"techo/tools"
)

// Grant gives a user a role in a space.
var Grant = &tools.Tool{
	Name:    "grant_space",
	For:     tools.Persons,
	Command: "space grant",
	About:   "Add a member to a space, or change a member's role",
	More: "For admins of the space, and for the owner of the store. On the machine of the store " +
		"the change counts at once. Through a server a new member is invited and has to accept. " +
		"The history of the space has the change.",
	Notes: []tools.Note{
		{Text: "The roles are those of %s.", Names: []string{"space members"}},
		{Text: "A command without --user on the machine of the store is the owner's.", Shell: true},
	},
	Effect: tools.Changes,
	Words:  []string{"space", "member", "role"},
	Examples: []tools.Example{
		{Does: "Let Bob read and write", Line: "space grant team bob write"},
	},
	Run: tools.Func[GrantIn, ChangedOut](grantRole),
}

// GrantIn is the input of grant_space.
type GrantIn struct {
	Space  string `json:"space" minLength:"1" doc:"Name of the space"`
	Member string `json:"member" format:"name" doc:"The user"`
	Role   string `json:"role" enum:"read,write,admin" doc:"What the user may do"`
}

func grantRole(ctx context.Context, env *tools.Env, in GrantIn) (ChangedOut, error) {
	return grant(ctx, env, in, tools.Acting(env))
}

// grant gives a user a role, or invites the user.
func grant(ctx context.Context, env *tools.Env, in GrantIn, by space.Acting) (out ChangedOut, err error) {
	sp, err := change(ctx, env, in.Space, in.Member, ledger.RoleNamed(in.Role), by)
	out.Space = spaceOf(env, sp)
	out.Invited = slices.ContainsFunc(out.Space.Invited, func(m Member) bool {
		return ledger.SameUser(m.User, in.Member)
	})
	out.Message = env.Localize("%s has the role %s in %s", in.Member, in.Role, out.Space.Name)
	if out.Invited {
		out.Message = env.Localize("%s is invited to %s with the role %s, and has to accept", in.Member, out.Space.Name,
			in.Role)
	}
	return out, err
}

func change(ctx context.Context, env *tools.Env, name, member string, role ledger.Role, by space.Acting) (
	space.Shared, error) {
	st, err := env.Store(ctx, tools.Changes)
	if err != nil {
		return space.Shared{}, err
	}
	sp, err := space.Of(st.Ledger).Grant(ctx, name, member, role, by)
	if err != nil {
		return sp, explain(env, name, err)
	}
	return sp, nil
}
