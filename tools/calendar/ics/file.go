// Package ics reads and writes iCalendar files, and the lines of an event that techo keeps as they
// are.
package ics

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"techo/internal/ical"
	"techo/internal/sorting"
	"techo/store/event"
	"techo/store/todo"
	"techo/tools"
)

// Problem is a part of a file that could not be read, or a rule that could not be
// followed. The rest was kept.
type Problem struct {
	Line    int    `json:"line,omitempty"`
	EventID string `json:"event_id,omitempty"`
	Title   string `json:"title,omitempty"`
	Message string `json:"message"`
}

// Read is the result of ReadICS.
type Read struct {
	Problems []Problem // in the order of the file, at most MaxProblems
	Total    int       // number of all problems
	Skipped  int       // components other than events and to-dos: journals
	None     bool      // the file has no calendar
}

// MaxProblems limits the problems that are listed for a file.
const MaxProblems = 1000

// Emit receives what ReadICS reads. A nil function discards it.
type Emit struct {
	Events func([]event.Event) error
	Todos  func([]todo.Todo) error
}

// batchSize is the number of events that are emitted at once.
const batchSize = 2000

// Parse reads the events of an iCalendar file. It passes them to emit in
// batches, so that a large file needs little memory. An invalid part becomes a
// problem with its line number, and the rest is kept. me is the owner's address,
// whose answers to invitations count; it may be "".
//
// It reads the file twice. The first pass finds time zones, which may follow the
// events that use them, repeated events, and overrides, which replace an
// occurrence of a series. The second pass emits the events; repeated events and
// overrides come last, because they need the others. To-dos follow as one batch.
func Parse(env *tools.Env, data []byte, me string, emit Emit) (Read, error) {
	r := reader{env: env, me: strings.ToLower(me), emit: emit, seed: maphash.MakeSeed(), zones: map[string]fileZone{},
		seen: map[string]int{}, masters: map[string]*event.Event{}, thisAndFuture: map[string]bool{},
		occurrencesSeen: map[uint64]uint8{}}
	ical.Each(data, r.firstPass)
	problems, total := ical.Each(data, r.secondPass)
	none := false
	for _, p := range problems {
		none = none || p.Fault == ical.NoContent
		r.problems = append(r.problems, Problem{Line: p.Line, Message: env.Localize(problemTexts[p.Fault], p.Text)})
	}
	r.total += total
	r.finish()
	sorting.By(r.problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return Read{r.problems[:min(len(r.problems), MaxProblems)], r.total, r.skipped, none}, r.err
}

// problemTexts describe invalid lines.
var problemTexts = map[ical.Fault]tools.Text{
	ical.BadLine:   "not a calendar line: %q",
	ical.StrayEnd:  "END:%s without its BEGIN",
	ical.NoEnd:     "BEGIN:%s without its END",
	ical.BadText:   "not UTF-8: %q",
	ical.TooDeep:   "components nested too deeply: %s",
	ical.TooLong:   "the line is too long and was cut%s",
	ical.NoContent: "the file has no calendar%s",
}

// fileZone is a time zone under the name that events keep.
type fileZone struct {
	loc   *time.Location
	name  string
	rules string
	ok    bool
}

type reader struct {
	env         *tools.Env
	me          string
	method      string // iTIP, of the calendar that is read
	emit        Emit
	err         error // of emit
	problems    []Problem
	total       int
	skipped     int
	customZones int
	zones       map[string]fileZone // by TZID
	defaultZone fileZone            // of times without a zone (X-WR-TIMEZONE)

	seed            maphash.Seed
	occurrencesSeen map[uint64]uint8 // by hash of UID and occurrence
	batch           []event.Event
	deferred        []*event.Event  // emitted at the end
	seen            map[string]int  // index in deferred by UID and occurrence
	overrides       []override      // events that replace an occurrence
	thisAndFuture   map[string]bool // overrides that apply to all later occurrences too
	masters         map[string]*event.Event
	todos           []foundTodo
}

// override is an event that is read after all others.
type override struct {
	c      *ical.Component
	home   fileZone
	method string
}

// Flags of a UID with its occurrence, or of a UID alone.
const (
	seenOnce uint8 = 1 << iota
	seenTwice
	hasOverride // an override of one of its occurrences exists
)

func (r *reader) hash(uid, recurrenceID string) uint64 {
	return maphash.String(r.seed, uid+"\x00"+recurrenceID)
}

// firstPass records zones, repeated events and overrides.
func (r *reader) firstPass(c, _ *ical.Component) {
	switch c.Name {
	case "VTIMEZONE":
		r.addZone(c)
	case "VEVENT":
		uid, original := uidOf(c), ""
		if p := c.Property("RECURRENCE-ID"); p != nil {
			original = p.Value
			r.occurrencesSeen[r.hash(uid, "")] |= hasOverride
		}
		h := r.hash(uid, original)
		if r.occurrencesSeen[h]&seenOnce != 0 {
			r.occurrencesSeen[h] |= seenTwice
		}
		r.occurrencesSeen[h] |= seenOnce
	}
}

// secondPass reads one component.
func (r *reader) secondPass(c, calendar *ical.Component) {
	switch {
	case r.err != nil || c.Name == "VTIMEZONE":
	case c.Name == "VTODO":
		r.todos = append(r.todos, foundTodo{c, r.calendarZone(calendar), methodOf(calendar)})
	case c.Name != "VEVENT":
		r.skipped++
	default:
		home := r.calendarZone(calendar)
		r.method = methodOf(calendar)
		switch r.method {
		case "COUNTER", "DECLINECOUNTER", "REFRESH":
			r.problem(c.Line, textOf(c, "SUMMARY"), "a message with METHOD:%s changes no event", r.method)
			return
		}
		if c.Property("RECURRENCE-ID") != nil {
			r.overrides = append(r.overrides, override{c, home, r.method})
			return
		}
		r.defaultZone = home
		r.readEvent(c)
	}
}

// methodOf returns the iTIP method of a calendar, or "".
func methodOf(calendar *ical.Component) string {
	if calendar == nil {
		return ""
	}
	return strings.ToUpper(strings.TrimSpace(textOf(calendar, "METHOD")))
}

// calendarZone returns the zone of a calendar's times without a zone.
func (r *reader) calendarZone(calendar *ical.Component) fileZone {
	if calendar == nil {
		return fileZone{}
	}
	p := calendar.Property("X-WR-TIMEZONE")
	if p == nil {
		return fileZone{}
	}
	return r.findZone(strings.TrimSpace(p.Text()), p.Line, "")
}

// finish reads the overrides and emits the deferred events.
func (r *reader) finish() {
	for _, e := range r.deferred {
		r.masters[e.UID] = e
	}
	for _, l := range r.overrides {
		r.defaultZone, r.method = l.home, l.method
		r.readEvent(l.c)
	}
	r.splitSeries()
	for _, e := range r.deferred {
		r.add(*e)
	}
	r.flush()
	if todos := readTodos(r); r.err == nil && len(todos) > 0 && r.emit.Todos != nil {
		r.err = r.emit.Todos(todos)
	}
}

// emitOrDefer emits an event, or defers one that needs others.
func (r *reader) emitOrDefer(e event.Event, line int) {
	if e.RecurrenceID == "" && r.occurrencesSeen[r.hash(e.UID, "")] == seenOnce {
		r.add(e)
		return
	}
	key := e.UID + "\x00" + e.RecurrenceID
	if i, twice := r.seen[key]; twice { // keep the newer version
		r.problem(line, e.Title, "a duplicate of an earlier event; the newer version is kept")
		if e.Sequence >= r.deferred[i].Sequence {
			*r.deferred[i] = e
		}
		return
	}
	r.seen[key] = len(r.deferred)
	r.deferred = append(r.deferred, &e)
}

func (r *reader) add(e event.Event) {
	if r.batch = append(r.batch, e); len(r.batch) == batchSize {
		r.flush()
	}
}

func (r *reader) flush() {
	if r.err == nil && len(r.batch) > 0 && r.emit.Events != nil {
		r.err = r.emit.Events(r.batch)
	}
	r.batch = r.batch[:0]
}

func (r *reader) problem(line int, title string, message tools.Text, args ...any) {
	if r.total++; len(r.problems) < MaxProblems {
		r.problems = append(r.problems, Problem{Line: line, Title: title, Message: r.env.Localize(message, args...)})
	}
}

// maxThisAndFuture limits the overrides of a file that apply to later occurrences.
// Further ones apply to a single occurrence.
const maxThisAndFuture = 100

// splitSeries applies RANGE=THISANDFUTURE: the old series ends there, and the
// override becomes a new series.
func (r *reader) splitSeries() {
	var starts []*event.Event
	for _, e := range r.deferred {
		if r.thisAndFuture[e.UID+"\x00"+e.RecurrenceID] && r.masters[e.UID] != nil && r.masters[e.UID].Recurs() {
			starts = append(starts, e)
		}
	}
	sorting.By(starts,
		func(a, b *event.Event) int { return strings.Compare(a.RecurrenceID, b.RecurrenceID) })
	for _, e := range starts {
		series := r.masters[e.UID]
		home := r.zoneOfEvent(series)
		wall, err := event.ReadOccurrence(e.RecurrenceID, home)
		if err != nil {
			continue
		}
		uid, original := e.UID, e.RecurrenceID
		tail := *e
		if wall.After(series.Start) {
			tail.UID += "_R" + original
		}
		tail.RecurrenceID = ""
		series.Recurrence, tail.Recurrence = event.SplitRecurrence(series, wall, home)
		move, err := event.Follow(&tail, tail.Recurrence, wall, home, r.zoneOfEvent(&tail))
		if err != nil {
			r.problem(0, e.Title, "the series cannot continue at %s: %v", original, err)
		}
		for _, o := range r.deferred {
			if w, err := event.ReadOccurrence(o.RecurrenceID, home); o != e && o.UID == uid && o.RecurrenceID != "" &&
				err == nil && !w.Before(wall) {
				o.UID, o.RecurrenceID = tail.UID, move(o.RecurrenceID)
			}
		}
		if *e = tail; tail.UID == uid { // it replaces the whole series
			*series = tail
			r.deferred = slices.DeleteFunc(r.deferred, func(o *event.Event) bool { return o == e })
			continue
		}
		r.masters[tail.UID] = e
	}
	// A series comes before its overrides.
	sorting.By(r.deferred,
		func(a, b *event.Event) int { return cmp.Compare(len(a.RecurrenceID), len(b.RecurrenceID)) })
}

// ReadByUID reads the events and to-dos of a file.
func ReadByUID(env *tools.Env, data []byte) (events map[string][]event.Event, todos map[string][]todo.Todo,
	err error) {
	events, todos = map[string][]event.Event{}, map[string][]todo.Todo{}
	_, err = Parse(env, data, "", Emit{Events: func(all []event.Event) error {
		for _, e := range all {
			events[e.UID] = append(events[e.UID], e)
		}
		return nil
	}, Todos: func(all []todo.Todo) error {
		for _, t := range all {
			todos[t.UID] = append(todos[t.UID], t)
		}
		return nil
	}})
	return events, todos, err
}
