package calendar

import (
	"context"
	"strings"
	"time"

	"techo/internal/dates"
	"techo/internal/zone"
	"techo/store"
	"techo/tools"
)

// Create is the tool create_event.
var Create = &tools.Tool{
	Name:    "create_event",
	For:     tools.Agents,
	Command: "cal create",
	About:   "Create an event",
	More: "Start and end are times such as 2026-01-05T10:00 or tomorrow 10:00, or days for an all-day event. An end " +
		"may also be a length such as 90m; the end of an all-day event is its last day. Without an end, an event " +
		"lasts one hour or one day. The result lists events at the same time (conflicts) and similar events " +
		"(duplicates); if_free refuses to create an event with conflicts.",
	Effect:    tools.Adds,
	Sharing:   tools.OneSpace,
	Calendars: []string{"calendar"},
	World:     true,
	Words:     []string{"title", "start"},
	Refused:   "Could not create the event: %s",
	Elsewhere: addsElsewhere,
	Examples: []tools.Example{
		{Does: "Create an event of one hour",
			Line: `cal create --title "Review" --start "2026-01-08 14:00" --location "Room A"`},
		{Does: "Every Monday, if the time is free",
			Line: `cal create --title "Standup" --start "next mon 09:30" --end 09:45 ` +
				`--recurrence FREQ=WEEKLY --if-free`},
		{Does: "An event of two whole days", Line: `cal create --title "Trip" --start 2026-02-10 --end 2026-02-11`},
	},
	Run: tools.Func[CreateIn, WrittenOut](createEvent),
}

// CreateIn is the input of create_event.
type CreateIn struct {
	Title       string   `json:"title" format:"nonblank" doc:"The title"`
	Start       string   `json:"start" minLength:"1" doc:"Start, e.g. 2026-01-05T14:00, tomorrow 2pm; a day is all-day"`
	End         string   `json:"end,omitempty" doc:"End: a time, the last day, or a length, e.g. 2026-01-05T15:00, 90m"`
	Location    string   `json:"location,omitempty" doc:"The location"`
	Description string   `json:"description,omitempty" doc:"The description"`
	Recurrence  []string `json:"recurrence,omitempty" allowSingle:"true" doc:"RFC 5545 rules: FREQ=WEEKLY;BYDAY=MO"`
	Busy        bool     `json:"busy" default:"true" doc:"Whether the event blocks time"`
	Status      string   `json:"status" default:"confirmed" enum:"confirmed,tentative,cancelled" doc:"The status"`
	DetailsIn
	IfFree   bool   `json:"if_free,omitempty" doc:"Fail if the time is taken"`
	DryRun   bool   `json:"dry_run,omitempty" doc:"Show the result without creating the event"`
	Calendar string `json:"calendar,omitempty" doc:"The calendar's name, created if missing (default: default)"`
}

// WrittenOut is the result of create_event and update_event.
type WrittenOut struct {
	Event      Event   `json:"event"`
	Conflicts  []Event `json:"conflicts"`
	Duplicates []Event `json:"duplicates"`
	DryRun     bool    `json:"dry_run,omitempty"`
	tools.Meaning
	Message string `json:"message"`

	summary string // Message without the conflicts
	written store.Written
}

func createEvent(ctx context.Context, env *tools.Env, in CreateIn) (out WrittenOut, err error) {
	e, meant, err := newEvent(env, in)
	if err != nil {
		return out, err
	}
	w, err := despiteRenaming([]string{e.Calendar}, func() (store.Written, error) { return in.add(ctx, env, e) })
	if err != nil {
		return out, Explain(env, err)
	}
	done := tools.Text("Created: %s, %s")
	if in.DryRun {
		done = "Would create: %s, %s"
	}
	out = writeResult(env, w, in.DryRun, done)
	out.Meaning = meant
	return out, nil
}

// add adds an event to its calendar. The store finds the chosen default in the transaction
// that adds the event, because another call may rename it.
func (in *CreateIn) add(ctx context.Context, env *tools.Env, e store.Event) (w store.Written, err error) {
	b, name, err := backendOf(ctx, env, e.Calendar, tools.Adds)
	if err != nil {
		return w, err
	}
	if _, here := b.(localCalendar); !here {
		e.Calendar = name
	}
	if err := in.check(env, b); err != nil {
		return w, err
	}
	return b.add(ctx, e, store.EventWrite{Zone: env.Zone, IfFree: in.IfFree, DryRun: in.DryRun})
}

// writeResult builds the result of a write.
func writeResult(env *tools.Env, w store.Written, dry bool, done tools.Text) WrittenOut {
	summary := env.Localize(done, titleOrPlaceholder(env, w.Title), whenText(env, &w.Occurrence))
	message := summary
	if len(w.Conflicts) > 0 {
		message += env.Localize("; at the same time: %s", titles(env, w.Conflicts))
	}
	return WrittenOut{Event: toEvent(env, &w.Occurrence), Conflicts: toEvents(env, w.Conflicts),
		Duplicates: toEvents(env, w.Duplicates), DryRun: dry, Message: message, summary: summary, written: w}
}

// newEvent builds an event from an input.
func newEvent(env *tools.Env, in CreateIn) (store.Event, tools.Meaning, error) {
	f := &inputChecker{env: env}
	e := store.Event{Title: in.Title, Location: in.Location, Description: in.Description, Status: in.Status,
		Free: !in.Busy, Calendar: f.calendar(in.Calendar)}
	start, ok := f.start("start", in.Start, time.Time{})
	if ok {
		f.setTimes(&e, start, in.End, time.Hour)
	}
	e.Recurrence = f.recurrence(in.Recurrence)
	(&detailsWriter{f, &e}).set(&in.DetailsIn)
	return e, f.meanings.Meaning(), f.err()
}

// calendar returns the normalized name of a calendar; "" is the chosen default.
func (f *inputChecker) calendar(name string) string {
	if name == "" {
		return ""
	}
	tidy := store.CalendarName(name)
	if tidy == "" {
		f.add("calendar", "must be a name of at most %d bytes, not %q", store.MaxCalendarName, clip(name))
	}
	return tidy
}

// recurrence parses the lines of a recurrence.
func (f *inputChecker) recurrence(lines []string) (kept []string) {
	for l := range strings.SplitSeq(strings.Join(lines, "\n"), "\n") {
		if strings.TrimSpace(l) == "" {
			continue
		}
		line, err := store.CheckRecurrence(strings.TrimSpace(l))
		if err != nil {
			f.add("recurrence", "has an invalid rule %q: %v", clip(l), err)
			continue
		}
		kept = append(kept, line)
	}
	return kept
}

// setTimes sets the start and end of an event. Without an end, it has the given
// length.
func (f *inputChecker) setTimes(e *store.Event, start dates.Moment, end string, length time.Duration) {
	e.Start, e.Later, e.Days, e.Length, e.ZoneRules = start.Wall, false, 0, 0, ""
	if !start.Timed {
		e.Form, e.Zone, e.Days = store.AllDay, "", int(start.Last.Sub(start.Wall)/(24*time.Hour))+1
		f.setLastDay(e, end)
		return
	}
	from := tools.InstantOf(f.env, start)
	e.Form, e.Zone = store.Timed, zoneName(f.env)
	if start.Offset { // otherwise a start that the clocks skip keeps its wall clock time, for a series
		e.SetStart(from, f.env.Zone)
	}
	switch {
	case end == "" && start.End != nil:
		e.Length = max(0, tools.InstantOf(f.env, *start.End).Sub(from))
		return
	case end == "" && start.Length > 0:
		e.Length = start.Length
		return
	case end == "":
		e.Length = length
		return
	}
	f.setEnd(e, from, end)
}

// setEnd sets the length of a timed event from its end, which may be a length.
func (f *inputChecker) setEnd(e *store.Event, from time.Time, end string) {
	if d, err := time.ParseDuration(strings.TrimPrefix(strings.TrimSpace(end), "+")); err == nil && d >= 0 {
		e.Length = d
		return
	}
	to, ok := f.endOf(end, zone.Wall(from, f.env.Zone))
	if !ok {
		return
	}
	if !to.Timed {
		f.add("end", "must have a time, like start")
		return
	}
	e.Length = tools.InstantOf(f.env, to).Sub(from)
	if e.Length > 0 {
		return
	}
	for _, wall := range []time.Time{e.Start, to.Wall} {
		if change, skipped := zone.Reached(wall, f.env.Zone); skipped && e.Form == store.Timed {
			f.add("end", "must be after start; the clocks skip %s and go on at %s", wall.Format("2006-01-02 15:04"),
				change.Format("15:04"))
			return
		}
	}
	if e.Length < 0 {
		f.add("end", "must be after start")
	}
}

// endOf parses the end of an event that begins at a wall clock time, and adds its
// meaning.
func (f *inputChecker) endOf(text string, start time.Time) (dates.Moment, bool) {
	if m, ok := dates.ParseEnd(text, start, callerNow(f.env)); ok && !m.Timed {
		f.meanings.Add(f.env, m)
		return m, checkLatest(f, "end", m)
	}
	m, ok := f.moment("end", text, start)
	if ok {
		f.meanings.Add(f.env, m)
	}
	return m, ok
}

func (f *inputChecker) setLastDay(e *store.Event, end string) {
	if end == "" {
		return
	}
	to, ok := f.endOf(end, e.Start)
	switch {
	case !ok:
	case to.Timed:
		f.add("end", "must be a day, like start; or give start a time")
	case to.Last.Before(e.Start):
		f.add("end", "must not be before start")
	default:
		e.Days = int(to.Last.Sub(e.Start)/(24*time.Hour)) + 1
	}
}

// Text returns the summary, and one line per conflict.
func (o WrittenOut) Text(env *tools.Env) string {
	lines := []string{env.Localize("%s (id: %s)", o.summary, o.Event.EventID)}
	for i := range o.written.Conflicts {
		lines = append(lines, env.Localize("- conflict: %s", summaryLine(env, &o.written.Conflicts[i])))
	}
	return strings.Join(lines, "\n")
}
