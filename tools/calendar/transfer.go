package calendar

import (
	"context"
	"slices"

	"techo/store"
	"techo/tools"
)

// Transfer is the result of Import.
type Transfer struct {
	store.Imported
	Read
	Calendar string // the name, also of the chosen default
}

// Import adds the events of an iCalendar file to a calendar, wherever its events
// are. See ReadICS for data and me.
func Import(ctx context.Context, env *tools.Env, name string, data []byte, me string) (t Transfer, err error) {
	b, found, err := backendOf(ctx, env, name, tools.Changes)
	if err != nil {
		return t, err
	}
	t.Calendar = found
	var refused []Problem
	t.Read, err = ReadICS(env, data, me, func(all []store.Event) error {
		if _, isGoogle := b.(google); isGoogle { // has its own way for invitations
			all = slices.DeleteFunc(all, func(e store.Event) bool {
				return e.Method == store.MethodReply || e.Method == store.MethodCancel && e.Start.Unix() == 0
			})
		}
		n, problems, err := b.importEvents(ctx, all)
		t.Add(n)
		refused = append(refused, problems...)
		env.Step(int64(t.Added+t.Changed+t.Unchanged), 0)
		return err
	})
	t.Total += len(refused)
	t.Problems = append(t.Problems, refused[:min(len(refused), max(0, MaxProblems-len(t.Problems)))]...)
	return t, err
}

// EventsOf returns all events of a calendar, wherever they are, and its name.
func EventsOf(ctx context.Context, env *tools.Env, name string) (all []store.Event, found string, err error) {
	b, found, err := backendOf(ctx, env, name, tools.Reads)
	if err != nil {
		return nil, found, err
	}
	err = b.each(ctx, func(e store.Event) error {
		all = append(all, e)
		return nil
	})
	return all, found, err
}
