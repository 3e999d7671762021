package calendar

import (
	"context"
	"slices"
	"strings"
	"time"

	"techo/internal/zone"
	"techo/store"
	"techo/tools"
)

// Update changes an event.
var Update = tools.Define(tools.Tool{
	Name:    "update_event",
	Command: "cal update",
	About:   tools.Say{EN: "Change an event; only what is given changes", JA: "予定を変更する"},
	More: tools.Say{
		EN: "A new start alone keeps the length. Of a series, this changes one occurrence (that of the id; the first one for the id of the series), following it and all after it, all the whole series.",
		JA: "start だけを変えると長さは保たれる。繰り返しの予定では、this はその回だけ（元の ID なら最初の回）、following はその回以降、all はすべてを変更する。",
	},
	Effect:  tools.Changes,
	World:   true,
	Words:   []string{"event_id"},
	Refused: tools.Say{EN: "Could not change the event: %s", JA: "予定の変更に失敗しました: %s"},
	Examples: []tools.Example{
		{Does: tools.Say{EN: "Move an event", JA: "予定の時刻を変える"}, Line: `cal update $(techo cal list 2026-01-08 --fields events.event_id | cut -d'"' -f6) --start "2026-01-08 15:00"`},
	},
}, updateEvent)

// UpdateIn is the input of update_event.
type UpdateIn struct {
	EventID      string   `json:"event_id" min:"1" en:"The event's id" ja:"予定のID"`
	Title        *string  `json:"title" min:"1" en:"New title" ja:"新しいタイトル"`
	Start        *string  `json:"start" min:"1" en:"New start" ja:"新しい開始日時"`
	End          *string  `json:"end" min:"1" en:"New end, or a length such as 90m" ja:"新しい終了日時、または 90m のような長さ"`
	Location     *string  `json:"location" en:"New place; an empty text takes it away" ja:"新しい場所（空で消去）"`
	Description  *string  `json:"description" en:"New description; an empty text takes it away" ja:"新しい説明（空で消去）"`
	Recurrence   []string `json:"recurrence,omitempty" lone:"true" en:"New recurrence; an empty list ends it. For the scopes following and all" ja:"新しい繰り返し（空で解除。scope は following か all）"`
	Busy         *bool    `json:"busy" en:"Whether it takes its time" ja:"時間を埋めるか"`
	Status       *string  `json:"status" enum:"confirmed,tentative,cancelled" en:"Whether it is settled" ja:"状態"`
	Scope        string   `json:"scope" default:"this" enum:"this,following,all" en:"How much of a series" ja:"繰り返しのうち変更する範囲"`
	ExpectedEtag string   `json:"expected_etag,omitempty" en:"Refuse when the event is not as it was read" ja:"読み取り時の etag と異なれば変更しない"`
	IfFree       bool     `json:"if_free,omitempty" en:"Refuse when the time is taken" ja:"時間が埋まっていれば変更しない"`
	DryRun       bool     `json:"dry_run,omitempty" en:"Only tell what would be" ja:"変更せずに結果だけを返す"`
	Calendar     string   `json:"calendar,omitempty" en:"The calendar's name, for one at Google" ja:"カレンダー名（Google のカレンダーの場合）"`
}

// Scopes by their names.
func scopeOf(name string) store.Scope {
	return store.Scope(slices.Index([]string{"this", "following", "all"}, name))
}

func updateEvent(ctx context.Context, env *tools.Env, in UpdateIn) (out WrittenOut, err error) {
	f := &faults{env: env}
	if in.Recurrence != nil {
		in.Recurrence = append([]string{}, f.recurrence(in.Recurrence)...)
	}
	if in.Start != nil {
		f.moment("start", *in.Start, today(env))
	}
	if err := f.err(); err != nil {
		return out, err
	}
	b, err := backendOf(ctx, env, in.Calendar, tools.Changes)
	if err != nil {
		return out, err
	}
	w, err := b.edit(ctx, in.EventID, scopeOf(in.Scope), store.EventWrite{Zone: env.Zone, IfFree: in.IfFree, DryRun: in.DryRun}, func(e *store.Event) error {
		return apply(env, in, e)
	})
	if err != nil {
		return out, explain(env, err)
	}
	done := tools.Say{EN: "Changed: %s, %s", JA: "予定を変更しました: %s（%s）"}
	if in.DryRun {
		done = tools.Say{EN: "Would change: %s, %s", JA: "変更後の予定: %s（%s）"}
	}
	return written(env, w, in.DryRun, done), nil
}

// apply changes an event as an input says.
func apply(env *tools.Env, in UpdateIn, e *store.Event) error {
	if in.ExpectedEtag != "" && in.ExpectedEtag != e.Etag {
		return &store.ChangedError{ID: in.EventID, Etag: e.Etag}
	}
	f := &faults{env: env}
	for _, c := range []struct{ to, from *string }{{&e.Title, in.Title}, {&e.Location, in.Location}, {&e.Description, in.Description}, {&e.Status, in.Status}} {
		if c.from != nil {
			*c.to = *c.from
		}
	}
	if in.Busy != nil {
		e.Free = !*in.Busy
	}
	if in.Start != nil || in.End != nil {
		f.move(e, in)
	}
	if in.Recurrence != nil {
		if e.RecurrenceID != "" {
			f.add("scope", tools.Say{EN: "must be following or all for a new recurrence", JA: "繰り返しの変更では following か all にしてください"})
		}
		left := slices.DeleteFunc(slices.Clone(e.Recurrence), func(l string) bool { return !strings.HasPrefix(l, "EXDATE") })
		if e.Recurrence = in.Recurrence; len(in.Recurrence) > 0 {
			e.Recurrence = append(e.Recurrence, left...)
		}
	}
	return f.err()
}

// move sets new times. What is not given stays: the length for a new start,
// the start for a new end.
func (f *faults) move(e *store.Event, in UpdateIn) {
	home := f.env.Zone
	if e.Form == store.Timed && e.ZoneRules == "" {
		if loc, ok := zone.Find(e.Zone); ok {
			home = loc
		}
	}
	was := *e
	end := ""
	if in.End != nil {
		end = *in.End
	}
	if in.Start == nil {
		from, _ := e.Span(e.Start, home)
		text := e.Start.Format(time.DateOnly)
		if e.Form != store.AllDay {
			text = from.In(f.env.Zone).Format(time.RFC3339)
		}
		in.Start = &text
	}
	start, ok := f.moment("start", *in.Start, was.Start)
	if !ok {
		return
	}
	f.times(e, start, end, max(was.Length, 0))
	if end == "" && (e.Form == store.AllDay) == (was.Form == store.AllDay) {
		e.Days, e.Length = was.Days, was.Length
	} else if end == "" && e.Form != store.AllDay {
		e.Length = time.Hour
	}
	if was.Form == store.Timed && e.Form == store.Timed && was.Zone != e.Zone { // its clocks stay those it had
		e.Start = zone.Wall(zone.Instant(e.Start, f.env.Zone), home)
		e.Zone, e.ZoneRules = was.Zone, was.ZoneRules
	}
	if was.Form == store.Floating && e.Form == store.Timed {
		e.Form, e.Zone = store.Floating, ""
	}
}
