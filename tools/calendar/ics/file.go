// Package ics reads and writes iCalendar files, and the lines of an event that techo keeps as they
// are.
package ics

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"techo/internal/ical"
	"techo/internal/recur"
	"techo/internal/sorting"
	"techo/store/event"
	"techo/store/todo"
	"techo/tools"
)

// Problem is a part of a file or of a calendar that could not be read, or a rule that could not be
// followed. The rest was kept.
type Problem struct {
	Line     int    `json:"line,omitempty"`
	EventID  string `json:"event_id,omitempty"`
	Calendar string `json:"calendar,omitempty"`
	UID      string `json:"uid,omitempty"`
	Title    string `json:"title,omitempty"`
	What     string `json:"what,omitempty"` // the message, in a calendar
	Message  string `json:"message"`

	unread event.Unread
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
// occurrence of a series. The second pass emits the events and to-dos; repeated ones and
// overrides come last, because they need the others.
func Parse(env *tools.Env, in *ical.Stream, me string, emit Emit) (Read, error) {
	r := reader{env: env, me: strings.ToLower(me), emit: emit, seed: maphash.MakeSeed(), zones: map[string]fileZone{},
		seen: map[string]int{}, masters: map[string]*event.Event{}, thisAndFuture: map[string]bool{},
		occurrencesSeen: map[uint64]uint8{}}
	if in.Encoding != UTF8 {
		r.problem(1, "", Encoded(in.Encoding), in.Encoding)
	}
	if _, _, err := in.Each(r.firstPass); err != nil {
		return Read{}, err
	}
	problems, total, err := in.Each(r.secondPass)
	if err != nil {
		return Read{}, err
	}
	none := false
	for _, p := range problems {
		none = none || p.Fault == ical.NoContent
		r.total--
		r.unread(p.Line, nil, hidesTimes(p), problemTexts[p.Fault], p.Text)
	}
	r.total += total
	r.finish()
	sorting.By(r.problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return Read{r.problems[:min(len(r.problems), MaxProblems)], r.total, r.skipped, none}, r.err
}

// UTF8 is the encoding that calendar files have.
const UTF8 = "utf-8"

// Encoded is the problem of a file in another encoding, which most files do not tell.
func Encoded(encoding string) tools.Text {
	if strings.HasPrefix(encoding, "utf-16") || encoding == "iso-2022-jp" {
		return "the file is not in UTF-8, and was read as %s"
	}
	return "the file is not in UTF-8, and was read as %s, which is a guess"
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

// hidesTimes reports whether a fault of a stream may hide when an event is.
func hidesTimes(p ical.Problem) bool {
	if p.Fault != ical.BadLine {
		return p.Fault == ical.NoEnd || p.Fault == ical.StrayEnd || p.Fault == ical.TooDeep
	}
	text := strings.ToUpper(strings.TrimSpace(p.Text))
	return slices.ContainsFunc(timeProperties, func(name string) bool { return strings.HasPrefix(text, name) })
}

// timeProperties are the properties that decide when an event is.
var timeProperties = []string{"DTSTART", "DTEND", "DUE", "DURATION", "RRULE", "RDATE", "EXDATE", "EXRULE",
	"RECURRENCE-ID"}

// fileZone is a time zone under the name that events keep.
type fileZone struct {
	loc   *time.Location
	name  string
	rules string
	ok    bool

	unknown  bool   // no such zone was found
	reported string // the UID of the event for which this was reported last
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
	component   *ical.Component     // that is read
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
	todos           []foundTodo // emitted at the end
	todoBatch       []todo.Todo
	periods         []*event.Event // occurrences with a length of their own (RDATE)
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
	case "VEVENT", "VTODO":
		uid, original := uidIn(c), ""
		if p := c.Property("RECURRENCE-ID"); p != nil {
			original = p.Value
			r.occurrencesSeen[r.hash(uid, "")] |= hasOverride
		}
		if p := c.Property("RDATE"); p != nil && strings.Contains(p.Value, "/") {
			r.occurrencesSeen[r.hash(uid, "")] |= hasOverride
		}
		h := r.hash(uid, original)
		if r.occurrencesSeen[h]&seenOnce != 0 {
			r.occurrencesSeen[h] |= seenTwice
		}
		r.occurrencesSeen[h] |= seenOnce
	}
}

// uidIn returns the UID of an event, or of a to-do, which is another one.
func uidIn(c *ical.Component) string {
	if c.Name == "VTODO" {
		return "todo\x00" + uidOf(c)
	}
	return uidOf(c)
}

func (r *reader) secondPass(c, calendar *ical.Component) {
	switch {
	case r.err != nil || c.Name == "VTIMEZONE":
	case c.Name == "VTODO":
		f := foundTodo{c, r.calendarZone(calendar), methodOf(calendar)}
		if c.Property("RECURRENCE-ID") != nil || r.occurrencesSeen[r.hash(uidIn(c), "")] != seenOnce {
			r.todos = append(r.todos, f)
		} else if r.todoBatch = append(r.todoBatch, r.readTodos([]foundTodo{f})...); len(r.todoBatch) >= batchSize {
			r.flushTodos()
		}
	case c.Name != "VEVENT":
		r.skipped++
	default:
		home := r.calendarZone(calendar)
		r.method, r.component = methodOf(calendar), c
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
	return r.findZone(strings.TrimSpace(p.Text()), p.Line, &event.Event{})
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
	r.component = nil
	r.addPeriods()
	r.splitSeries()
	for _, e := range r.deferred {
		r.add(*e)
	}
	r.flush()
	r.todoBatch = append(r.todoBatch, r.readTodos(r.todos)...)
	r.flushTodos()
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

func (r *reader) flushTodos() {
	if r.err == nil && len(r.todoBatch) > 0 && r.emit.Todos != nil {
		r.err = r.emit.Todos(r.todoBatch)
	}
	r.todoBatch = r.todoBatch[:0]
}

// problem reports what does not change when an event is.
func (r *reader) problem(line int, title string, message tools.Text, args ...any) {
	r.unread(line, &event.Event{Title: title}, false, message, args...)
}

// lost reports a part of an event or a to-do that concerns when it is.
func (r *reader) lost(line int, e *event.Event, message tools.Text, args ...any) {
	r.unread(line, e, true, message, args...)
}

// unread reports a part that could not be read.
func (r *reader) unread(line int, e *event.Event, times bool, message tools.Text, args ...any) {
	r.total++
	u := event.Unread{Text: string(message), Times: times}
	for _, a := range args {
		u.Args = append(u.Args, fmt.Sprint(a))
	}
	if e != nil {
		u.UID, u.Title = e.UID, e.Title
	}
	if r.component != nil && e != nil {
		u.UID = cmp.Or(u.UID, uidOf(r.component))
		u.From, u.To = span(r.component)
	}
	if len(r.problems) < MaxProblems {
		r.problems = append(r.problems, Problem{Line: line, UID: u.UID, Title: u.Title,
			Message: r.env.Localize(message, args...), unread: u})
	}
}

// anyZone is more than the difference between two zones.
const anyZone = 27 * time.Hour

// span returns the time that has all occurrences of a component of which a part is unread, in seconds
// since 1970. 0 is unknown.
func span(c *ical.Component) (from, to int64) {
	repeats := false
	for i := range c.Properties {
		switch p := &c.Properties[i]; p.Name {
		case "DTSTART", "RECURRENCE-ID", "DTEND", "DUE":
			at, err := ical.ParseTime(p.Value)
			if err != nil {
				return 0, 0
			}
			if first := at.Wall.Add(-anyZone).Unix(); from == 0 || first < from {
				from = first
			}
			to = max(to, at.Wall.Add(anyZone).Unix())
		case "RRULE", "RDATE", "DURATION":
			repeats = true
		}
	}
	if repeats || to < 0 || from < 0 {
		to = 0
	}
	return max(from, 0), to
}

// sameTimes checks that the rules of a part of a series that moved have the times that it had, moved: the
// day after the second Wednesday is not always the second Thursday.
func sameTimes(before, after []string, from, to time.Time) error {
	const enough = 60
	walls := func(line string, start time.Time) (all []time.Time) {
		rule, err := recur.Parse(strings.TrimPrefix(line, "RRULE:"))
		if err != nil {
			return nil
		}
		recur.New(rule, start, false, time.Time{}).Limit(&recur.Budget{Steps: 60_000}).Walk(start, start.AddDate(20, 0, 0),
			func(w time.Time) bool {
				all = append(all, w.Add(to.Sub(start)))
				return len(all) < enough
			})
		return all
	}
	for i, line := range after {
		if !strings.HasPrefix(line, "RRULE:") || i >= len(before) || line == before[i] && from.Equal(to) {
			continue
		}
		if !slices.EqualFunc(walls(before[i], from), walls(line, to), time.Time.Equal) {
			return &event.RuleStartError{Rule: strings.TrimPrefix(before[i], "RRULE:")}
		}
	}
	return nil
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
		home := ZoneOf(series, time.UTC)
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
		rules := slices.Clone(tail.Recurrence)
		move, err := event.Follow(&tail, rules, wall, home, ZoneOf(&tail, time.UTC))
		if err == nil {
			err = sameTimes(rules, tail.Recurrence, wall, tail.Start)
		}
		if unruled := new(event.RuleStartError); errors.As(err, &unruled) {
			r.component = nil
			r.lost(0, e, "the series may have other times from %s on: no rule moves %s so", original, unruled.Rule)
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

// ReaderVersion grows when a file may be read otherwise than before. A copy that an older reader made is
// made again.
const ReaderVersion = 1

// Object is what was read of a file of another server.
type Object struct {
	Events   map[string][]event.Event // by UID
	Todos    map[string][]todo.Todo
	Unread   []event.Unread
	Problems []Problem
}

// ReadByUID reads the events and to-dos of a file.
func ReadByUID(env *tools.Env, data []byte) (Object, error) {
	o := Object{Events: map[string][]event.Event{}, Todos: map[string][]todo.Todo{}}
	read, err := Parse(env, ical.OpenBytes(data), "", Emit{Events: func(all []event.Event) error {
		for _, e := range all {
			o.Events[e.UID] = append(o.Events[e.UID], e)
		}
		return nil
	}, Todos: func(all []todo.Todo) error {
		for _, t := range all {
			o.Todos[t.UID] = append(o.Todos[t.UID], t)
		}
		return nil
	}})
	o.Problems = read.Problems
	for i := range read.Problems {
		o.Unread = append(o.Unread, read.Problems[i].unread)
	}
	return o, err
}

// Times reports whether a problem of a file concerns when an event is.
func (p *Problem) Times() bool { return p.unread.Times }
