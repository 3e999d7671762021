// Package agenda has what the tools of events, to-dos and free time share: the forms of inputs and
// results, and the way to the calendars that a call names.
package agenda

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"techo/store/event"
	"techo/store/ledger"
	"techo/tools"
	"techo/tools/calendar/ics"
	"techo/tools/when"
)

// Event is an event or an occurrence of a series in a result.
type Event struct {
	EventID          string   `json:"event_id"`
	Title            string   `json:"title"`
	Start            string   `json:"start"`                    // RFC 3339, or a day
	End              string   `json:"end" compact:"time=start"` // exclusive: for days, the day after the last one
	EndDate          string   `json:"end_date,omitempty" compact:"-"`
	AllDay           bool     `json:"all_day"`
	Location         string   `json:"location"`
	Description      string   `json:"description"`
	Timezone         string   `json:"timezone" compact:"-"`     // the zone of start and end
	EventTimezone    string   `json:"event_timezone,omitempty"` // the event's own zone, if different
	Floating         bool     `json:"floating,omitempty"`       // in local time everywhere
	Weekday          string   `json:"weekday"`
	Status           string   `json:"status"`
	Busy             bool     `json:"busy"`
	Recurrence       []string `json:"recurrence"`
	RecurringEventID string   `json:"recurring_event_id,omitempty"`
	HoldExpires      string   `json:"hold_expires,omitempty"`
	Group            string   `json:"group,omitempty"`
	ics.Details
	Calendar string `json:"calendar"`
	Space    string `json:"space,omitempty"` // the shared space that has the calendar
	UID      string `json:"uid" compact:"-"`
	Etag     string `json:"etag"`
}

// ToEvent converts an occurrence.
func ToEvent(env *tools.Env, o *event.Occurrence) Event {
	e := Event{
		EventID: o.ID(), Title: o.Title, AllDay: o.Form == event.AllDay, Location: o.Location,
		Description: o.Description,
		Timezone:    when.ZoneName(env), Floating: o.Form == event.Floating, Status: o.Status, Busy: o.Busy(),
		Recurrence: o.Recurrence, Group: o.Group, Details: ics.DetailsOf(env, o.Event),
		Calendar: o.Calendar, Space: cmp.Or(o.Space, tools.Space(env)), UID: ics.PublicUID(o.Event), Etag: o.Etag,
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
	if o.Form == event.Timed && o.Zone != e.Timezone {
		e.EventTimezone = o.Zone
	}
	e.Start, e.End = env.Time(o.From), env.Time(o.To)
	e.Weekday = o.From.In(env.Zone).Weekday().String()
	return e
}

// ToEvents returns occurrences in the form of results.
func ToEvents(env *tools.Env, all []event.Occurrence) []Event {
	events := make([]Event, 0, len(all))
	for i := range all {
		events = append(events, ToEvent(env, &all[i]))
	}
	return events
}

// maxRenames limits the renamings that a call can meet.
const maxRenames = 20

// DespiteRenaming runs fn, which finds the calendars that the caller asked for and reads
// or changes them in transactions of their own. It runs fn again if a calendar that the
// caller did not name was renamed or removed in between, or if another one, at a service,
// was chosen as the default.
func DespiteRenaming[T any](asked []string, fn func() (T, error)) (T, error) {
	for n := 0; ; n++ {
		result, err := fn()
		missing := new(ledger.NotFoundError)
		named := func(name string) bool { return name == missing.Name || strings.HasSuffix(name, "/"+missing.Name) }
		gone := errors.As(err, &missing) && missing.Kind == ledger.KindCalendar && !slices.ContainsFunc(asked, named)
		if !gone && !errors.As(err, new(*event.RemoteCalendarError)) || n == maxRenames {
			return result, err
		}
	}
}

// Widths in columns: of the grid without a terminal, and of a day.
const (
	gridWidth      = 120
	narrowestDay   = 6
	widestDay      = 24
	daysOfWeek     = 7
	gridSeparators = daysOfWeek + 1
)

// DayWidth returns the width of a day in the grid, in columns.
func DayWidth(env *tools.Env) int {
	width := 0
	if env.Calendars.Columns != nil {
		width = env.Calendars.Columns()
	}
	if width <= 0 {
		width = gridWidth
	}
	return min(max((width-gridSeparators)/daysOfWeek, narrowestDay), widestDay)
}

// IndentContinuation indents the lines of a text after the first, to keep them in
// their list item.
func IndentContinuation(text string) string {
	return strings.ReplaceAll(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n", "\n  ")
}
