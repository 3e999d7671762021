package memo

import (
	"context"

	"techo/store/memo"
	"techo/tools"
)

// Move moves a memo to another space.
var Move = &tools.Tool{
	Name:    "move_memo",
	For:     tools.Agents,
	Command: "memo move",
	About:   "Move a memo to a shared space, or back to your own",
	Details: "The memo keeps its id and times. The histories of both places have the move. Earlier " +
		"versions stay in the history of the place where they were.",
	Notes: []tools.Note{
		{Text: "%s undoes it in both.", Names: []string{"undo"}},
	},
	Effect:  tools.Changes,
	Sharing: tools.OneSpace,
	Words:   []string{"memo_name"},
	Refused: "Could not move the memo: %s",
	Examples: []tools.Example{
		{Does: "Share a memo", Line: `memo move ramen --to-space team`},
		{Does: "Take it back", Line: `memo move ramen --space team --to-space own`},
	},
	Run: tools.Func[MoveIn, ChangedOut](moveMemo),
}

// MoveIn is the input of move_memo.
type MoveIn struct {
	MemoName string `json:"memo_name" minLength:"1" doc:"Name or id of the memo" list:"bare" record:"memo"`
	ToSpace  string `json:"to_space" minLength:"1" doc:"The shared space to move it to, or own"`
}

func moveMemo(ctx context.Context, env *tools.Env, in MoveIn) (out ChangedOut, err error) {
	from, to, _, err := tools.BetweenSpaces(ctx, env, in.ToSpace)
	if err != nil {
		return out, err
	}
	m, err := memo.Move(ctx, from.Ledger, to.Ledger, in.MemoName)
	if err != nil {
		return out, explain(env, err)
	}
	out.Memo = detail(env, m)
	out.Memo.Space = to.Ledger.Space
	out.Message = env.Localize("Memo moved (name: %s)", m.Name)
	return out, nil
}
