package space

import (
	"context"

	"techo/store/space"
	"techo/tools"
)

// Members lists the members of a space.
var Members = &tools.Tool{
	Name:    "list_space_members",
	For:     tools.Hosts,
	Command: "space members",
	About:   "List the members of a space",
	More: "read may search and list, write may also add, change and remove, and undo its own changes, admin " +
		"may also undo the changes of others and choose the members.",
	Effect: tools.Reads,
	Words:  []string{"space"},
	Examples: []tools.Example{
		{Does: "List the members", Line: "space members team"},
	},
	Run: tools.Func[NameIn, MembersOut](listMembers),
}

// MembersOut is the result of list_space_members.
type MembersOut struct {
	Space   Space  `json:"space"`
	Message string `json:"message"`
}

// Text writes a line for each member.
func (o MembersOut) Text(env *tools.Env) string { return o.Message + "\n" + o.Space.lines(env) }

func listMembers(ctx context.Context, env *tools.Env, in NameIn) (out MembersOut, err error) {
	st, err := env.Store(ctx, tools.Reads)
	if err != nil {
		return out, err
	}
	sp, err := space.Of(st.Ledger).Get(ctx, in.Space, tools.Acting(env))
	if err != nil {
		return out, err
	}
	return MembersOut{spaceOf(env, sp), env.Localize("Members of %s: %d", sp.Name, len(sp.Members))}, nil
}
