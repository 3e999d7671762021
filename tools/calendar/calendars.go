// Package calendar has the tools of events and calendars. The packages below it have the tools of
// to-dos and free time, and the places where calendars are kept.
package calendar

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"techo/store"
	"techo/store/event"
	"techo/store/ledger"
	"techo/tools"
	"techo/tools/calendar/agenda"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/free"
)

// Calendars is the tool list_calendars.
var Calendars = &tools.Tool{
	Name:    "list_calendars",
	For:     tools.Agents,
	Command: "cal calendars",
	About:   "List the calendars",
	More:    "Calls that name no calendar use the one with default true.",
	Details: "A calendar of kind google or caldav is at a service; the events of a subscription come " +
		"from a URL and cannot be changed. The calendars of your shared spaces are listed too; " +
		"space names where one is.",
	Effect:      tools.Reads,
	Sharing:     tools.AllSpaces,
	Preapproved: true,
	Examples:    []tools.Example{{Does: "List the calendars", Line: "cal calendars"}},
	Run:         tools.Func[CalendarsIn, CalendarsOut](listCalendars),
}

// CalendarsIn is the input of list_calendars, which has no fields.
type CalendarsIn struct{}

// CalendarInfo is one calendar in a result.
type CalendarInfo struct {
	Name     string `json:"name"`
	Space    string `json:"space,omitempty"` // the shared space that has it
	Kind     string `json:"kind"`
	Default  bool   `json:"default"`
	ReadOnly bool   `json:"read_only"`
	URL      string `json:"url"`              // of a subscription only the server: the rest may be a secret
	Remote   string `json:"remote,omitempty"` // id of a calendar at Google
	Events   int    `json:"events"`           // in the store; a series counts once
}

// CalendarsOut is the result of list_calendars.
type CalendarsOut struct {
	Calendars []CalendarInfo `json:"calendars" compact:"keep"`
	Count     int            `json:"count"`
	Message   string         `json:"message"`
}

// Text writes a line for each calendar.
func (o CalendarsOut) Text(env *tools.Env) string {
	lines := []string{o.Message}
	for _, c := range o.Calendars {
		name := backend.Label(c.Space, c.Name)
		line := env.Localize("- %s (%s): %s", name, c.Kind, env.Count(c.Events, "%d event", "%d events"))
		if c.Kind == event.GoogleCalendar { // its events are not in the store
			line = env.Localize("- %s (%s): %s", name, c.Kind, c.Remote)
		}
		if c.Default && c.Name != event.DefaultCalendar {
			line += env.Localize(" [default]")
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func listCalendars(ctx context.Context, env *tools.Env, _ CalendarsIn) (out CalendarsOut, err error) {
	all, err := agenda.All(ctx, env)
	if err != nil {
		return out, err
	}
	out.Calendars = []CalendarInfo{}
	chosen := map[*store.Store]string{}
	for i := range all {
		info, st := infoOf(&all[i].Calendar), all[i].St
		if _, ok := chosen[st]; !ok {
			c, err := st.FindCalendar(ctx, "")
			if err != nil {
				return out, err
			}
			chosen[st] = c.Name
		}
		info.Space = st.Ledger.Space
		info.Default = info.Name == chosen[st] && info.Space == tools.Space(env)
		out.Calendars = append(out.Calendars, info)
	}
	out.Count = len(out.Calendars)
	out.Message = env.Localize("Calendars: %d", out.Count)
	return out, nil
}

func infoOf(c *event.Calendar) CalendarInfo {
	info := CalendarInfo{Name: c.Name, Kind: c.Kind, ReadOnly: c.ReadOnly(), Events: c.Events()}
	switch c.Kind {
	case event.GoogleCalendar:
		info.Remote = c.Remote
	case event.SubscriptionCalendar:
		if u, err := url.Parse(c.Remote); err == nil {
			info.URL = u.Scheme + "://" + u.Host + "/…"
		}
	case event.CalDAVCalendar:
		info.URL = c.Remote
	}
	return info
}

// ManagedOut is the result of a command that changes a calendar.
type ManagedOut struct {
	Calendar  CalendarInfo   `json:"calendar"`
	Calendars []CalendarInfo `json:"calendars"` // after the change
	Message   string         `json:"message"`
}

// fill sets the calendars after a change of one in a store.
func (o *ManagedOut) fill(ctx context.Context, env *tools.Env, st *store.Store, c *event.Calendar) error {
	all, err := listCalendars(ctx, env, CalendarsIn{})
	o.Calendar, o.Calendars = infoOf(c), all.Calendars
	for _, info := range all.Calendars {
		if info.Name == c.Name && info.Space == st.Ledger.Space {
			o.Calendar = info
		}
	}
	return err
}

// DefaultIn is the input of the command cal default.
type DefaultIn struct {
	Name string `json:"name" minLength:"1" doc:"The calendar's name" record:"calendar"`
}

// SetDefault chooses the calendar of calls that name none.
func SetDefault(ctx context.Context, env *tools.Env, in DefaultIn) (out ManagedOut, err error) {
	st, err := env.Store(ctx, tools.Changes)
	if err != nil {
		return out, err
	}
	c, err := st.SetDefaultCalendar(ctx, event.CalendarName(in.Name))
	if err != nil {
		return out, backend.Explain(env, err)
	}
	if err := out.fill(ctx, env, st, &c); err != nil {
		return out, err
	}
	out.Message = env.Localize("Calls that name no calendar now use %s", c.Name)
	return out, nil
}

// RenameIn is the input of the command cal rename.
type RenameIn struct {
	Old string `json:"old" minLength:"1" doc:"The calendar's name"`
	New string `json:"new" minLength:"1" doc:"The new name"`
}

// Rename renames a calendar.
func Rename(ctx context.Context, env *tools.Env, in RenameIn) (out ManagedOut, err error) {
	f := &agenda.Checker{Env: env}
	to := f.Calendar(in.New)
	if len(f.Problems) > 0 {
		f.Problems[0].Path = "/new"
		return out, f.Err()
	}
	st, err := env.Store(ctx, tools.Changes)
	if err != nil {
		return out, err
	}
	c, err := st.RenameCalendar(ctx, event.CalendarName(in.Old), to)
	if err != nil {
		return out, backend.Explain(env, err)
	}
	if err := out.fill(ctx, env, st, &c); err != nil {
		return out, err
	}
	out.Message = env.Localize("Renamed the calendar %s to %s", in.Old, c.Name)
	return out, nil
}

// RemoveIn is the input of the command cal remove.
type RemoveIn struct {
	Name   string `json:"name" minLength:"1" doc:"The calendar's name" record:"calendar"`
	Events bool   `json:"events,omitempty" doc:"Also remove its events from the store"`
}

// Remove removes a calendar from the store, and returns how it was connected.
func Remove(ctx context.Context, env *tools.Env, in RemoveIn) (out ManagedOut, was event.Binding, err error) {
	st, err := env.Store(ctx, tools.Removes)
	if err != nil {
		return out, was, err
	}
	name := event.CalendarName(in.Name)
	c, err := st.FindCalendar(ctx, name) // fails for one whose removal was cut off
	if err == nil || errors.As(err, new(*ledger.NotFoundError)) {
		c, err = st.RemoveCalendar(ctx, name, in.Events || err == nil && !c.Local())
	}
	if err != nil {
		err = backend.Explain(env, err)
		if e := new(tools.Error); errors.As(err, &e) && e.Code == tools.NotFound {
			e.Hint = env.Hint("See %s; %s deletes an event", tools.Use("cal calendars"), tools.Use("cal delete"))
		}
		return out, was, err
	}
	if err := out.fill(ctx, env, st, &c); err != nil {
		return out, was, err
	}
	out.Message = env.Localize("Removed the calendar %s", c.Name)
	if !c.Local() {
		out.Message = env.Localize("Disconnected the calendar %s; its events are still at their service", c.Name)
	}
	return out, c.Binding, nil
}

// Tools returns the tools of this family in the order of the help.
func Tools() []*tools.Tool {
	return []*tools.Tool{Create, List, Get, Update, Move, Delete, free.Check, free.Suggest, Calendars}
}
