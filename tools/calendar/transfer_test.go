package calendar

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"techo/internal/ical"
	"techo/store/event"
	"techo/tools"
)

// renamedImport returns a file with two transactions of events and a to-do.
func renamedImport() string {
	var b strings.Builder
	b.WriteString("BEGIN:VCALENDAR\r\n")
	for i := range 2001 {
		fmt.Fprintf(&b, "BEGIN:VEVENT\r\nUID:%d\r\nSUMMARY:%[1]d\r\nDTSTART:20260105T100000Z\r\nEND:VEVENT\r\n", i)
	}
	b.WriteString("BEGIN:VTODO\r\nUID:t\r\nSUMMARY:todo\r\nEND:VTODO\r\nEND:VCALENDAR\r\n")
	return b.String()
}

// TestImportDuringRenaming renames a calendar between the transactions of an import.
func TestImportDuringRenaming(t *testing.T) {
	for _, known := range []bool{true, false} {
		w := newDetailsWorld(t)
		st, err := w.env.Store(t.Context(), tools.Changes)
		if err != nil {
			t.Fatal(err)
		}
		if known {
			if _, err := st.ImportEvents(t.Context(), "work", []event.Event{{UID: "x", Title: "x"}}); err != nil {
				t.Fatal(err)
			}
		}
		names := []string{"work", "office", "bureau"}
		w.env.Progress = func(int64, int64) {
			if len(names) > 1 {
				if _, err := st.RenameCalendar(t.Context(), names[0], names[1]); err != nil {
					t.Error(err)
				}
				names = names[1:]
			}
		}
		got, err := Import(t.Context(), w.env, "work", ical.OpenBytes([]byte(renamedImport())), "")
		if err != nil || got.Calendar != "bureau" || got.Added != 2001 || got.Todos.Added != 1 {
			t.Errorf("known %v: %q, %+v, %v", known, got.Calendar, got.Imported, err)
		}
		all, err := st.Calendars(t.Context())
		if err != nil || len(all) != 2 || all[0].Name != "bureau" || all[1].Name != event.DefaultCalendar {
			t.Errorf("known %v: %+v, %v", known, all, err)
		}
		again, err := Import(t.Context(), w.env, "bureau", ical.OpenBytes([]byte(renamedImport())), "")
		if err != nil || again.Unchanged != 2001 || again.Todos.Unchanged != 1 {
			t.Errorf("known %v: again: %+v, %v", known, again, err)
		}
	}
}

// TestImportDuringRemoval removes the calendar between the transactions of an import.
func TestImportDuringRemoval(t *testing.T) {
	w := newDetailsWorld(t)
	st, err := w.env.Store(t.Context(), tools.Changes)
	if err != nil {
		t.Fatal(err)
	}
	w.env.Progress = func(int64, int64) {
		w.env.Progress = nil
		if _, err := st.RemoveCalendar(t.Context(), "work", true); err != nil {
			t.Error(err)
		}
	}
	_, err = Import(t.Context(), w.env, "work", ical.OpenBytes([]byte(renamedImport())), "")
	if refused := new(tools.Error); !errors.As(err, &refused) || refused.Code != tools.Conflict || refused.Hint == "" ||
		refused.Message != "The calendar work was renamed or removed during the import" {
		t.Errorf("%+v", err)
	}
	if all, err := st.Calendars(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("%+v, %v", all, err)
	}
}
