package google

import (
	"slices"
	"strings"
	"time"

	"techo/internal/zone"
	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/ics"
	"techo/tools/when"
)

// Time is a time in Google's format: a day or an instant.
type Time struct {
	Date     string `json:"date,omitempty"`
	DateTime string `json:"dateTime,omitempty"`
	TimeZone string `json:"timeZone,omitempty"`
}

// Event is an event in Google's format.
type Event struct {
	ID               string    `json:"id,omitempty"`
	Etag             string    `json:"etag,omitempty"`
	Created          time.Time `json:"created,omitzero"`
	Updated          time.Time `json:"updated,omitzero"`
	Status           string    `json:"status,omitempty"`
	Summary          string    `json:"summary"`
	Location         string    `json:"location"`
	Description      string    `json:"description"`
	Start            *Time     `json:"start,omitempty"`
	End              *Time     `json:"end,omitempty"`
	Transparency     string    `json:"transparency,omitempty"`
	Recurrence       []string  `json:"recurrence,omitempty"`
	RecurringEventID string    `json:"recurringEventId,omitempty"`
	OriginalStart    *Time     `json:"originalStartTime,omitempty"`
	ICalUID          string    `json:"iCalUID,omitempty"`
	Sequence         int       `json:"sequence,omitempty"`

	Attendees  []attendee  `json:"attendees,omitempty"`
	Organizer  attendee    `json:"organizer,omitempty"`
	Reminders  *reminders  `json:"reminders,omitempty"`
	Source     *source     `json:"source,omitempty"`
	ColorID    string      `json:"colorId,omitempty"`
	Properties *properties `json:"extendedProperties,omitempty"`
}

// properties are properties that programs add to an event.
type properties struct {
	Private map[string]string `json:"private,omitempty"`
}

// Occurrence converts an event from Google. ok is false for an event without
// times, such as a cancelled occurrence.
func (g *Event) Occurrence(env *tools.Env, calendar string) (o event.Occurrence, ok bool) {
	e := event.Event{
		ID: g.ID, UID: g.ICalUID, Calendar: calendar, Title: g.Summary, Location: g.Location,
		Description: g.Description,
		Status:      g.Status, Free: g.Transparency == "transparent", Recurrence: g.Recurrence, Etag: g.Etag,
		CreatedAt: g.Created, UpdatedAt: g.Updated, Sequence: g.Sequence, Extra: g.detailLines(),
	}
	if e.Status == "" {
		e.Status = event.Confirmed
	}
	for _, a := range g.Attendees {
		if a.is("self") {
			e.Declined, e.Pending = a.text("responseStatus") == "declined", a.text("responseStatus") == "needsAction"
		}
	}
	if g.Start == nil || g.End == nil {
		return o, false
	}
	if g.RecurringEventID != "" {
		e.RecurrenceID = strings.TrimPrefix(g.ID, g.RecurringEventID+"_")
	}
	home := env.Zone
	if g.Start.Date != "" {
		first, err1 := time.Parse(time.DateOnly, g.Start.Date)
		end, err2 := time.Parse(time.DateOnly, g.End.Date)
		if err1 != nil || err2 != nil {
			return o, false
		}
		e.Form, e.Start, e.Days = event.AllDay, first, max(1, int(end.Sub(first)/(24*time.Hour)))
	} else {
		from, err1 := time.Parse(time.RFC3339, g.Start.DateTime)
		to, err2 := time.Parse(time.RFC3339, g.End.DateTime)
		if err1 != nil || err2 != nil {
			return o, false
		}
		e.Zone = when.ZoneName(env)
		if loc, ok := zone.Find(g.Start.TimeZone); ok {
			home, e.Zone = loc, loc.String()
		}
		e.SetStart(from, home)
		e.Length = max(0, to.Sub(from))
	}
	o = event.Occurrence{Event: &e, Wall: e.Start, Original: e.RecurrenceID}
	o.From, o.To = e.Span(e.Start, home)
	return o, true
}

// matches reports whether an event has the content of another.
func (g *Event) matches(other *Event) bool { return len(g.changes(other)) == 0 }

// changes returns the patch that gives an event the content of another: only the
// fields that differ. A patch merges objects, so a time says which of its keys to
// remove: a day has no dateTime. A field that is nil is removed.
func (g *Event) changes(after *Event) map[string]any {
	patch := map[string]any{}
	for _, f := range []struct{ name, before, after string }{{"summary", g.Summary, after.Summary},
		{"location", g.Location, after.Location}, {"description", g.Description, after.Description},
		{"status", g.Status, after.Status}} {
		if f.before != f.after {
			patch[f.name] = f.after
		}
	}
	if (g.Transparency == "transparent") != (after.Transparency == "transparent") {
		patch["transparency"] = after.Transparency
	}
	if !sameTime(g.Start, after.Start) || !sameTime(g.End, after.End) {
		patch["start"], patch["end"] = after.Start.patch(), after.End.patch()
	}
	switch {
	case slices.Equal(g.Recurrence, after.Recurrence):
	case len(after.Recurrence) == 0:
		patch["recurrence"] = nil
	default: // a series needs the time zone of its start
		patch["recurrence"], patch["start"], patch["end"] = after.Recurrence, after.Start.patch(), after.End.patch()
	}
	g.detailChanges(after, patch)
	return patch
}

// patch returns a time with null for the keys that it does not have.
func (t *Time) patch() map[string]any {
	if t.Date != "" {
		return map[string]any{"date": t.Date, "dateTime": nil, "timeZone": nil}
	}
	return map[string]any{"date": nil, "dateTime": t.DateTime, "timeZone": t.TimeZone}
}

// sameTime compares two times in any notation.
func sameTime(a, b *Time) bool {
	x, err1 := time.Parse(time.RFC3339, a.DateTime)
	y, err2 := time.Parse(time.RFC3339, b.DateTime)
	if err1 != nil || err2 != nil {
		return a.Date == b.Date && a.DateTime == b.DateTime
	}
	return x.Equal(y)
}

// toGoogle converts an event to Google's format. It always sets the transparency,
// because the API's default may differ from the calendar's.
func toGoogle(env *tools.Env, e *event.Event) *Event {
	g := &Event{Summary: e.Title, Location: e.Location, Description: e.Description, Status: e.Status,
		Transparency: "opaque", Recurrence: e.Recurrence}
	if e.Free {
		g.Transparency = "transparent"
	}
	g.setDetails(env, e)
	if e.Form == event.AllDay {
		g.Recurrence = nil
		for _, l := range e.Recurrence {
			g.Recurrence = append(g.Recurrence, googleDays(l))
		}
		g.Start = &Time{Date: e.Start.Format(time.DateOnly)}
		g.End = &Time{Date: e.Start.AddDate(0, 0, e.Days).Format(time.DateOnly)}
		return g
	}
	loc := ics.ZoneOf(e, time.UTC)
	from, to := e.Span(e.Start, loc)
	name := loc.String()
	if _, known := zone.Find(name); !known {
		name = "UTC"
	}
	if strings.HasPrefix(name, "UTC+") || strings.HasPrefix(name, "UTC-") { // Google does not accept such names
		name = "UTC"
	}
	g.Recurrence = nil
	for _, l := range e.Recurrence {
		g.Recurrence = append(g.Recurrence, event.StrictRule(e, l, loc))
	}
	g.Start = &Time{DateTime: from.Format(time.RFC3339), TimeZone: name}
	g.End = &Time{DateTime: to.Format(time.RFC3339), TimeZone: name}
	return g
}

// googleDays returns a line of the recurrence of an all-day event: RDATE and EXDATE
// say that they list days.
func googleDays(line string) string {
	for _, name := range []string{"RDATE", "EXDATE"} {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			return name + ";VALUE=DATE:" + rest
		}
	}
	return line
}
