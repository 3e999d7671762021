package calendar

import (
	"context"

	"techo/store"
	"techo/store/calendar"
	"techo/store/event"
	"techo/store/ledger"
	"techo/tools"
	"techo/tools/calendar/caldav"
	"techo/tools/calendar/google"
)

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
