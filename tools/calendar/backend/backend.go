// Package backend defines where the events and to-dos of a calendar are kept, implements the
// calendars of the store, and explains the errors of all of them.
package backend

import (
	"context"

	"techo/store"
	"techo/store/calendar"
	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/ics"
)

// Calendar is a place where events are kept: the store, Google, a CalDAV server, or the address of
// a subscription.
type Calendar interface {
	Find(ctx context.Context, q event.Query) (event.Found, error)
	Get(ctx context.Context, id string) (event.Occurrence, error)
	Add(ctx context.Context, e event.Event, how event.Write) (event.Written, error)
	Edit(ctx context.Context, id string, scope event.Scope, how event.Write,
		change func(*event.Event) error) (event.Written, error)
	Remove(ctx context.Context, id string, scope event.Scope) (event.Occurrence, error)

	// ImportEvents adds events, or replaces those with the same UID. An event that the
	// calendar refuses becomes a problem.
	ImportEvents(ctx context.Context, all []event.Event) (event.Imported, []ics.Problem, error)
	// Each yields the events as they are stored: single events, series, and events that
	// replace an occurrence.
	Each(ctx context.Context, fn func(event.Event) error) error
}

// Local is a calendar in the store.
type Local struct {
	St   *store.Store
	Env  *tools.Env
	Name string
	Into *calendar.Import // what an import writes to
}

// InStore returns a calendar in a store. One that does not exist has only a name.
func InStore(st *store.Store, env *tools.Env, c event.Calendar, exists bool) Local {
	return Local{st, env, c.Name, calendar.NewImport(st.Ledger, c, exists)}
}

func (l Local) Find(ctx context.Context, q event.Query) (event.Found, error) {
	return l.St.FindEvents(ctx, q)
}

func (l Local) Get(ctx context.Context, id string) (event.Occurrence, error) {
	return l.St.GetEvent(ctx, id, l.Env.Zone)
}

func (l Local) Add(ctx context.Context, e event.Event, how event.Write) (event.Written, error) {
	return l.St.AddEvent(ctx, e, how)
}

func (l Local) Edit(ctx context.Context, id string, scope event.Scope, how event.Write,
	change func(*event.Event) error) (event.Written, error) {
	return l.St.EditEvent(ctx, id, scope, how, change)
}

func (l Local) Remove(ctx context.Context, id string, scope event.Scope) (event.Occurrence, error) {
	return l.St.RemoveEvent(ctx, id, scope, l.Env.Zone)
}

func (l Local) ImportEvents(ctx context.Context, all []event.Event) (event.Imported, []ics.Problem, error) {
	n, err := l.Into.Events(ctx, all)
	return n, nil, err
}

func (l Local) Each(ctx context.Context, fn func(event.Event) error) error {
	return l.St.EachEvent(ctx, l.Name, fn)
}

// ToProblems describes the events whose occurrences are incomplete.
func ToProblems(env *tools.Env, all []event.Problem) []ics.Problem {
	texts := map[event.ProblemCode]tools.Text{
		event.TooManyOccurrences: "too many occurrences",
		event.NoMatchingTime:     "no time matches its rule",
		event.NoTime:             "no time",
	}
	problems := []ics.Problem{}
	for _, p := range all {
		message := env.Localize(texts[p.Code])
		switch p.Code {
		case event.UnreadableRule:
			message = env.Localize("its rule cannot be read: %v", p.Cause)
		case event.PartUnread:
			message = UnreadText(env, &p.Unread)
		}
		problems = append(problems, ics.Problem{EventID: p.ID, Title: p.Title, Calendar: p.Calendar, UID: p.UID,
			What: message, Message: message})
	}
	return problems
}

// UnreadText describes what could not be read.
func UnreadText(env *tools.Env, u *event.Unread) string {
	var args []any
	for _, a := range u.Args {
		args = append(args, a)
	}
	return env.Localize(tools.Text(u.Text), args...)
}
