package space

import (
	"context"

	"techo/store"
	"techo/tools"
)

// Grant gives a user a role in a space.
var Grant = &tools.Tool{
	Name:    "grant_space",
	For:     tools.Persons,
	Command: "space grant",
	About:   "Add a member to a space, or change a member's role",
	More: "For admins of the space, and for the owner of the store: a command there without --user. The roles " +
		"are those of techo space members. The change counts at once, and the history of the space has it.",
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

func grantRole(ctx context.Context, env *tools.Env, in GrantIn) (out ChangedOut, err error) {
	out.Space, err = change(ctx, env, in.Space, in.Member, store.RoleNamed(in.Role))
	out.Message = env.Localize("%s has the role %s in %s", in.Member, in.Role, out.Space.Name)
	return out, err
}

// change gives a user a role, and returns the space after it.
func change(ctx context.Context, env *tools.Env, name, member string, role store.Role) (Space, error) {
	st, err := env.Store(ctx, tools.Changes)
	if err != nil {
		return Space{}, err
	}
	sp, err := store.SpacesOf(st).Grant(ctx, name, member, role, tools.Acting(env))
	if err != nil {
		return Space{}, explain(env, err)
	}
	return spaceOf(env, sp), nil
}
