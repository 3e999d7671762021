package calendar

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"techo/export"
	"techo/internal/ical"
	"techo/store"
	"techo/store/calendar"
	"techo/store/event"
	"techo/store/ledger"
	"techo/store/todo"
	"techo/tools"
	"techo/tools/calendar/agenda"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/google"
	"techo/tools/calendar/ics"
)

// Transfer is the result of Import.
type Transfer struct {
	event.Imported
	ics.Read
	Todos    event.Imported
	Calendar string // the name, also of the chosen default
}

// Import adds the events and to-dos of an iCalendar file to a calendar, wherever its
// events are. See ics.Parse for me. To-dos for a calendar that has none are
// skipped. If the calendar is renamed meanwhile, the import goes on under the new name or
// fails with a Conflict.
func Import(ctx context.Context, env *tools.Env, name string, file *ical.Stream, me string) (t Transfer, err error) {
	b, found, err := agenda.Open(ctx, env, name, tools.Changes)
	if err != nil {
		return t, err
	}
	t.Calendar = found
	var refused []ics.Problem
	skipped := 0
	// secret applies the setting for secrets to a part, and reports whether it is left out.
	secret := func(e *event.Event) bool {
		problem := tools.HideTexts(env, &e.Title, &e.Location, &e.Description)
		if problem != "" {
			refused = append(refused, ics.Problem{Line: e.Line, UID: e.UID, Message: problem})
		}
		return problem != ""
	}
	emitTodos := func(ctx context.Context, all []todo.Todo) error {
		all = without(all, func(t *todo.Todo) bool { return secret(&t.Event) })
		at := agenda.TodosAt(b)
		if at == nil {
			skipped += len(all)
			return nil
		}
		n, problems, err := at.ImportAll(ctx, all)
		t.Todos.Add(n)
		refused = append(refused, problems...)
		return err
	}
	emitEvents := func(ctx context.Context, all []event.Event) error {
		all = without(all, secret)
		if _, isGoogle := b.(google.Calendar); isGoogle { // has its own way for invitations
			all = slices.DeleteFunc(all, func(e event.Event) bool {
				own := e.Method == event.MethodReply || e.Method == event.MethodAdd || e.Future && e.Method != "" ||
					e.Method == event.MethodCancel && e.Start.Unix() == 0
				if own {
					refused = append(refused, backend.RefusedProblems(env, []event.Refused{{UID: e.UID, Title: e.Title,
						Method: e.Method, Line: e.Line, Why: event.NotAtService}})...)
				}
				return own
			})
		}
		n, problems, err := b.ImportEvents(ctx, all)
		t.Add(n)
		refused = append(refused, problems...)
		env.Step(int64(t.Added+t.Changed+t.Unchanged), 0)
		return err
	}
	var local backend.Local
	here := false
	read := func(ctx context.Context) (err error) {
		t.Read, err = ics.Parse(env, file, me, ics.Emit{
			Events: func(all []event.Event) error { return emitEvents(ctx, all) },
			Todos:  func(all []todo.Todo) error { return emitTodos(ctx, all) },
		})
		return err
	}
	if file.Begun <= event.ImportChunk {
		local, here = b.(backend.Local)
	}
	if here {
		// One transaction is one change, which one undo takes back.
		err = local.St.Update(ctx, func(tx *ledger.Tx) error {
			t, refused, skipped = Transfer{Calendar: found}, nil, 0
			return read(local.St.Ledger.WithOpen(ctx, tx))
		})
	} else {
		err = read(ctx)
	}
	if missing := new(ledger.NotFoundError); errors.As(err, &missing) && missing.Kind == ledger.KindCalendar {
		return t, env.Fail(tools.Conflict, "The calendar %s was renamed or removed during the import", missing.Name).
			WithHint(env.Hint("See %s; to import the rest, import the file again", tools.Use("cal calendars")))
	}
	if local, ok := b.(backend.Local); ok {
		t.Calendar = local.Into.Name()
	}
	t.Skipped += skipped
	t.Total += len(refused)
	t.Problems = append(t.Problems, refused[:min(len(refused), max(0, ics.MaxProblems-len(t.Problems)))]...)
	return t, err
}

// without returns the elements that leftOut, which may change them, keeps.
func without[T any](all []T, leftOut func(*T) bool) (kept []T) {
	for i := range all {
		if !leftOut(&all[i]) {
			kept = append(kept, all[i])
		}
	}
	return kept
}

// ContentOf returns all events and to-dos of a calendar, wherever they are, and its
// name. The caller closes it, unless it is nil.
func ContentOf(ctx context.Context, env *tools.Env, name string) (*export.Spooled, error) {
	b, found, err := agenda.Open(ctx, env, name, tools.Reads)
	if err != nil {
		return nil, err
	}
	of, err := sourceOf(ctx, env, found)
	if err != nil {
		return nil, err
	}
	c, err := export.NewSpooled()
	if err != nil {
		return nil, err
	}
	c.Name, c.Of = found, of
	err = b.Each(ctx, func(e event.Event) error { return c.AddEvent(&e) })
	if at := agenda.TodosAt(b); at != nil && err == nil {
		err = at.Each(ctx, func(t todo.Todo) error { return c.AddTodo(&t) })
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// sourceOf describes the source of a calendar's content. Its id stays if it is renamed.
func sourceOf(ctx context.Context, env *tools.Env, name string) (of export.From, err error) {
	st, err := env.Store(ctx, tools.Reads)
	if err != nil {
		return of, err
	}
	if of.Store, err = store.IDOf(ctx, st.Ledger); err != nil {
		return of, err
	}
	of.Calendar, err = calendar.IDNamed(ctx, st.Ledger, name)
	of.Calendar = cmp.Or(of.Calendar, name) // the default calendar may have no record
	return of, err
}
