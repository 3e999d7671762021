package calendar

import (
	"slices"
	"strings"
	"time"

	"techo/internal/zone"
	"techo/store"
	"techo/tools"
)

// googleTime is a time in Google's format: a day or an instant.
type googleTime struct {
	Date     string `json:"date,omitempty"`
	DateTime string `json:"dateTime,omitempty"`
	TimeZone string `json:"timeZone,omitempty"`
}

// googleEvent is an event in Google's format.
type googleEvent struct {
	ID               string      `json:"id,omitempty"`
	Etag             string      `json:"etag,omitempty"`
	Status           string      `json:"status,omitempty"`
	Summary          string      `json:"summary"`
	Location         string      `json:"location"`
	Description      string      `json:"description"`
	Start            *googleTime `json:"start,omitempty"`
	End              *googleTime `json:"end,omitempty"`
	Transparency     string      `json:"transparency,omitempty"`
	Recurrence       []string    `json:"recurrence,omitempty"`
	RecurringEventID string      `json:"recurringEventId,omitempty"`
	OriginalStart    *googleTime `json:"originalStartTime,omitempty"`
	ICalUID          string      `json:"iCalUID,omitempty"`
	Attendees        []struct {
		Self           bool   `json:"self,omitempty"`
		ResponseStatus string `json:"responseStatus,omitempty"`
	} `json:"attendees,omitempty"`
	Properties *googleProperties `json:"extendedProperties,omitempty"`
}

// googleProperties are properties that programs add to an event.
type googleProperties struct {
	Private map[string]string `json:"private,omitempty"`
}

// occurrence converts an event from Google. ok is false for an event without
// times, such as a cancelled occurrence.
func (g *googleEvent) occurrence(env *tools.Env, calendar string) (o store.Occurrence, ok bool) {
	e := store.Event{
		ID: g.ID, UID: g.ICalUID, Calendar: calendar, Title: g.Summary, Location: g.Location,
		Description: g.Description,
		Status:      g.Status, Free: g.Transparency == "transparent", Recurrence: g.Recurrence, Etag: g.Etag,
	}
	if e.Status == "" {
		e.Status = store.Confirmed
	}
	for _, a := range g.Attendees {
		if a.Self {
			e.Declined, e.Pending = a.ResponseStatus == "declined", a.ResponseStatus == "needsAction"
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
		e.Form, e.Start, e.Days = store.AllDay, first, max(1, int(end.Sub(first)/(24*time.Hour)))
	} else {
		from, err1 := time.Parse(time.RFC3339, g.Start.DateTime)
		to, err2 := time.Parse(time.RFC3339, g.End.DateTime)
		if err1 != nil || err2 != nil {
			return o, false
		}
		e.Zone = zoneName(env)
		if loc, ok := zone.Find(g.Start.TimeZone); ok {
			home, e.Zone = loc, loc.String()
		}
		e.SetStart(from, home)
		e.Length = max(0, to.Sub(from))
	}
	o = store.Occurrence{Event: &e, Wall: e.Start, Original: e.RecurrenceID}
	o.From, o.To = e.Span(e.Start, home)
	return o, true
}

// matches reports whether an event has the content of a change.
func (g *googleEvent) matches(patch *googleEvent) bool {
	return g.Summary == patch.Summary && g.Location == patch.Location && g.Description == patch.Description &&
		g.Status == patch.Status &&
		(g.Transparency == "transparent") == (patch.Transparency == "transparent") && sameTime(g.Start, patch.Start) &&
		sameTime(g.End, patch.End) &&
		(patch.Recurrence == nil || slices.Equal(g.Recurrence, patch.Recurrence))
}

// toGoogle converts an event to Google's format. It always sets the transparency,
// because the API's default may differ from the calendar's.
func toGoogle(e *store.Event) *googleEvent {
	g := &googleEvent{Summary: e.Title, Location: e.Location, Description: e.Description, Status: e.Status,
		Transparency: "opaque", Recurrence: e.Recurrence}
	if e.Free {
		g.Transparency = "transparent"
	}
	if e.Form == store.AllDay {
		g.Start = &googleTime{Date: e.Start.Format(time.DateOnly)}
		g.End = &googleTime{Date: e.Start.AddDate(0, 0, e.Days).Format(time.DateOnly)}
		return g
	}
	loc, ok := zone.Find(e.Zone)
	if !ok {
		loc = time.UTC
	}
	from, to := e.Span(e.Start, loc)
	name := loc.String()
	if strings.HasPrefix(name, "UTC+") || strings.HasPrefix(name, "UTC-") { // Google does not accept such names
		name = "UTC"
	}
	g.Recurrence = nil
	for _, l := range e.Recurrence {
		g.Recurrence = append(g.Recurrence, store.StrictRule(e, l, loc))
	}
	g.Start = &googleTime{DateTime: from.Format(time.RFC3339), TimeZone: name}
	g.End = &googleTime{DateTime: to.Format(time.RFC3339), TimeZone: name}
	return g
}
