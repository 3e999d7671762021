package space

import (
	"context"
	"strings"

	"techo/store/space"
	"techo/tools"
)

// List lists the spaces of the user.
var List = &tools.Tool{
	Name:    ListName,
	For:     tools.Agents,
	Command: "space list",
	About:   "List the spaces that are shared with you",
	More: "Each with your role: read, write or admin. Give the name of a space as the field space " +
		"of another tool.",
	Notes: []tools.Note{
		{Text: "%s uses all of them by itself.", Names: []string{"memo context"}},
	},
	Effect:      tools.Reads,
	Preapproved: true,
	Examples: []tools.Example{
		{Does: "List your spaces", Line: "space list"},
	},
	Run: tools.Func[ListIn, ListOut](listSpaces),
}

// ListIn is the input of list_spaces.
type ListIn struct {
	All bool `json:"all,omitempty" doc:"All spaces of the store; only for its owner"`
}

// Listed is a space in a list.
type Listed struct {
	Name      string `json:"name"`
	Role      string `json:"role"`
	Members   int    `json:"members"`
	CreatedAt string `json:"created_at"`
}

// ListOut is the result of list_spaces.
type ListOut struct {
	Spaces      []Listed     `json:"spaces" compact:"keep"`
	Invitations []Invitation `json:"invitations,omitempty"` // of the user, not accepted yet
	Message     string       `json:"message"`
}

// Invitation is an invitation to a space.
type Invitation struct {
	Name string `json:"name"`
	Role string `json:"role"`
}

func listSpaces(ctx context.Context, env *tools.Env, in ListIn) (out ListOut, err error) {
	by := tools.Acting(env)
	if in.All && !by.Owner {
		return out, env.Fail(tools.Forbidden, "Only the owner of the store may list all spaces").
			WithHint(env.Hint("Name no user: without %s, a command on the machine of the store is the owner's",
				tools.Flag("user")))
	}
	by.Owner = in.All
	st, err := env.Open(ctx, false) // also for a token of shared spaces alone
	if err != nil {
		return out, err
	}
	all, err := space.Of(st.Ledger).List(ctx, by)
	if err != nil {
		return out, err
	}
	out.Spaces = []Listed{}
	for _, sp := range all {
		if env.Sharing.Allows(sp.Name) {
			out.Spaces = append(out.Spaces,
				Listed{sp.Name, sp.Role.String(), len(sp.Members), env.Time(sp.CreatedAt)})
		}
	}
	invited, err := space.Of(st.Ledger).Invitations(ctx, env.User)
	if err != nil {
		return out, err
	}
	for _, i := range invited {
		if env.Sharing.Allows(i.Space) {
			out.Invitations = append(out.Invitations, Invitation{i.Space, i.Role.String()})
		}
	}
	out.Message = env.Localize("Spaces: %d", len(out.Spaces))
	if len(out.Spaces) == 0 {
		out.Message = env.Localize("No space is shared with you")
	}
	return out, nil
}

// Text writes a line for each space.
func (o ListOut) Text(env *tools.Env) string {
	lines := []string{o.Message}
	for _, sp := range o.Spaces {
		lines = append(lines, env.Localize("- %s (%s, %s)", sp.Name, sp.Role,
			env.Count(sp.Members, "%d member", "%d members")))
	}
	for _, i := range o.Invitations {
		lines = append(lines, env.Localize("! invited: %s (%s); techo space accept %s", i.Name, i.Role, i.Name))
	}
	return strings.Join(lines, "\n")
}
