package commands

import (
	"techo/commands/line"
	"techo/tools"
	"techo/tools/calendar"
)

// calHoldCommand reserves several times until one is confirmed.
func calHoldCommand() *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command: "cal hold",
		About:   "Keep several times for one thing until one is confirmed",
		More: "The times are tentative events of one group. cal confirm keeps one and releases the others; past " +
			"their time they are gone by themselves.",
		Effect: tools.Adds,
		Words:  []string{"title"},
		Examples: []tools.Example{
			{Does: "Hold two times for two days",
				Line: `cal hold "Interview" --slot "2026-01-14T10:00/60m" --slot "2026-01-15T15:00/16:00" --expires 48h`},
		},
	}, calendar.Hold)}
}

// calConfirmCommand confirms one of the held times.
func calConfirmCommand() *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command: "cal confirm",
		About:   "Keep one of the times that were held, release the others",
		Effect:  tools.Changes,
		Words:   []string{"event_id"},
		Examples: []tools.Example{
			{Does: "Confirm one of them",
				Line: `cal confirm $(techo cal list 2026-01-14 --fields events.event_id | cut -d'"' -f6)`},
		},
	}, calendar.Confirm)}
}
