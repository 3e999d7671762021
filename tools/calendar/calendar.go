// Package calendar is the family of tools that keep a calendar: events, when
// one is free, and when something could be.
package calendar

import (
	"errors"
	"strings"
	"time"

	"techo/internal/zone"
	"techo/store"
	"techo/tools"
)

// Tools returns the family, in the order of the help.
func Tools() []*tools.Tool {
	return []*tools.Tool{Create, List, Get, Update, Delete, Check, Suggest}
}

// Event is an event, or an occurrence of a series, as every answer shows it.
type Event struct {
	EventID          string   `json:"event_id"`
	Title            string   `json:"title"`
	Start            string   `json:"start"` // RFC 3339, or a day
	End              string   `json:"end"`   // the day after the last one, for days
	EndDate          string   `json:"end_date,omitempty"`
	AllDay           bool     `json:"all_day"`
	Location         string   `json:"location"`
	Description      string   `json:"description"`
	Timezone         string   `json:"timezone"`                 // in which start and end are written
	EventTimezone    string   `json:"event_timezone,omitempty"` // on whose clocks the event is, when that is another
	Floating         bool     `json:"floating,omitempty"`       // on clocks wherever one is
	Weekday          string   `json:"weekday"`
	Status           string   `json:"status"`
	Busy             bool     `json:"busy"`
	Recurrence       []string `json:"recurrence"`
	RecurringEventID string   `json:"recurring_event_id,omitempty"`
	HoldExpires      string   `json:"hold_expires,omitempty"`
	Group            string   `json:"group,omitempty"`
	Calendar         string   `json:"calendar"`
	UID              string   `json:"uid"`
	Etag             string   `json:"etag"`
}

// eventOf shows an occurrence.
func eventOf(env *tools.Env, o *store.Occurrence) Event {
	e := Event{
		EventID: o.ID(), Title: o.Title, AllDay: o.Form == store.AllDay, Location: o.Location, Description: o.Description,
		Timezone: zoneName(env), Floating: o.Form == store.Floating, Status: o.Status, Busy: o.Busy(),
		Recurrence: o.Recurrence, Group: o.Group, Calendar: o.Calendar, UID: publicUID(o.Event), Etag: o.Etag,
	}
	if e.Recurrence == nil {
		e.Recurrence = []string{}
	}
	if o.Original != "" {
		e.RecurringEventID = strings.TrimSuffix(e.EventID, "_"+o.Original)
	}
	if !o.Expires.IsZero() {
		e.HoldExpires = env.Time(o.Expires)
	}
	if e.AllDay {
		end := o.Wall.AddDate(0, 0, o.Days)
		e.Start, e.End = o.Wall.Format(time.DateOnly), end.Format(time.DateOnly)
		e.EndDate = end.AddDate(0, 0, -1).Format(time.DateOnly)
		e.Weekday = o.Wall.Weekday().String()
		return e
	}
	if o.Form == store.Timed && o.Zone != e.Timezone {
		e.EventTimezone = o.Zone
	}
	e.Start, e.End = env.Time(o.From), env.Time(o.To)
	e.Weekday = o.From.In(env.Zone).Weekday().String()
	return e
}

func eventsOf(env *tools.Env, all []store.Occurrence) []Event {
	events := make([]Event, 0, len(all))
	for i := range all {
		events = append(events, eventOf(env, &all[i]))
	}
	return events
}

// weekdayName is the weekday in the caller's language, for texts; as a value it
// is always English.
func weekdayName(env *tools.Env, t time.Time) string {
	if env.Lang == tools.Japanese {
		return [...]string{"日曜日", "月曜日", "火曜日", "水曜日", "木曜日", "金曜日", "土曜日"}[t.Weekday()]
	}
	return t.Weekday().String()
}

// zoneName is the name of the caller's zone. A machine that does not tell the
// name of its own gets the offset of now.
func zoneName(env *tools.Env) string {
	if name := env.Zone.String(); name != "Local" && name != "" {
		return name
	}
	_, offset := env.Now().In(env.Zone).Zone()
	return zone.Fixed(offset).String()
}

// explain puts the store's errors into the sentences of the specification.
func explain(env *tools.Env, err error) error {
	var (
		missing *store.NotFoundError
		taken   *store.ConflictError
		changed *store.ChangedError
		uneven  *store.UnevenError
	)
	switch {
	case errors.As(err, &missing) && missing.Noun == "calendar":
		e := env.Fail(tools.NotFound, tools.Say{EN: "There is no calendar %q", JA: "カレンダー「%s」がありません"}, missing.Name)
		if e.Hint = env.DidYouMean(missing.Near); e.Hint == "" {
			e.Hint = env.Say(tools.Say{EN: "See techo cal calendars", JA: "techo cal calendars で一覧を確認してください"})
		}
		return e
	case errors.As(err, &missing):
		e := env.Fail(tools.NotFound, tools.Say{EN: "The event was not found", JA: "指定された予定が見つかりません。"})
		e.Details = []tools.Detail{{Path: "/event_id", Message: missing.Name}}
		return e.WithHint(env.Say(tools.Say{EN: "See techo cal list", JA: "techo cal list で予定を確認してください"}))
	case errors.As(err, &taken):
		e := env.Fail(tools.Conflict, tools.Say{EN: "The time is taken: %s", JA: "その時間には予定があります: %s"}, titles(env, taken.Conflicts))
		for i := range taken.Conflicts {
			e.Details = append(e.Details, tools.Detail{Path: "/start", Message: line(env, &taken.Conflicts[i])})
		}
		return e.WithHint(env.Say(tools.Say{EN: "techo cal suggest finds a free time", JA: "techo cal suggest で空き時間を探せます"}))
	case errors.As(err, &changed):
		return env.Fail(tools.Conflict, tools.Say{EN: "The event changed since it was read", JA: "予定は読み取り後に変更されています"}).
			WithHint(env.Say(tools.Say{EN: "Read it again with techo cal get %s", JA: "techo cal get %s で読み直してください"}, changed.ID))
	case errors.As(err, &uneven):
		e := env.Fail(tools.InvalidInput, tools.Say{EN: "The series cannot be moved to this start: %s", JA: "この開始日時には繰り返しを移動できません: %s"}, uneven.Rule)
		e.Details = []tools.Detail{{Path: "/start", Message: e.Message}}
		return e.WithHint(env.Say(tools.Say{EN: "Give the new rule too: --recurrence", JA: "新しい繰り返しも --recurrence で指定してください"}))
	}
	return err
}

// Explain puts an error of the store into the sentences of the family.
func Explain(env *tools.Env, err error) error { return explain(env, err) }

// titles names at most three events.
func titles(env *tools.Env, all []store.Occurrence) string {
	var names []string
	for i, o := range all {
		if i == 3 {
			names = append(names, "…")
			break
		}
		names = append(names, titleOf(env, o.Title))
	}
	return strings.Join(names, env.Say(tools.Say{EN: ", ", JA: "、"}))
}

func titleOf(env *tools.Env, title string) string {
	if strings.TrimSpace(title) == "" {
		return env.Say(tools.Say{EN: "(no title)", JA: "（無題）"})
	}
	return title
}

// plural is "1 event", "2 events"; Japanese has one form.
func plural(env *tools.Env, n int, one, many, ja string) string {
	if env.Lang == tools.Japanese {
		return env.Say(tools.Say{EN: "%d", JA: "%d"}, n) + ja
	}
	if n == 1 {
		return "1 " + one
	}
	return env.Say(tools.Say{EN: "%d ", JA: "%d "}, n) + many
}
