package store

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"techo/internal/zone"
	"techo/store/kv"
)

// EventForm is how an event's times are meant.
type EventForm int

// The forms of an event.
const (
	Timed    EventForm = iota // on clocks of its zone
	Floating                  // on clocks wherever one is
	AllDay                    // days, wherever one is
)

// DefaultCalendar is the calendar of events that name none.
const DefaultCalendar = "default"

// NoUID begins the UID of an event that came without one.
const NoUID = "no-uid-"

// Statuses of an event.
const (
	Confirmed = "confirmed"
	Tentative = "tentative"
	Cancelled = "cancelled"
)

// Event is something at a time, once or again and again.
type Event struct {
	ID       string
	UID      string // the same in every calendar program
	Calendar string

	Title       string
	Location    string
	Description string

	// Start is a wall clock, its fields in UTC: in Zone, or wherever one is. The
	// event ends Days days of the calendar and Length of passing time later.
	Start     time.Time
	Form      EventForm
	Zone      string // its name in the time zone database, or of ZoneRules
	ZoneRules string // a VTIMEZONE for a zone that the database does not have
	Days      int
	Length    time.Duration

	// Recurrence holds lines RRULE, RDATE, EXDATE and EXRULE of RFC 5545. Days and
	// times of RDATE and EXDATE are in UTC for a timed event, else as they are.
	Recurrence []string
	// RecurrenceID says which occurrence of the series with the same UID this
	// event stands for, in the form of OccurrenceID.
	RecurrenceID string
	// Exceptions are those of a series that events of their own stand for.
	Exceptions []string

	Status   string
	Free     bool // it blocks no time
	Declined bool // the owner said no
	Pending  bool // the owner has not answered
	Group    string
	Expires  time.Time // of a hold; zero is never
	Never    bool      // its rule matches no time: it is shown at its start alone
	Sequence int
	Extra    []string // content lines that are kept for others, to the letter

	CreatedAt time.Time
	UpdatedAt time.Time
	Etag      string // changes whenever the event does
}

// Recurs reports whether the event is a series.
func (e *Event) Recurs() bool { return len(e.Recurrence) > 0 && e.RecurrenceID == "" }

// Busy reports whether the event takes its time.
func (e *Event) Busy() bool { return !e.Free && !e.Declined && e.Status != Cancelled }

// End is the wall clock of the event's end, where its clocks do not change
// meanwhile; Span knows better.
func (e *Event) End() time.Time { return e.Start.AddDate(0, 0, e.Days).Add(e.Length) }

// Span returns from when to when an occurrence lasts that begins at a wall
// clock. loc is the event's zone, or for other than timed events the one that
// one is in.
func (e *Event) Span(wall time.Time, loc *time.Location) (from, to time.Time) {
	from = zone.Instant(wall, loc)
	if e.Form != Timed {
		return from, zone.Instant(wall.AddDate(0, 0, e.Days).Add(e.Length), loc)
	}
	if to = from; e.Days != 0 {
		to = zone.Instant(wall.AddDate(0, 0, e.Days), loc)
	}
	return from, to.Add(e.Length)
}

// Occurrence is an event, or one of a series, at its time. Those of one series
// share the event, which is large.
type Occurrence struct {
	*Event
	From, To time.Time
	Wall     time.Time // its start on the event's clock
	Original string    // OccurrenceID in the series, "" for an event that stands alone
}

// ID names the occurrence: the event's id and, in a series, which.
func (o *Occurrence) ID() string {
	if o.Original == "" || o.RecurrenceID != "" {
		return o.Event.ID
	}
	return o.Event.ID + "_" + o.Original
}

// OccurrenceID names an occurrence of a series by its start: 20260105T010000Z,
// 20260105T100000 where it floats, 20260105 for a day.
func (e *Event) OccurrenceID(wall time.Time, loc *time.Location) string {
	switch e.Form {
	case AllDay:
		return wall.Format("20060102")
	case Floating:
		return wall.Format("20060102T150405")
	}
	return zone.Instant(wall, loc).UTC().Format("20060102T150405Z")
}

// EventProblem says why an event could not be followed.
type EventProblem struct {
	ID, Title string
	Reason    string
}

// GetEvent returns an event, or one occurrence of a series, by its id. loc is
// where floating events and days are looked at.
func (s *Store) GetEvent(ctx context.Context, id string, loc *time.Location) (o Occurrence, err error) {
	err = s.view(ctx, func(tx kv.Tx) error {
		o, err = s.newEvents(tx).get(id, loc)
		return err
	})
	return o, err
}

// get finds an event, an occurrence of a series, or a series, which stands for
// its first occurrence.
func (t *events) get(id string, loc *time.Location) (o Occurrence, err error) {
	e, err := t.load(id)
	if errors.Is(err, kv.ErrNotFound) {
		master, original, ok := cutOccurrence(id)
		if !ok {
			return o, &NotFoundError{Noun: "event", Name: id}
		}
		if e, err = t.load(master); errors.Is(err, kv.ErrNotFound) || err == nil && !e.Recurs() {
			return o, &NotFoundError{Noun: "event", Name: id}
		}
		if err != nil {
			return o, err
		}
		return t.occurrence(e, original, loc)
	}
	if err != nil {
		return o, err
	}
	if t.expired(&e) {
		return o, &NotFoundError{Noun: "event", Name: id}
	}
	return t.first(e, loc), nil
}

// first is an event at the time that it is written with.
func (t *events) first(e Event, loc *time.Location) Occurrence {
	o := Occurrence{Event: &e, Wall: e.Start, Original: e.RecurrenceID}
	o.From, o.To = e.Span(e.Start, t.location(&e, loc))
	return o
}

// occurrence finds one of a series.
func (t *events) occurrence(e Event, original string, loc *time.Location) (o Occurrence, err error) {
	missing := &NotFoundError{Noun: "event", Name: e.ID + "_" + original}
	home := t.location(&e, loc)
	wall, err := ReadOccurrence(original, home)
	if err != nil || slices.Contains(e.Exceptions, original) {
		return o, missing
	}
	x := t.expander(&e, home)
	if x.err != nil {
		return o, missing
	}
	found := false
	x.walk(wall, wall.Add(time.Second), func(w time.Time) bool {
		if w.Equal(wall) {
			o = Occurrence{Event: &e, Wall: w, Original: original}
			o.From, o.To = e.Span(w, home)
			found = true
		}
		return !found
	})
	if !found {
		return o, missing
	}
	return o, nil
}

// cutOccurrence splits the id of an occurrence.
func cutOccurrence(id string) (master, original string, ok bool) {
	i := strings.LastIndexByte(id, '_')
	if i <= 0 {
		return "", "", false
	}
	return id[:i], strings.ToUpper(id[i+1:]), true
}

// ReadOccurrence reads an OccurrenceID into a wall clock of the series.
func ReadOccurrence(original string, home *time.Location) (time.Time, error) {
	switch len(original) {
	case 8:
		return time.Parse("20060102", original)
	case 15:
		return time.Parse("20060102T150405", original)
	}
	t, err := time.Parse("20060102T150405Z", original)
	return zone.Wall(t, home), err
}

// expired reports whether an event was a hold that ran out.
func (t *events) expired(e *Event) bool {
	return !e.Expires.IsZero() && !e.Expires.After(t.now)
}
