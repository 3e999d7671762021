package calendar

import (
	"context"
	"sync"
	"testing"

	"techo/store/event"
	todostore "techo/store/todo"
	"techo/tools"
	"techo/tools/calendar/todo"
)

// TestAddDuringRenaming adds to the chosen default calendar while it is renamed. No calendar
// with an earlier name comes up again.
func TestAddDuringRenaming(t *testing.T) {
	w := newDetailsWorld(t)
	st, err := w.env.Store(t.Context(), tools.Changes)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.ImportEvents(t.Context(), "a", []event.Event{{UID: "x", Title: "x"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := st.SetDefaultCalendar(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	const calls = 20
	ctx, cancel := context.WithCancel(t.Context())
	var renaming, adding sync.WaitGroup
	renaming.Go(func() {
		for names := [2]string{"a", "b"}; ctx.Err() == nil; names[0], names[1] = names[1], names[0] {
			if _, err := st.RenameCalendar(t.Context(), names[0], names[1]); err != nil {
				t.Error(err)
				return
			}
		}
	})
	adds := []func() error{
		func() error {
			_, err := createEvent(t.Context(), w.env, CreateIn{Title: "e", Start: "2026-01-05T10:00", Busy: true})
			return err
		},
		func() error {
			_, err := runTool[todo.AddIn, todo.Out](t, todo.Add, w.env, todo.AddIn{Title: "t"})
			return err
		},
		func() error {
			slots := []string{"2026-01-05T10:00/60m"}
			_, err := Hold(t.Context(), w.env, HoldIn{Title: "h", Slots: slots, Expires: "2099-01-01"})
			return err
		},
	}
	for _, add := range adds {
		adding.Go(func() {
			for range calls {
				if err := add(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	adding.Wait()
	cancel()
	renaming.Wait()
	all, err := st.Calendars(t.Context())
	if err != nil || len(all) != 2 || all[1].Name != event.DefaultCalendar || all[0].Events() != 2*calls+1 {
		t.Errorf("%+v, %v", all, err)
	}
	found, err := todostore.Of(st.Ledger).Find(t.Context(), all[0].Name, todostore.Query{Open: true, Done: true}, w.env.Zone)
	if err != nil || len(found.Todos) != calls {
		t.Errorf("%d to-dos, %v", len(found.Todos), err)
	}
}
