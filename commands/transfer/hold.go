package transfer

import (
	"techo/tools"
	"techo/tools/calendar"
)

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
