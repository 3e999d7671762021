package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"techo/commands/google"
	"techo/commands/line"
	"techo/commands/run"
	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar"
)

// calDefaultTool chooses the default calendar.
func calDefaultTool() *tools.Tool {
	return tools.Define(tools.Tool{
		Command: "cal default",
		Remote:  "set_default_calendar",
		For:     tools.Persons,
		About:   "Choose the calendar of calls that name none",
		More: "The tools of agents then use it too, such as create_event. The calendar default stays as it is and " +
			"can still be named.",
		Effect:    tools.Changes,
		Sharing:   tools.OneSpace,
		Calendars: []string{"name"},
		Words:     []string{"name"},
		Examples:  []tools.Example{{Does: "Use another calendar", Line: "cal default work"}},
	}, calendar.SetDefault)
}

func calRenameTool() *tools.Tool {
	return tools.Define(tools.Tool{
		Command:   "cal rename",
		Remote:    "rename_calendar",
		For:       tools.Persons,
		About:     "Rename a calendar",
		Effect:    tools.Changes,
		Sharing:   tools.OneSpace,
		Calendars: []string{"old", "new"},
		Words:     []string{"old", "new"},
		Examples:  []tools.Example{{Does: "Rename a calendar", Line: "cal rename work office"}},
	}, calendar.Rename)
}

// calRemoveTool removes or disconnects a calendar.
func calRemoveTool(s *run.Run) *tools.Tool {
	return tools.Define(tools.Tool{
		Command:   "cal remove",
		Remote:    "remove_calendar",
		For:       tools.Persons,
		ExactVerb: true, // cal delete deletes an event
		About:     "Remove a calendar, or disconnect it from its service",
		More: "Events at a service stay there; the credentials that no other calendar uses are removed. A local " +
			"calendar with events needs --events; techo undo brings the events back, unless there are more than " +
			"20,000.",
		Effect:    tools.Removes,
		Sharing:   tools.OneSpace,
		Calendars: []string{"name"},
		Words:     []string{"name"},
		Examples:  []tools.Example{{Does: "Remove a calendar and its events", Line: "cal remove office --events"}},
	}, func(ctx context.Context, env *tools.Env, in calendar.RemoveIn) (out calendar.ManagedOut, err error) {
		out, was, err := calendar.Remove(ctx, env, in)
		if err != nil || was.Kind == event.LocalCalendar {
			return out, err
		}
		st, err := env.Store(ctx, tools.Removes)
		if err != nil {
			return out, err
		}
		return out, google.New(s.System, s.Env).Forget(ctx, st, was.Account)
	})
}

// calDueCommand prints the alarms that are due, for cron and for a program that
// shows them.
func calDueCommand() *line.Command {
	due := calDueTool()
	return &line.Command{Tool: due, Do: func(ctx context.Context, s *run.Run, input []byte) int {
		var in struct{ Watch bool }
		if err := json.Unmarshal(input, &in); err != nil || !in.Watch {
			return s.Invoke(ctx, due, s.Call(input))
		}
		return watchDue(ctx, s, due, input)
	}}
}

func calDueTool() *tools.Tool {
	return tools.Define(tools.Tool{
		Command: "cal due",
		Remote:  "list_due",
		For:     tools.Agents,
		About:   "List the alarms that are due",
		More: "An alarm is due from its time until its event starts; one at the start or after it, until the " +
			"event ends; one of a to-do, until that is due. In a job of cron that runs every minute, " +
			"--since \"1 minute ago\" lists each alarm once. Alarms of up to five years before their event are found." +
			" The calendars of your shared spaces are among all, named as in team/default.",
		Effect:  tools.Reads,
		Sharing: tools.AllSpaces,
		Refused: "Could not list alarms: %s",
		Examples: []tools.Example{
			{Does: "What is due now", Line: "cal due -o text"},
			{Does: "What will be due in the next hour", Line: "cal due --within 1h"},
		},
	}, calendar.ListDue)
}

// dueEvery is the time between two looks at the calendars.
const dueEvery = 10 * time.Second

// watchDue prints each alarm once, when it is due, until the context ends.
func watchDue(ctx context.Context, s *run.Run, due *tools.Tool, input []byte) int {
	if limit := s.Options.Timeout; limit > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, limit)
		defer stop()
	}
	call := s.Call(input)
	call.Fields, call.NoText = nil, true
	printed := map[string]bool{}
	for {
		result, e := s.CallTool(ctx, due, call)
		if e != nil && ctx.Err() == nil {
			return s.Out.Fail(e)
		}
		var found struct{ Due []json.RawMessage }
		if e == nil {
			if err := json.Unmarshal(result.JSON, &found); err != nil {
				return s.Out.FailInternal(s.Env(), err)
			}
		}
		for _, one := range found.Due {
			var alarm struct {
				Event struct {
					ID string `json:"event_id"`
				}
				Todo struct {
					ID string `json:"todo_id"`
				}
				AlarmAt string `json:"alarm_at"`
			}
			if err := json.Unmarshal(one, &alarm); err != nil {
				return s.Out.FailInternal(s.Env(), err)
			}
			if key := alarm.Event.ID + alarm.Todo.ID + alarm.AlarmAt; !printed[key] {
				printed[key] = true
				if code := s.Out.Document(string(one) + "\n"); code != 0 {
					return code
				}
			}
		}
		select {
		case <-time.After(dueEvery):
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
				return 124
			}
			return 130
		}
	}
}

// calHoldTool reserves several times until one is confirmed.
func calHoldTool() *tools.Tool {
	return tools.Define(tools.Tool{
		Command: "cal hold",
		Remote:  "hold_times",
		For:     tools.Agents,
		About:   "Hold several times for an event until one is confirmed",
		More: "The times become tentative events of one group. cal confirm keeps one and releases the others. " +
			"If none is confirmed, they expire.",
		Effect:    tools.Adds,
		Sharing:   tools.OneSpace,
		Calendars: []string{"calendar"},
		Words:     []string{"title"},
		Examples: []tools.Example{
			{Does: "Hold two times for two days",
				Line: `cal hold "Interview" --slot 2026-01-14T10:00/60m --slot 2026-01-15T15:00/16:00 --expires 48h`},
		},
	}, calendar.Hold)
}

// CalConfirmTool confirms one of the held times.
func CalConfirmTool() *tools.Tool {
	return tools.Define(tools.Tool{
		Command: "cal confirm",
		Remote:  "confirm_event",
		For:     tools.Agents,
		About:   "Confirm one of the held times, and release the others",
		Effect:  tools.Changes,
		Sharing: tools.OneSpace,
		Words:   []string{"event_id"},
		Examples: []tools.Example{
			{Does: "Confirm a time",
				Line: `cal confirm g7w2m0c4x1hd`},
		},
	}, calendar.Confirm)
}
