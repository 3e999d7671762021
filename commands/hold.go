package commands

import (
	"techo/tools"
	"techo/tools/calendar"
)

// calHoldCommand keeps several times until one of them is settled on.
func calHoldCommand() *command {
	return &command{Tool: tools.Define(tools.Tool{
		Command: "cal hold",
		About:   tools.Say{EN: "Keep several times for one thing until one is confirmed", JA: "候補の時間をまとめて仮押さえする"},
		More: tools.Say{
			EN: "The times are tentative events of one group. cal confirm keeps one and releases the others; past their time they are gone by themselves.",
			JA: "候補は一つのグループの仮の予定になる。cal confirm で一つを確定すると残りは解放され、期限が過ぎるとすべて消える。",
		},
		Effect: tools.Adds,
		Words:  []string{"title"},
		Examples: []tools.Example{
			{Does: tools.Say{EN: "Hold two times for two days", JA: "2つの候補を2日間押さえる"}, Line: `cal hold "Interview" --slot "2026-01-14T10:00/60m" --slot "2026-01-15T15:00/16:00" --expires 48h`},
		},
	}, calendar.Hold)}
}

// calConfirmCommand keeps one of the times that were held.
func calConfirmCommand() *command {
	return &command{Tool: tools.Define(tools.Tool{
		Command: "cal confirm",
		About:   tools.Say{EN: "Keep one of the times that were held, release the others", JA: "仮押さえの一つを確定し、残りを解放する"},
		Effect:  tools.Changes,
		Words:   []string{"event_id"},
		Examples: []tools.Example{
			{Does: tools.Say{EN: "Confirm one of them", JA: "一つを確定する"}, Line: `cal confirm $(techo cal list 2026-01-14 --fields events.event_id | cut -d'"' -f6)`},
		},
	}, calendar.Confirm)}
}
