// Package backend defines where the events and to-dos of a calendar are kept, implements the
// calendars of the store, and explains the errors of all of them.
package backend

import (
	"context"

	"techo/store"
	"techo/tools"
	"techo/tools/calendar/ics"
)

// Calendar is a place where events are kept: the store, Google, a CalDAV server, or the address of
// a subscription.
type Calendar interface {
	Find(ctx context.Context, q store.EventQuery) (store.Found, error)
	Get(ctx context.Context, id string) (store.Occurrence, error)
	Add(ctx context.Context, e store.Event, how store.EventWrite) (store.Written, error)
	Edit(ctx context.Context, id string, scope store.Scope, how store.EventWrite,
		change func(*store.Event) error) (store.Written, error)
	Remove(ctx context.Context, id string, scope store.Scope) (store.Occurrence, error)

	// ImportEvents adds events, or replaces those with the same UID. An event that the
	// calendar refuses becomes a problem.
	ImportEvents(ctx context.Context, all []store.Event) (store.Imported, []ics.Problem, error)
	// Each yields the events as they are stored: single events, series, and events that
	// replace an occurrence.
	Each(ctx context.Context, fn func(store.Event) error) error
}

// Local is a calendar in the store.
type Local struct {
	St   *store.Store
	Env  *tools.Env
	Name string
	Into *store.Import // what an import writes to
}

// InStore returns a calendar in a store. One that does not exist has only a name.
func InStore(st *store.Store, env *tools.Env, c store.Calendar, exists bool) Local {
	return Local{st, env, c.Name, store.NewImport(st.Ledger, c, exists)}
}

func (l Local) Find(ctx context.Context, q store.EventQuery) (store.Found, error) {
	return l.St.FindEvents(ctx, q)
}

func (l Local) Get(ctx context.Context, id string) (store.Occurrence, error) {
	return l.St.GetEvent(ctx, id, l.Env.Zone)
}

func (l Local) Add(ctx context.Context, e store.Event, how store.EventWrite) (store.Written, error) {
	return l.St.AddEvent(ctx, e, how)
}

func (l Local) Edit(ctx context.Context, id string, scope store.Scope, how store.EventWrite,
	change func(*store.Event) error) (store.Written, error) {
	return l.St.EditEvent(ctx, id, scope, how, change)
}

func (l Local) Remove(ctx context.Context, id string, scope store.Scope) (store.Occurrence, error) {
	return l.St.RemoveEvent(ctx, id, scope, l.Env.Zone)
}

func (l Local) ImportEvents(ctx context.Context, all []store.Event) (store.Imported, []ics.Problem, error) {
	n, err := l.Into.Events(ctx, all)
	return n, nil, err
}

func (l Local) Each(ctx context.Context, fn func(store.Event) error) error {
	return l.St.EachEvent(ctx, l.Name, fn)
}

// ToProblems describes the events whose occurrences are incomplete.
func ToProblems(env *tools.Env, all []store.EventProblem) []ics.Problem {
	texts := map[store.EventProblemCode]tools.Text{
		store.TooManyOccurrences: "too many occurrences",
		store.NoMatchingTime:     "no time matches its rule",
		store.NoTime:             "no time",
	}
	problems := []ics.Problem{}
	for _, p := range all {
		message := env.Localize(texts[p.Code])
		if p.Code == store.UnreadableRule {
			message = env.Localize("its rule cannot be read: %v", p.Cause)
		}
		problems = append(problems, ics.Problem{EventID: p.ID, Title: p.Title, Message: message})
	}
	return problems
}
