// Package event has calendars and their events: records, indexes by time, recurrence and queries.
package event

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"techo/internal/zone"
	"techo/store/kv"
	"techo/store/ledger"
)

// Form is the meaning of the times of an event.
type Form int

// The forms of an event.
const (
	Timed    Form = iota // in the time zone of the event
	Floating             // in the local time of the reader
	AllDay               // whole days, in the local time of the reader
)

// DefaultCalendar is the calendar of events that name no calendar.
const DefaultCalendar = "default"

// NoUID is the prefix of UIDs for events that came without one.
const NoUID = "no-uid-"

// The statuses of an event.
const (
	Confirmed = "confirmed"
	Tentative = "tentative"
	Cancelled = "cancelled"
)

// Event is a single event or a series of events.
type Event struct {
	ID       string
	UID      string // identical in all calendar programs
	Calendar string
	Space    string // the shared space that has it, in results of several stores; not stored

	Title       string
	Location    string
	Description string

	// Start is a local time, with its fields in UTC: local to Zone, or to the reader.
	// The event ends Days calendar days and Length of elapsed time later.
	Start     time.Time
	Later     bool // Start is the second of two equal local times
	Form      Form
	Zone      string // name in the time zone database, or of ZoneRules
	ZoneRules string // a VTIMEZONE for a zone that the database lacks
	Days      int
	Length    time.Duration

	// Recurrence has lines RRULE, RDATE, EXDATE and EXRULE of RFC 5545. RDATE and
	// EXDATE of a timed event are in UTC, in other events they are local.
	Recurrence []string
	// RecurrenceID is set in an event that replaces one occurrence of the series with
	// the same UID: it is the OccurrenceID of that occurrence.
	RecurrenceID string
	// Exceptions lists the occurrences of a series that other events replace.
	Exceptions []string

	Status   string
	Free     bool // does not block its time
	Declined bool // declined by the owner
	Pending  bool // not yet answered by the owner
	Group    string
	Expires  time.Time // of a hold; zero means never
	Never    bool      // the rule matches no time: only the start is shown
	Sequence int
	Extra    []string // iCalendar lines that techo does not use, kept verbatim

	// The rest describes the file that an import reads the event from, and is not stored: its
	// iTIP method, whether it has the sequence number, and its place.
	Method    string
	Sequenced bool
	Line      int  // of its BEGIN
	Alone     bool // it replaces an occurrence of a series that the file does not have
	Future    bool // it stands for all later occurrences too (RANGE=THISANDFUTURE)

	Stamp time.Time // DTSTAMP of the message that it comes from; stored

	CreatedAt time.Time
	UpdatedAt time.Time
	Etag      string // changes with every change of the event
}

// Recurs reports whether the event is a series.
func (e *Event) Recurs() bool { return len(e.Recurrence) > 0 && e.RecurrenceID == "" }

// Busy reports whether the event blocks its time.
func (e *Event) Busy() bool { return !e.Free && !e.Declined && e.Status != Cancelled }

// End returns the local time of the end if no clock changes in between; Span is
// exact.
func (e *Event) End() time.Time { return e.Start.AddDate(0, 0, e.Days).Add(e.Length) }

// Span returns the start and the end of the occurrence that begins at a local
// time. loc is the event's zone or, for events that are not timed, the reader's.
func (e *Event) Span(wall time.Time, loc *time.Location) (from, to time.Time) {
	from = e.Instant(wall, loc)
	if e.Form != Timed {
		return from, zone.Instant(wall.AddDate(0, 0, e.Days).Add(e.Length), loc)
	}
	if to = from; e.Days != 0 {
		to = zone.Instant(wall.AddDate(0, 0, e.Days), loc)
	}
	return from, to.Add(e.Length)
}

// SetStart sets the start to an instant, as a local time of loc.
func (e *Event) SetStart(at time.Time, loc *time.Location) {
	e.Start = zone.Wall(at, loc)
	e.Later = !zone.Instant(e.Start, loc).Equal(at)
}

// Instant returns the instant of the occurrence that begins at a local time.
func (e *Event) Instant(wall time.Time, loc *time.Location) time.Time {
	if e.Later && wall.Equal(e.Start) {
		return zone.Latest(wall, loc)
	}
	return zone.Instant(wall, loc)
}

// Occurrence is a single event or one occurrence of a series. Occurrences of a
// series share the Event, which is large.
type Occurrence struct {
	*Event
	From, To time.Time
	Wall     time.Time // start in the local time of the event
	Original string    // OccurrenceID within the series, "" for a single event

	home *time.Location // of the series, if Original is not set yet
}

// Identify sets Original, which a query for busy events leaves out.
func (o *Occurrence) Identify() {
	if o.home != nil {
		o.Original, o.home = o.OccurrenceID(o.Wall, o.home), nil
	}
}

// ID returns the id of the event and, in a series, of the occurrence.
func (o *Occurrence) ID() string {
	if o.Original == "" || o.RecurrenceID != "" {
		return o.Event.ID
	}
	return o.Event.ID + "_" + o.Original
}

// OccurrenceID returns the id of an occurrence within its series, from its start:
// 20260105T010000Z, 20260105T100000 for a floating event, 20260105 for a day.
func (e *Event) OccurrenceID(wall time.Time, loc *time.Location) string {
	switch e.Form {
	case AllDay:
		return wall.Format("20060102")
	case Floating:
		return wall.Format("20060102T150405")
	}
	return e.Instant(wall, loc).UTC().Format("20060102T150405Z")
}

// ProblemCode is a reason why the occurrences of an event are incomplete.
type ProblemCode string

// The problems of events.
const (
	TooManyOccurrences ProblemCode = "too many occurrences"
	NoMatchingTime     ProblemCode = "no time matches its rule"
	UnreadableRule     ProblemCode = "its rule cannot be read"
	NoTime             ProblemCode = "no time" // of an event of another service
	PartUnread         ProblemCode = "a part was not read"
)

// Problem reports an event whose occurrences a query could not all find.
type Problem struct {
	ID, Title, Calendar, UID string
	Code                     ProblemCode
	Cause                    error  // of an UnreadableRule
	Unread                   Unread // of a PartUnread
}

// Uncertain reports whether the calendar may have more busy times between two instants than a query
// found.
func (p *Problem) Uncertain(from, to time.Time) bool {
	switch p.Code {
	case NoMatchingTime:
		return false
	case PartUnread:
		u := &p.Unread
		return u.Times && (u.From == 0 || u.From < to.Unix()) && (u.To == 0 || u.To > from.Unix())
	}
	return true
}

// Unread is a part of an object of another server that could not be read. What it says is unknown.
type Unread struct {
	Href  string   `json:"href,omitempty"` // of the object at a CalDAV server
	UID   string   `json:"uid,omitempty"`
	Title string   `json:"title,omitempty"`
	Text  string   `json:"text"` // of a message with Args
	Args  []string `json:"args,omitempty"`

	// Times means that the event may be at other times, which lie between From and To, in seconds
	// since 1970. 0 is unknown.
	Times bool  `json:"times,omitempty"`
	From  int64 `json:"from,omitempty"`
	To    int64 `json:"to,omitempty"`
}

// MaxUnread limits the unread parts that are kept for a calendar.
const MaxUnread = 200

// Events are the calendars of a store and their events.
type Events struct{ *ledger.Ledger }

// GetEvent returns the event or the occurrence with an id. loc is the zone for
// floating and all-day events.
func (s Events) GetEvent(ctx context.Context, id string, loc *time.Location) (o Occurrence, err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		o, err = NewTx(tx).Get(id, loc)
		return err
	})
	return o, err
}

// Get finds an event or an occurrence. The id of a series selects its first
// occurrence.
func (t *Tx) Get(id string, loc *time.Location) (o Occurrence, err error) {
	e, err := t.Load(id)
	if errors.Is(err, kv.ErrNotFound) {
		master, original, ok := cutOccurrence(id)
		if !ok {
			return o, &ledger.NotFoundError{Kind: ledger.KindEvent, Name: id}
		}
		if e, err = t.Load(master); errors.Is(err, kv.ErrNotFound) || err == nil && !e.Recurs() {
			return o, &ledger.NotFoundError{Kind: ledger.KindEvent, Name: id}
		}
		if err != nil {
			return o, err
		}
		return t.OccurrenceOf(e, original, loc)
	}
	if err != nil {
		return o, err
	}
	if t.expired(&e) {
		return o, &ledger.NotFoundError{Kind: ledger.KindEvent, Name: id}
	}
	return t.First(e, loc), nil
}

// First returns the occurrence at the start of an event.
func (t *Tx) First(e Event, loc *time.Location) Occurrence {
	o := Occurrence{Event: &e, Wall: e.Start, Original: e.RecurrenceID}
	o.From, o.To = e.Span(e.Start, t.Location(&e, loc))
	return o
}

// OccurrenceOf returns an occurrence of a series by its OccurrenceID. If no event has it, or another event replaces
// it, the error is a NotFoundError.
func (t *Tx) OccurrenceOf(e Event, original string, loc *time.Location) (o Occurrence, err error) {
	missing := &ledger.NotFoundError{Kind: ledger.KindEvent, Name: e.ID + "_" + original}
	home := t.Location(&e, loc)
	wall, err := ReadOccurrence(original, home)
	if err != nil || slices.Contains(e.Exceptions, original) {
		return o, missing
	}
	x := t.Expander(&e, home)
	if x.Err != nil {
		return o, missing
	}
	found := false
	for _, back := range []time.Duration{0, Slack} { // clocks may skip its time
		x.Walk(wall.Add(-back), wall.Add(time.Second), func(w time.Time) bool {
			if e.shown(w, home).Equal(wall) {
				o = Occurrence{Event: &e, Wall: w, Original: original}
				o.From, o.To = e.Span(w, home)
				found = true
			}
			return !found
		})
		if found {
			return o, nil
		}
	}
	return o, missing
}

// cutOccurrence splits the id of an occurrence into the ids of the series and
// within it.
func cutOccurrence(id string) (master, original string, ok bool) {
	i := strings.LastIndexByte(id, '_')
	if i <= 0 {
		return "", "", false
	}
	return id[:i], strings.ToUpper(id[i+1:]), true
}

// ReadOccurrence parses an OccurrenceID into a local time of the series.
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

// expired reports whether an event is a hold that expired.
func (t *Tx) expired(e *Event) bool {
	return !e.Expires.IsZero() && !e.Expires.After(t.now)
}
