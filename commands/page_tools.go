package commands

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"techo/commands/machines"
	"techo/commands/run"
	"techo/commands/stores"
	"techo/commands/transfer"
	"techo/store/ledger"
	"techo/tools"
	"techo/tools/calendar/agenda"
)

// personTools returns the tools that only the page has: commands, and tools of its own. They are for
// persons, and no catalogue lists them.
func personTools(s *run.Run) (all []*tools.Tool) {
	add := func(name string, t tools.Tool) {
		t.Name, t.For = name, tools.Persons
		all = append(all, &t)
	}
	for name, c := range stores.ForPage(s) {
		add(name, *c.Tool)
	}
	for name, t := range transfer.ForPage(s) {
		add(name, *t)
	}
	for name, t := range machines.ForPage() {
		add(name, *t)
	}
	for name, t := range settingsForPage(s) {
		add(name, *t)
	}
	add("confirm_event", *transfer.CalConfirmTool())
	add("change_together", *togetherTool(s))
	return all
}

type togetherIn struct {
	Tool   string            `json:"tool" enum:"edit_memo,remove_memo,complete_todo,remove_todo" doc:"What to call"`
	Inputs []json.RawMessage `json:"inputs" minItems:"1" maxItems:"1000" doc:"The input of each call"`
}

type togetherOut struct {
	Together bool   `json:"together"` // false: nothing was done, because a transaction must not wait for a service
	Changed  int    `json:"changed"`
	Message  string `json:"message"`
}

// togetherTool calls a tool for several records in one transaction. The history has one change,
// whose undo gives all records their previous values or none.
func togetherTool(s *run.Run) *tools.Tool {
	return tools.Define(tools.Tool{
		Command: "change together", About: "Change several records at once", Effect: tools.Changes,
		Sharing: tools.OneSpace,
	}, func(ctx context.Context, env *tools.Env, in togetherIn) (out togetherOut, err error) {
		i := slices.IndexFunc(s.Offered, func(t *tools.Tool) bool { return t.Name == in.Tool })
		if i < 0 {
			return out, env.Fail(tools.Unavailable, "%s is switched off here", in.Tool)
		}
		tool := s.Offered[i]
		st, err := env.Store(ctx, tools.Changes)
		if err != nil {
			return out, err
		}
		for _, input := range in.Inputs {
			var of struct {
				Todo string `json:"todo_id"`
			}
			if json.Unmarshal(input, &of) == nil && of.Todo != "" && !agenda.TodoHere(ctx, env, of.Todo) {
				out.Message = env.Localize("A calendar of the selection is at a service")
				return out, nil
			}
		}
		ctx = ledger.WithOrigin(ctx, ledger.Origin{Tool: tool.Name, By: env.User, Client: env.Caller.Client,
			Session: env.Caller.Turn})
		err = st.Update(ctx, func(tx *ledger.Tx) error {
			within := st.Ledger.WithOpen(ctx, tx)
			for i, input := range in.Inputs {
				call := tools.Call{Input: input, InTransaction: true, NoText: true}
				if _, e := tool.Invoke(within, env, call); e != nil {
					e.Details = append(e.Details, tools.Detail{Path: "/inputs/" + strconv.Itoa(i),
						Message: env.Localize("Nothing was changed")})
					return e
				}
			}
			return nil
		})
		out.Together, out.Changed = true, len(in.Inputs)
		out.Message = env.Localize("Changed: %d", out.Changed)
		return out, err
	})
}
