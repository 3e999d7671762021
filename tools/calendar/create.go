package calendar

import (
	"context"
	"strings"
	"time"

	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/agenda"
	"techo/tools/calendar/backend"
	"techo/tools/when"
)

// Create is the tool create_event.
var Create = &tools.Tool{
	Name:    "create_event",
	For:     tools.Agents,
	Command: "cal create",
	About:   "Create an event",
	More:    "The result lists events at the same time (conflicts).",
	Details: "Start and end are times such as 2026-01-05T10:00 or tomorrow 10:00, or days for an " +
		"all-day event. An end may also be a length such as 90m; the end of an all-day event is " +
		"its last day. Without an end, an event lasts one hour or one day. The result also lists " +
		"similar events (duplicates); if_free refuses to create an event with conflicts.",
	Effect:    tools.Adds,
	Sharing:   tools.OneSpace,
	Calendars: []string{"calendar"},
	World:     true,
	Words:     []string{"title", "start"},
	Refused:   "Could not create the event: %s",
	Examples: []tools.Example{
		{Does: "Create an event of one hour",
			Line: `cal create --title "Review" --start "2026-01-08 14:00" --location "Room A"`},
		{Does: "Every Monday, if the time is free",
			Line: `cal create --title "Standup" --start "every monday 9:30" --end 09:45 --if-free`},
		{Does: "An event of two whole days", Line: `cal create --title "Trip" --start 2026-02-10 --end 2026-02-11`},
	},
	Run: tools.Func[CreateIn, WrittenOut](createEvent),
}

// CreateIn is the input of create_event.
type CreateIn struct {
	Title       string   `json:"title" format:"nonblank" doc:"The title" list:"bare"`
	Start       string   `json:"start" minLength:"1" doc:"E.g. 2026-01-05T14:00, tomorrow 2pm; a day is all-day"`
	End         string   `json:"end,omitempty" doc:"A time, the last day, or a length, e.g. 2026-01-05T15:00, 90m"`
	Location    string   `json:"location,omitempty" doc:"The location" list:"bare"`
	Description string   `json:"description,omitempty" doc:"The description" list:"bare"`
	Recurrence  []string `json:"recurrence,omitempty" allowSingle:"true" doc:"RFC 5545 rules: FREQ=WEEKLY;BYDAY=MO"`
	Repeat      string   `json:"repeat,omitempty" doc:"The repetition in words: daily, weekdays, every 2 weeks on tue"`
	Busy        bool     `json:"busy" default:"true" doc:"Whether the event blocks time" list:"bare"`
	Status      string   `json:"status" default:"confirmed" enum:"confirmed,tentative,cancelled" doc:"The status" list:"bare"`
	agenda.DetailsIn
	IfFree   bool   `json:"if_free,omitempty" doc:"Fail if the time is taken"`
	DryRun   bool   `json:"dry_run,omitempty" doc:"Show the result without creating the event" list:"bare"`
	Calendar string `json:"calendar,omitempty" doc:"The calendar's name, created if missing (default: default)"`
}

// Elsewhere reports whether the calendar is kept by another service.
func (CreateIn) Elsewhere(ctx context.Context, env *tools.Env, input []byte) bool {
	return agenda.AddsElsewhere(ctx, env, input)
}

// Keeps lists the texts that are kept.
func (CreateIn) Keeps() []string {
	return []string{"title", "location", "description", "categories", "attendees", "organizer", "url"}
}

// WrittenOut is the result of create_event and update_event.
type WrittenOut struct {
	Event      agenda.Event   `json:"event"`
	Conflicts  []agenda.Event `json:"conflicts"`
	Duplicates []agenda.Event `json:"duplicates"`
	DryRun     bool           `json:"dry_run,omitempty"`
	when.Meaning
	Message string `json:"message"`

	summary string // Message without the conflicts
	written event.Written
}

func createEvent(ctx context.Context, env *tools.Env, in CreateIn) (out WrittenOut, err error) {
	e, meant, err := newEvent(env, in)
	if err != nil {
		return out, err
	}
	w, err := agenda.DespiteRenaming([]string{e.Calendar}, func() (event.Written, error) { return in.add(ctx, env, e) })
	if err != nil {
		return out, backend.Explain(env, err)
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
func (in *CreateIn) add(ctx context.Context, env *tools.Env, e event.Event) (w event.Written, err error) {
	b, name, err := agenda.Open(ctx, env, e.Calendar, tools.Adds)
	if err != nil {
		return w, err
	}
	if _, here := b.(backend.Local); !here {
		e.Calendar = name
	}
	if err := in.Check(env, b); err != nil {
		return w, err
	}
	return b.Add(ctx, e, event.Write{Zone: env.Zone, IfFree: in.IfFree, DryRun: in.DryRun})
}

func writeResult(env *tools.Env, w event.Written, dry bool, done tools.Text) WrittenOut {
	summary := env.Localize(done, backend.TitleOrPlaceholder(env, w.Title), backend.WhenText(env, &w.Occurrence))
	message := summary
	if len(w.Conflicts) > 0 {
		message += env.Localize("; at the same time: %s", backend.Titles(env, w.Conflicts))
	}
	return WrittenOut{Event: agenda.ToEvent(env, &w.Occurrence), Conflicts: agenda.ToEvents(env, w.Conflicts),
		Duplicates: agenda.ToEvents(env, w.Duplicates), DryRun: dry, Message: message, summary: summary, written: w}
}

// newEvent builds an event from an input.
func newEvent(env *tools.Env, in CreateIn) (event.Event, when.Meaning, error) {
	f := &agenda.Checker{Env: env}
	e := event.Event{Title: in.Title, Location: in.Location, Description: in.Description, Status: in.Status,
		Free: !in.Busy, Calendar: f.Calendar(in.Calendar)}
	if in.Repeat != "" && len(in.Recurrence) > 0 {
		f.Add("repeat", "cannot be combined with recurrence")
	}
	r := f.Repetition("start", in.Repeat, in.Start, in.End)
	start, ok := f.Start("start", r.Start, time.Time{})
	if ok {
		f.SetTimes(&e, start, r.End, time.Hour)
	}
	e.Recurrence = f.Recurrence(append(in.Recurrence, r.Lines...))
	f.Zoned(&e)
	agenda.SetDetails(f, &e, &in.DetailsIn)
	return e, f.Meanings.Meaning(), f.Err()
}

// Text returns the summary, and one line per conflict.
func (o WrittenOut) Text(env *tools.Env) string {
	lines := []string{env.Localize("%s (id: %s)", o.summary, o.Event.EventID)}
	for i := range o.written.Conflicts {
		lines = append(lines, env.Localize("- conflict: %s", backend.ListedLine(env, &o.written.Conflicts[i])))
	}
	return strings.Join(lines, "\n")
}
