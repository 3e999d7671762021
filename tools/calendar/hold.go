package calendar

import (
	"context"
	"errors"
	"strings"
	"time"

	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/agenda"
	"techo/tools/calendar/backend"
	"techo/tools/when"
)

// HoldIn is the input of cal hold.
type HoldIn struct {
	Title    string   `json:"title" format:"nonblank" doc:"The title" list:"bare"`
	Slots    []string `json:"slots" minItems:"1" minLength:"1" doc:"START/END or START/LENGTH: 2026-01-14T10:00/60m"`
	Expires  string   `json:"expires" default:"48h" doc:"A length such as 48h, or a time, e.g. 2026-01-05T14:00"`
	Location string   `json:"location,omitempty" doc:"The location" list:"bare"`
	IfFree   bool     `json:"if_free,omitempty" doc:"Fail if one of the times is taken"`
	Calendar string   `json:"calendar,omitempty" doc:"The calendar's name (default: default)"`
}

// HoldOut is the result of cal hold and cal confirm.
type HoldOut struct {
	Group     string         `json:"group"`
	Events    []agenda.Event `json:"events" compact:"keep"`
	Released  []agenda.Event `json:"released"`
	Conflicts []agenda.Event `json:"conflicts"`
	when.Meaning
	Message string `json:"message"`
	held    []event.Occurrence
}

// Text returns one line per event.
func (o HoldOut) Text(env *tools.Env) string {
	lines := []string{o.Message}
	for i := range o.held {
		lines = append(lines, "- "+backend.SummaryLine(env, &o.held[i])+backend.IDText(env, o.held[i].ID()))
	}
	return strings.Join(lines, "\n")
}

// Hold creates several tentative events for one purpose in one transaction.
func Hold(ctx context.Context, env *tools.Env, in HoldIn) (out HoldOut, err error) {
	f := &agenda.Checker{Env: env}
	expires := f.Expiry(in.Expires)
	var drafts []event.Event
	for _, slot := range in.Slots {
		start, end, _ := strings.Cut(slot, "/")
		e := event.Event{Title: in.Title, Location: in.Location, Status: event.Tentative,
			Calendar: f.Calendar(in.Calendar), Expires: expires}
		if m, ok := f.Start("slots", start, time.Time{}); ok {
			known := len(f.Problems)
			f.SetTimes(&e, m, end, time.Hour)
			for i := known; i < len(f.Problems); i++ {
				f.Problems[i].Path = "/slots"
			}
		}
		drafts = append(drafts, e)
	}
	if err := f.Err(); err != nil {
		return out, err
	}
	st, err := env.Store(ctx, tools.Adds)
	if err != nil {
		return out, err
	}
	c, err := st.FindCalendar(ctx, drafts[0].Calendar)
	if err == nil && !c.Local() {
		return out, noHolds(env)
	}
	group, held, err := st.HoldEvents(ctx, drafts, event.Write{Zone: env.Zone, IfFree: in.IfFree})
	if errors.As(err, new(*event.RemoteCalendarError)) {
		return out, noHolds(env)
	}
	if err != nil {
		return out, backend.Explain(env, err)
	}
	out = HoldOut{Group: group, Events: []agenda.Event{}, Released: []agenda.Event{}, Conflicts: []agenda.Event{},
		Meaning: f.Meanings.Meaning()}
	for i := range held {
		out.held = append(out.held, held[i].Occurrence)
		out.Conflicts = append(out.Conflicts, agenda.ToEvents(env, held[i].Conflicts)...)
	}
	out.Events = agenda.ToEvents(env, out.held)
	out.Message = env.Localize("Held %s until %s", env.Count(len(held), "%d time", "%d times"), env.Minute(expires))
	return out, nil
}

// noHolds is the error of a hold in a calendar at a service.
func noHolds(env *tools.Env) error {
	return env.Fail(tools.InvalidInput, "Only local calendars support holds")
}

// ConfirmIn is the input of cal confirm.
type ConfirmIn struct {
	EventID string `json:"event_id" minLength:"1" doc:"The event to keep" record:"event"`
}

// Confirm confirms one of the held times and releases the others.
func Confirm(ctx context.Context, env *tools.Env, in ConfirmIn) (out HoldOut, err error) {
	st, err := env.Store(ctx, tools.Changes)
	if err != nil {
		return out, err
	}
	kept, released, err := st.ConfirmEvent(ctx, in.EventID, env.Zone)
	if err != nil {
		return out, backend.Explain(env, err)
	}
	out = HoldOut{Group: kept.Group, Events: []agenda.Event{agenda.ToEvent(env, &kept)}, held: []event.Occurrence{kept},
		Released: agenda.ToEvents(env, released), Conflicts: []agenda.Event{}}
	out.Message = env.Localize("Confirmed: %s, %s; released: %d", backend.TitleOrPlaceholder(env, kept.Title),
		backend.WhenText(env, &kept),
		len(released))
	return out, nil
}
