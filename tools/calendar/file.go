package calendar

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"techo/internal/ical"
	"techo/store"
	"techo/tools"
)

// Problem is something that could not be read of a file or followed of an
// event; the rest was kept.
type Problem struct {
	Line    int    `json:"line,omitempty"`
	EventID string `json:"event_id,omitempty"`
	Title   string `json:"title,omitempty"`
	Message string `json:"message"`
}

// Read is what ReadICS made of a file.
type Read struct {
	Problems []Problem // in the order of the file, at most MaxProblems
	Total    int       // of problems
	Skipped  int       // components that are no events: tasks, journals
}

// MaxProblems is how many problems of a file are told one by one.
const MaxProblems = 1000

// readChunk is how many events of a file are handed over at once.
const readChunk = 2000

// ReadICS reads the events of an iCalendar file and hands them over in pieces,
// so that a large file takes little memory. Whatever is wrong becomes a problem
// with its line, and the rest is kept. me is the address of the owner, whose
// answers to invitations count; it may be "".
//
// The file is gone through twice: first for its time zones, which may stand
// behind the events that are in them, for the events that are in it several
// times, and for those that stand for an occurrence of others. Those two kinds
// come last, when all others are known.
func ReadICS(env *tools.Env, data []byte, me string, take func([]store.Event) error) (Read, error) {
	r := reader{env: env, me: strings.ToLower(me), take: take, seed: maphash.MakeSeed(), zones: map[string]named{}, seen: map[string]int{}, masters: map[string]*store.Event{}, future: map[string]bool{}, known: map[uint64]uint8{}}
	ical.Each(data, r.survey)
	problems, total := ical.Each(data, r.component)
	for _, p := range problems {
		r.problems = append(r.problems, Problem{Line: p.Line, Message: env.Say(faultTexts[p.Fault], p.Text)})
	}
	r.total += total
	r.rest()
	slices.SortStableFunc(r.problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return Read{r.problems[:min(len(r.problems), MaxProblems)], r.total, r.skipped}, r.err
}

// faultTexts say what is wrong with a line.
var faultTexts = map[ical.Fault]tools.Say{
	ical.BadLine:   {EN: "not a line of a calendar: %q", JA: "カレンダーの行ではありません: 「%s」"},
	ical.StrayEnd:  {EN: "END:%s without its BEGIN", JA: "対応する BEGIN のない END:%s"},
	ical.NoEnd:     {EN: "BEGIN:%s without its END", JA: "対応する END のない BEGIN:%s"},
	ical.BadText:   {EN: "not UTF-8: %q", JA: "UTF-8 ではありません: 「%s」"},
	ical.TooDeep:   {EN: "components nested too deeply: %s", JA: "入れ子が深すぎます: %s"},
	ical.TooLong:   {EN: "the line is too long and was cut%s", JA: "行が長すぎるため切り詰めました%s"},
	ical.NoContent: {EN: "there is no calendar in it%s", JA: "カレンダーがありません%s"},
}

// named is a zone by the name that an event keeps.
type named struct {
	loc   *time.Location
	name  string
	rules string
	ok    bool
}

type reader struct {
	env      *tools.Env
	me       string
	take     func([]store.Event) error
	err      error // of take
	problems []Problem
	total    int
	skipped  int
	customs  int
	zones    map[string]named // by TZID
	home     named            // of times without a zone (X-WR-TIMEZONE)

	seed    maphash.Seed
	known   map[uint64]uint8 // by hash of UID and occurrence
	chunk   []store.Event
	held    []*store.Event  // that cannot be handed over yet
	seen    map[string]int  // by UID and occurrence: its place in held
	late    []late          // those that stand for an occurrence
	future  map[string]bool // those that stand for all later ones too
	masters map[string]*store.Event
}

// late is an event that is read when all others are.
type late struct {
	c    *ical.Component
	home named
}

// What is known of a UID, with its occurrence or alone.
const (
	knownOnce uint8 = 1 << iota
	knownTwice
	knownMaster // an event stands for an occurrence of it
)

func (r *reader) hash(uid, recurrenceID string) uint64 {
	return maphash.String(r.seed, uid+"\x00"+recurrenceID)
}

// survey learns zones, and what to keep of the events to come.
func (r *reader) survey(c, _ *ical.Component) {
	switch c.Name {
	case "VTIMEZONE":
		r.learn(c)
	case "VEVENT":
		uid, original := uidOf(c), ""
		if p := c.Property("RECURRENCE-ID"); p != nil {
			original = p.Value
			r.known[r.hash(uid, "")] |= knownMaster
		}
		h := r.hash(uid, original)
		if r.known[h]&knownOnce != 0 {
			r.known[h] |= knownTwice
		}
		r.known[h] |= knownOnce
	}
}

// component reads one component of a file.
func (r *reader) component(c, calendar *ical.Component) {
	switch {
	case r.err != nil || c.Name == "VTIMEZONE":
	case c.Name != "VEVENT":
		r.skipped++
	default:
		home := r.homeOfCalendar(calendar)
		if c.Property("RECURRENCE-ID") != nil {
			r.late = append(r.late, late{c, home})
			return
		}
		r.home = home
		r.event(c)
	}
}

// homeOfCalendar is the zone that a calendar says its times are in which name
// none.
func (r *reader) homeOfCalendar(calendar *ical.Component) named {
	if calendar == nil {
		return named{}
	}
	p := calendar.Property("X-WR-TIMEZONE")
	if p == nil {
		return named{}
	}
	return r.zoneNamed(strings.TrimSpace(p.Text()), p.Line, "")
}

// rest reads what was put off.
func (r *reader) rest() {
	for _, e := range r.held {
		r.masters[e.UID] = e
	}
	for _, l := range r.late {
		r.home = l.home
		r.event(l.c)
	}
	r.split()
	for _, e := range r.held {
		r.add(*e)
	}
	r.flush()
}

// keep hands an event over, or puts it off.
func (r *reader) keep(e store.Event, line int) {
	if e.RecurrenceID == "" && r.known[r.hash(e.UID, "")] == knownOnce {
		r.add(e)
		return
	}
	key := e.UID + "\x00" + e.RecurrenceID
	if i, twice := r.seen[key]; twice { // the later version of it counts
		r.problem(line, e.Title, tools.Say{EN: "the same event as one before it; the newer one is kept", JA: "前にあるものと同じ予定のため、新しい方を残しました"})
		if e.Sequence >= r.held[i].Sequence {
			*r.held[i] = e
		}
		return
	}
	r.seen[key] = len(r.held)
	r.held = append(r.held, &e)
}

func (r *reader) add(e store.Event) {
	if r.chunk = append(r.chunk, e); len(r.chunk) == readChunk {
		r.flush()
	}
}

func (r *reader) flush() {
	if r.err == nil && len(r.chunk) > 0 {
		r.err = r.take(r.chunk)
	}
	r.chunk = r.chunk[:0]
}

func (r *reader) problem(line int, title string, message tools.Say, args ...any) {
	if r.total++; len(r.problems) < MaxProblems {
		r.problems = append(r.problems, Problem{Line: line, Title: title, Message: r.env.Say(message, args...)})
	}
}

// maxFutures is how many such events of a file are followed; more stand for one
// occurrence each.
const maxFutures = 100

// split carries out RANGE=THISANDFUTURE: the series ends there, and a new one
// begins that is like the event that stands for them all.
func (r *reader) split() {
	var starts []*store.Event
	for _, e := range r.held {
		if r.future[e.UID+"\x00"+e.RecurrenceID] && r.masters[e.UID] != nil && r.masters[e.UID].Recurs() {
			starts = append(starts, e)
		}
	}
	slices.SortStableFunc(starts, func(a, b *store.Event) int { return strings.Compare(a.RecurrenceID, b.RecurrenceID) })
	for _, e := range starts {
		series := r.masters[e.UID]
		home := r.homeOf(series)
		wall, err := store.ReadOccurrence(e.RecurrenceID, home)
		if err != nil {
			continue
		}
		uid, original := e.UID, e.RecurrenceID
		tail := *e
		if wall.After(series.Start) {
			tail.UID += "_R" + original
		}
		tail.RecurrenceID = ""
		series.Recurrence, tail.Recurrence = store.SplitRecurrence(series, wall, home)
		move, err := store.Follow(&tail, tail.Recurrence, wall, home, r.homeOf(&tail))
		if err != nil {
			r.problem(0, e.Title, tools.Say{EN: "the series that goes on at %s does not: %v", JA: "%s からの繰り返しを続けられません: %v"}, original, err)
		}
		for _, o := range r.held {
			if w, err := store.ReadOccurrence(o.RecurrenceID, home); o != e && o.UID == uid && o.RecurrenceID != "" && err == nil && !w.Before(wall) {
				o.UID, o.RecurrenceID = tail.UID, move(o.RecurrenceID)
			}
		}
		if *e = tail; tail.UID == uid { // it takes the place of them all
			*series = tail
			r.held = slices.DeleteFunc(r.held, func(o *store.Event) bool { return o == e })
			continue
		}
		r.masters[tail.UID] = e
	}
	// A series comes before those that stand for its occurrences.
	slices.SortStableFunc(r.held, func(a, b *store.Event) int { return cmp.Compare(len(a.RecurrenceID), len(b.RecurrenceID)) })
}
