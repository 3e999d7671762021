package calendar

import (
	"context"
	"strings"

	"techo/store"
	"techo/tools"
)

// Get shows one event.
var Get = tools.Define(tools.Tool{
	Name:    "get_event",
	Command: "cal get",
	About:   tools.Say{EN: "Show one event", JA: "予定を1件取得する"},
	More: tools.Say{
		EN: "The id of an occurrence of a series, as list_events gives it, shows that one; the id of the series shows its first.",
		JA: "繰り返しの予定では、list_events が返す各回の ID でその回を、元の ID で最初の回を表示する。",
	},
	Effect:  tools.Reads,
	World:   true,
	Words:   []string{"event_id"},
	Refused: tools.Say{EN: "Could not show the event: %s", JA: "予定の取得に失敗しました: %s"},
	Examples: []tools.Example{
		{Does: tools.Say{EN: "Show an event", JA: "予定を表示する"}, Line: `cal get $(techo cal list 2026-01-08 --fields events.event_id | cut -d'"' -f6)`},
	},
}, getEvent)

// GetIn is the input of get_event.
type GetIn struct {
	EventID  string `json:"event_id" min:"1" en:"The event's id" ja:"予定のID"`
	Calendar string `json:"calendar,omitempty" en:"The calendar's name, for one at Google" ja:"カレンダー名（Google のカレンダーの場合）"`
}

// GetOut is the result of get_event.
type GetOut struct {
	Event   Event  `json:"event"`
	Message string `json:"message"`
	o       store.Occurrence
}

func getEvent(ctx context.Context, env *tools.Env, in GetIn) (out GetOut, err error) {
	b, err := backendOf(ctx, env, in.Calendar, tools.Reads)
	if err != nil {
		return out, err
	}
	o, err := b.get(ctx, in.EventID)
	if err != nil {
		return out, explain(env, err)
	}
	return GetOut{eventOf(env, &o), line(env, &o), o}, nil
}

// Text writes what there is to know, a line each.
func (o GetOut) Text(env *tools.Env) string {
	lines := []string{titleOf(env, o.Event.Title), "- " + when(env, &o.o)}
	add := func(label tools.Say, value string) {
		if value != "" {
			lines = append(lines, env.Say(label)+inItem(value))
		}
	}
	add(tools.Say{EN: "- place: ", JA: "- 場所: "}, o.Event.Location)
	add(tools.Say{EN: "- repeats: ", JA: "- 繰り返し: "}, strings.Join(o.Event.Recurrence, " "))
	add(tools.Say{EN: "- calendar: ", JA: "- カレンダー: "}, o.Event.Calendar)
	add(tools.Say{EN: "- id: ", JA: "- ID: "}, o.Event.EventID)
	add(tools.Say{EN: "- description: ", JA: "- 説明: "}, o.Event.Description)
	return strings.Join(lines, "\n")
}

// inItem keeps a text of several lines within its list item.
func inItem(text string) string {
	return strings.ReplaceAll(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n", "\n  ")
}
