package calendar

import (
	"context"
	"slices"
	"strings"
	"time"

	"techo/store"
	"techo/store/calendar"
	"techo/store/event"
	"techo/store/ledger"
	"techo/tools"
	"techo/tools/calendar/agenda"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/caldav"
	"techo/tools/calendar/google"
	"techo/tools/when"
)

// Update is the tool update_event.
var Update = &tools.Tool{
	Name:    "update_event",
	For:     tools.Agents,
	Command: "cal update",
	About:   "Change the given fields of an event",
	More: "A new start without an end keeps the length. For a series, scope this changes one occurrence (the first " +
		"one for the ID of the series), following changes it and all later ones, and all changes the whole series. " +
		"A new recurrence requires the scope following or all.",
	Effect:    tools.Changes,
	Sharing:   tools.OneSpace,
	Calendars: []string{"calendar"},
	World:     true,
	Words:     []string{"event_id"},
	Refused:   "Could not change the event: %s",
	Examples: []tools.Example{
		{Does: "Move an event",
			Line: `cal update k3a1at4gerb7 --start "2026-01-08 15:00"`},
	},
	Run: tools.Func[UpdateIn, WrittenOut](updateEvent),
}

// UpdateIn is the input of update_event.
type UpdateIn struct {
	EventID     string   `json:"event_id" minLength:"1" doc:"The event's id" list:"bare" record:"event"`
	Title       *string  `json:"title" format:"nonblank" doc:"New title" list:"bare"`
	Start       *string  `json:"start" minLength:"1" doc:"New start, e.g. 2026-01-05T14:00, tomorrow 2pm"`
	End         *string  `json:"end" minLength:"1" doc:"New end, or a length, e.g. 2026-01-05T15:00, 90m"`
	Location    *string  `json:"location" doc:"New location; an empty text removes it"`
	Description *string  `json:"description" doc:"New description; an empty text removes it"`
	Recurrence  []string `json:"recurrence,omitempty" allowSingle:"true" doc:"New recurrence; [] removes it"`
	Repeat      *string  `json:"repeat" doc:"New repetition in words, e.g. weekly, every month on the last day"`
	Busy        *bool    `json:"busy" doc:"Whether the event blocks its time" list:"bare"`
	Status      *string  `json:"status" enum:"confirmed,tentative,cancelled" doc:"The status" list:"bare"`
	agenda.DetailsIn
	Scope        string `json:"scope" default:"this" enum:"this,following,all" doc:"How much of a series to change" list:"bare"`
	ExpectedEtag string `json:"expected_etag,omitempty" doc:"Fail if the event changed since it was read"`
	IfFree       bool   `json:"if_free,omitempty" doc:"Fail if the new time is taken"`
	DryRun       bool   `json:"dry_run,omitempty" doc:"Show the result without changing anything" list:"bare"`
	Calendar     string `json:"calendar,omitempty" doc:"The calendar's name, for a Google calendar"`
}

// Keeps lists the texts that are kept.
func (UpdateIn) Keeps() []string { return CreateIn{}.Keeps() }

// Controls returns the fields that change nothing.
func (UpdateIn) Controls() []string {
	return []string{"event_id", "scope", "expected_etag", "if_free", "dry_run", "calendar"}
}

func scopeOf(name string) event.Scope {
	return event.Scope(slices.Index([]string{"this", "following", "all"}, name))
}

func updateEvent(ctx context.Context, env *tools.Env, in UpdateIn) (out WrittenOut, err error) {
	f := &agenda.Checker{Env: env}
	checked := in
	checked.repeat(f, agenda.Today(env).Format(time.DateOnly))
	if in.Recurrence != nil {
		in.Recurrence = append([]string{}, f.Recurrence(in.Recurrence)...)
	}
	if in.Start != nil {
		f.Moment("start", *checked.Start, agenda.Today(env))
	}
	agenda.SetDetails(f, &event.Event{}, &in.DetailsIn)
	if err := f.Err(); err != nil {
		return out, err
	}
	b, err := agenda.OpenOf(ctx, env, in.Calendar, in.EventID, tools.Changes)
	if err != nil {
		return out, err
	}
	if err := in.Check(env, b); err != nil {
		return out, err
	}
	var meant when.Meaning
	w, err := b.Edit(ctx, in.EventID, scopeOf(in.Scope),
		event.Write{Zone: env.Zone, IfFree: in.IfFree, DryRun: in.DryRun}, func(e *event.Event) error {
			return apply(env, in, e, &meant)
		})
	if err != nil {
		return out, backend.Explain(env, err)
	}
	done := tools.Text("Changed: %s, %s")
	if in.DryRun {
		done = "Would change: %s, %s"
	}
	out = writeResult(env, w, in.DryRun, done)
	out.Meaning = meant
	return out, nil
}

// repeat replaces a repetition in words by its recurrence and start. An event that keeps its start
// begins at a time that is given.
func (in *UpdateIn) repeat(f *agenda.Checker, at string) {
	words, start, end := agenda.RepeatWords(f, in.Repeat, &in.Recurrence), at, ""
	if in.Start != nil {
		start = *in.Start
	}
	if in.End != nil {
		end = *in.End
	}
	r := f.Repetition("start", words, start, end)
	if r.Lines == nil {
		return
	}
	in.Recurrence = r.Lines
	if in.Start != nil {
		in.Start = &r.Start
	}
	if in.Start != nil && in.End == nil && r.End != "" {
		in.End = &r.End
	}
}

// apply applies an input to an event. meant gets the meaning of times in words.
func apply(env *tools.Env, in UpdateIn, e *event.Event, meant *when.Meaning) error {
	if in.ExpectedEtag != "" && in.ExpectedEtag != e.Etag {
		return &ledger.ChangedError{ID: in.EventID, Etag: e.Etag}
	}
	f := &agenda.Checker{Env: env}
	at := e.Start.Format("2006-01-02T15:04:05")
	if e.Form == event.AllDay {
		at = e.Start.Format(time.DateOnly)
	}
	in.repeat(f, at)
	for _, c := range []struct{ to, from *string }{{&e.Title, in.Title}, {&e.Location, in.Location},
		{&e.Description, in.Description}, {&e.Status, in.Status}} {
		if c.from != nil {
			*c.to = *c.from
		}
	}
	if in.Busy != nil {
		e.Free = !*in.Busy
	}
	if in.Start != nil || in.End != nil {
		f.Move(e, in.Start, in.End)
	}
	if in.Recurrence != nil {
		if e.RecurrenceID != "" {
			f.Add("scope", "must be following or all to change the recurrence")
		}
		left := slices.DeleteFunc(slices.Clone(e.Recurrence),
			func(l string) bool { return !strings.HasPrefix(l, "EXDATE") })
		if e.Recurrence = in.Recurrence; len(in.Recurrence) > 0 {
			e.Recurrence = append(e.Recurrence, left...)
		}
	}
	agenda.SetDetails(f, e, &in.DetailsIn)
	*meant = f.Meanings.Meaning()
	return f.Err()
}

// UndoElsewhere undoes a change of a calendar at Google or a CalDAV server, and records
// that. done is false for other changes. It refuses if an event changed since at the server.
func UndoElsewhere(ctx context.Context, env *tools.Env, st *store.Store, c ledger.Change) (done bool, err error) {
	if c.Elsewhere() {
		return true, google.Undo(ctx, env, st, c)
	}
	records, err := calendar.RecordsBefore(ctx, st.Ledger, c)
	if err != nil || len(records) == 0 {
		return false, err
	}
	found, err := st.FindCalendar(ctx, records[0].Calendar)
	if err != nil || found.Kind != event.CalDAVCalendar {
		return false, nil // the store restores it, or explains why not
	}
	d := caldav.Open(env, st, found)
	if err := d.Sync(ctx); err != nil {
		return true, err
	}
	return true, caldav.Undo(ctx, d, c, records)
}
