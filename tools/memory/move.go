package memory

import (
	"context"

	"techo/store/memory"
	"techo/tools"
	"techo/tools/memory/embed"
)

// Move moves a memory to another space.
var Move = &tools.Tool{
	Name:    "move_memory",
	For:     tools.Agents,
	Command: "memory move",
	About:   "Move a memory to a shared space, or back to your own",
	Details: "The memory keeps its id, its session, its topic and its times. The histories of both " +
		"places have the move. Earlier versions stay in the history of the place where they were.",
	Notes: []tools.Note{
		{Text: "%s undoes it in both.", Names: []string{"undo"}},
	},
	Effect:  tools.Changes,
	Sharing: tools.OneSpace,
	Words:   []string{"id"},
	Examples: []tools.Example{
		{Does: "Share a memory", Line: `memory move mem_weuf4qjt --to-space team`},
		{Does: "Take it back", Line: `memory move mem_weuf4qjt --space team --to-space own`},
	},
	Run: tools.Func[MoveIn, MoveOut](moveMemory),
}

// MoveIn is the input of move_memory.
type MoveIn struct {
	ID      string `json:"id" minLength:"1" doc:"Id of the memory" list:"bare" record:"memory"`
	ToSpace string `json:"to_space" minLength:"1" doc:"The shared space to move it to, or own"`
}

// MoveOut is the result of move_memory.
type MoveOut struct {
	Memory  Detail `json:"memory"`
	Message string `json:"message"`
}

func moveMemory(ctx context.Context, env *tools.Env, in MoveIn) (out MoveOut, err error) {
	from, to, owner, err := tools.BetweenSpaces(ctx, env, in.ToSpace)
	if err != nil {
		return out, err
	}
	m, err := memory.Move(ctx, from.Ledger, to.Ledger, tools.Owner(env), owner, in.ID)
	if err != nil {
		return out, Explain(env, err)
	}
	embed.After(ctx, env, to, owner)
	out.Memory = DetailOf(env, m)
	out.Memory.Space = to.Ledger.Space
	out.Message = env.Localize("Memory moved (id: %s)", m.ID)
	return out, nil
}
