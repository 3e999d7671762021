package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"techo/commands/line"
	"techo/commands/run"
	"techo/tools"
	"techo/tools/calendar"
)

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
