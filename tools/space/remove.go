package space

import (
	"context"

	"techo/store/space"
	"techo/tools"
)

// Remove removes a space.
var Remove = &tools.Tool{
	Name:    "remove_space",
	For:     tools.Persons,
	Command: "space remove",
	About:   "Remove a space",
	More: "For admins of the space, and for the owner of the store. A space with records is " +
		"removed only if with_contents is given. This cannot be undone.",
	Notes: []tools.Note{
		{Text: "A command without --user on the machine of the store is the owner's.", Shell: true},
	},
	Effect: tools.Removes,
	Words:  []string{"space"},
	Examples: []tools.Example{
		{Does: "Remove a space with all records", Line: "space remove team --with-contents"},
	},
	Run: tools.Func[RemoveIn, RemovedOut](removeSpace),
}

// RemoveIn is the input of remove_space.
type RemoveIn struct {
	Space    string `json:"space" minLength:"1" doc:"Name of the space"`
	Contents bool   `json:"with_contents,omitempty" doc:"Also remove all its records"`
}

// RemovedOut is the result of remove_space.
type RemovedOut struct {
	Removed Space  `json:"removed"`
	Message string `json:"message"`
}

func removeSpace(ctx context.Context, env *tools.Env, in RemoveIn) (out RemovedOut, err error) {
	st, err := env.Store(ctx, tools.Removes)
	if err != nil {
		return out, err
	}
	sp, err := space.Of(st.Ledger).Remove(ctx, in.Space, in.Contents, tools.Acting(env))
	if err != nil {
		return out, explain(env, in.Space, err)
	}
	return RemovedOut{spaceOf(env, sp), env.Localize("Space removed (name: %s)", sp.Name)}, nil
}
