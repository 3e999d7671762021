package calendar

import (
	"context"

	"techo/store"
	"techo/tools"
)

// Delete removes an event.
var Delete = tools.Define(tools.Tool{
	Name:    "delete_event",
	Command: "cal delete",
	About:   tools.Say{EN: "Delete an event", JA: "予定を削除する"},
	More: tools.Say{
		EN: "Of a series, this deletes one occurrence (that of the id; the first one for the id of the series), following it and all after it, all the whole series.",
		JA: "繰り返しの予定では、this はその回だけ（元の ID なら最初の回）、following はその回以降、all はすべてを削除する。",
	},
	Effect:  tools.Removes,
	World:   true,
	Words:   []string{"event_id"},
	Refused: tools.Say{EN: "Could not delete the event: %s", JA: "予定の削除に失敗しました: %s"},
	Examples: []tools.Example{
		{Does: tools.Say{EN: "Delete an event", JA: "予定を削除する"}, Line: `cal delete $(techo cal list 2026-01-08 --fields events.event_id | cut -d'"' -f6)`},
	},
}, deleteEvent)

// DeleteIn is the input of delete_event.
type DeleteIn struct {
	EventID  string `json:"event_id" min:"1" en:"The event's id" ja:"予定のID"`
	Scope    string `json:"scope" default:"this" enum:"this,following,all" en:"How much of a series" ja:"繰り返しのうち削除する範囲"`
	Calendar string `json:"calendar,omitempty" en:"The calendar's name, for one at Google" ja:"カレンダー名（Google のカレンダーの場合）"`
}

// DeleteOut is the result of delete_event.
type DeleteOut struct {
	Deleted Event  `json:"deleted"`
	Scope   string `json:"scope"`
	Message string `json:"message"`
	o       store.Occurrence
}

func deleteEvent(ctx context.Context, env *tools.Env, in DeleteIn) (out DeleteOut, err error) {
	b, err := backendOf(ctx, env, in.Calendar, tools.Removes)
	if err != nil {
		return out, err
	}
	o, err := b.remove(ctx, in.EventID, scopeOf(in.Scope))
	if err != nil {
		return out, explain(env, err)
	}
	message := tools.Say{EN: "Deleted: %s, %s", JA: "予定を削除しました: %s（%s）"}
	switch {
	case o.Original == "" && !o.Recurs():
	case in.Scope == "following":
		message = tools.Say{EN: "Deleted with all that follow: %s, %s", JA: "以降の予定をすべて削除しました: %s（%s）"}
	case in.Scope == "all":
		message = tools.Say{EN: "Deleted the whole series: %s, %s", JA: "繰り返しの予定をすべて削除しました: %s（%s）"}
	default:
		message = tools.Say{EN: "Deleted this occurrence: %s, %s", JA: "この回の予定を削除しました: %s（%s）"}
	}
	return DeleteOut{eventOf(env, &o), in.Scope, env.Say(message, titleOf(env, o.Title), when(env, &o)), o}, nil
}
