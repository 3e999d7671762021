package transfer

import (
	"context"

	"techo/commands/google"
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

// calRenameTool renames a calendar.
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
