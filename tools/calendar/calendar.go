// Package calendar implements the calendar tools: events, free and busy times, and
// suggestions for free times.
package calendar

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"techo/internal/zone"
	"techo/store"
	"techo/tools"
)

// Tools returns the tools of this family in the order of the help.
func Tools() []*tools.Tool {
	return []*tools.Tool{Create, List, Get, Update, Move, Delete, Check, Suggest, Calendars}
}

// Event is an event or an occurrence of a series in a result.
type Event struct {
	EventID          string   `json:"event_id"`
	Title            string   `json:"title"`
	Start            string   `json:"start"` // RFC 3339, or a day
	End              string   `json:"end"`   // exclusive: for days, the day after the last one
	EndDate          string   `json:"end_date,omitempty"`
	AllDay           bool     `json:"all_day"`
	Location         string   `json:"location"`
	Description      string   `json:"description"`
	Timezone         string   `json:"timezone"`                 // the zone of start and end
	EventTimezone    string   `json:"event_timezone,omitempty"` // the event's own zone, if different
	Floating         bool     `json:"floating,omitempty"`       // in local time everywhere
	Weekday          string   `json:"weekday"`
	Status           string   `json:"status"`
	Busy             bool     `json:"busy"`
	Recurrence       []string `json:"recurrence"`
	RecurringEventID string   `json:"recurring_event_id,omitempty"`
	HoldExpires      string   `json:"hold_expires,omitempty"`
	Group            string   `json:"group,omitempty"`
	Details
	Calendar string `json:"calendar"`
	Space    string `json:"space,omitempty"` // the shared space that has the calendar
	UID      string `json:"uid"`
	Etag     string `json:"etag"`
}

// toEvent converts an occurrence.
func toEvent(env *tools.Env, o *store.Occurrence) Event {
	e := Event{
		EventID: o.ID(), Title: o.Title, AllDay: o.Form == store.AllDay, Location: o.Location,
		Description: o.Description,
		Timezone:    zoneName(env), Floating: o.Form == store.Floating, Status: o.Status, Busy: o.Busy(),
		Recurrence: o.Recurrence, Group: o.Group, Details: detailsOf(env, o.Event),
		Calendar: o.Calendar, Space: cmp.Or(o.Space, tools.Space(env)), UID: publicUID(o.Event), Etag: o.Etag,
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

func toEvents(env *tools.Env, all []store.Occurrence) []Event {
	events := make([]Event, 0, len(all))
	for i := range all {
		events = append(events, toEvent(env, &all[i]))
	}
	return events
}

// shortWeekday returns the weekday as one Japanese character.
func shortWeekday(t time.Time) string {
	return [...]string{"日", "月", "火", "水", "木", "金", "土"}[t.Weekday()]
}

// eventZone returns the zone of an event's start; otherwise is the zone of an event
// without a known zone.
func eventZone(e *store.Event, otherwise *time.Location) *time.Location {
	if e.Form != store.Timed {
		return otherwise
	}
	if e.ZoneRules != "" {
		if loc, ok := store.CustomZone(e.ZoneRules); ok {
			return loc
		}
	}
	if loc, ok := zone.Find(e.Zone); ok {
		return loc
	}
	return otherwise
}

// zoneName returns the name of the caller's zone. If the system does not provide a
// name, it returns the current offset.
func zoneName(env *tools.Env) string {
	if name := env.Zone.String(); name != "Local" && name != "" {
		return name
	}
	_, offset := env.Now().In(env.Zone).Zone()
	return zone.Fixed(offset).String()
}

// Explain converts errors of the store to the messages of the specification. It
// returns other errors unchanged.
func Explain(env *tools.Env, err error) error {
	var (
		missing *store.NotFoundError
		taken   *store.ConflictError
		changed *store.ChangedError
		uneven  *store.RuleStartError
		exists  *store.TakenError
	)
	if removing := new(store.RemovingError); errors.As(err, &removing) {
		return env.Fail(tools.Conflict, "The calendar %s is being removed", removing.Calendar).
			WithHint(env.Hint("To go on with its removal: techo cal remove %s", removing.Calendar))
	}
	if odd := new(store.CalendarNameError); errors.As(err, &odd) {
		return newNameError(env, odd.Name)
	}
	if full := new(store.FullCalendarError); errors.As(err, &full) {
		return env.Fail(tools.AlreadyExists, "The calendar %s has events", full.Calendar).
			WithHint(env.Hint("To remove them too: techo cal remove %s --events", full.Calendar))
	}
	switch {
	case errors.As(err, &exists) && exists.Kind == store.KindCalendar:
		return env.Fail(tools.AlreadyExists, "The calendar %s exists", exists.Name).
			WithHint(env.Hint("Choose another name; see techo cal calendars"))
	case store.IsDefaultCalendarError(err):
		return env.Fail(tools.InvalidInput, "The calendar default always exists").
			WithHint(env.Hint("To use another one for calls that name no calendar: techo cal default NAME"))
	case errors.As(err, &missing) && missing.Kind == store.KindCalendar:
		e := env.Fail(tools.NotFound, "There is no calendar %q", missing.Name)
		if e.Hint = env.DidYouMean(missing.Near); e.Hint == "" {
			e.Hint = env.Hint("See techo cal calendars")
		}
		return e
	case errors.As(err, &missing):
		e := env.Fail(tools.NotFound, "The event was not found")
		e.Details = []tools.Detail{{Path: "/event_id", Message: missing.Name}}
		return e.WithHint(env.Hint("See techo cal list"))
	case errors.As(err, &taken):
		e := env.Fail(tools.Conflict, "The time is taken: %s", titles(env, taken.Conflicts))
		for i := range taken.Conflicts {
			e.Details = append(e.Details, tools.Detail{Path: "/start", Message: summaryLine(env, &taken.Conflicts[i])})
		}
		return e.WithHint(env.Hint("techo cal suggest finds a free time"))
	case errors.As(err, &changed):
		return env.Fail(tools.Conflict, "The event changed since it was read").
			WithHint(env.Hint("Read it again with techo cal get %s", changed.ID))
	case errors.As(err, &uneven):
		e := env.Fail(tools.InvalidInput, "The rule of the series does not fit this start: %s", uneven.Rule)
		e.Details = []tools.Detail{{Path: "/start", Message: e.Message}}
		return e.WithHint(env.Hint("Also give a new rule with --recurrence"))
	}
	return err
}

// newNameError is the error of a new calendar whose name has a slash.
func newNameError(env *tools.Env, name string) error {
	return env.Fail(tools.InvalidInput, "The name of a new calendar cannot have a slash: %s", name).
		WithHint(env.Hint("A calendar of a shared space is named like this: --space team --calendar default"))
}

// titles joins the titles of at most three events.
func titles(env *tools.Env, all []store.Occurrence) string {
	var names []string
	for i, o := range all {
		if i == 3 {
			names = append(names, "…")
			break
		}
		names = append(names, titleOrPlaceholder(env, o.Title))
	}
	return strings.Join(names, env.Localize(", "))
}

func titleOrPlaceholder(env *tools.Env, title string) string {
	if strings.TrimSpace(title) == "" {
		return env.Localize("(no title)")
	}
	return title
}
