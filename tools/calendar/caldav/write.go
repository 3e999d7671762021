package caldav

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"techo/export"
	"techo/internal/sorting"
	"techo/store"
	"techo/store/calendar"
	"techo/store/event"
	"techo/store/ledger"
	"techo/tools"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/ics"
)

// inputLine is the line of an event with the digest of its input, for calls with an
// idempotency key.
const inputLine = "X-TECHO-INPUT:"

func (d Calendar) Add(ctx context.Context, e event.Event, how event.Write) (w event.Written, err error) {
	unlock, err := d.lock(ctx, how)
	if err != nil {
		return w, err
	}
	defer unlock()
	unread := updateCopy(ctx, d)
	if unread != nil && !onlyFreeBusy(unread) {
		return w, backend.ServiceError(d.Env, unread)
	}
	key, keyed := tools.KeyOf(d.Env)
	if e.UID = backend.NewID(d.calendar.Remote, key, keyed); keyed {
		e.Extra = append(slices.Clip(e.Extra), inputLine+key.Input)
	}
	if unread != nil {
		return addUnread(ctx, d, e, how)
	}
	if keyed {
		if old, err := calendar.NewMirror(d.St.Ledger, d.Name).EventsOf(ctx, e.UID); err == nil && len(old) > 0 {
			if !slices.Contains(old[0].Extra, inputLine+key.Input) {
				return w, &ledger.ReusedKeyError{Key: key.Key}
			}
			w.Occurrence, err = calendar.NewMirror(d.St.Ledger, d.Name).Find(ctx, e.UID, "", d.Env.Zone)
			return w, err
		}
	}
	dry := how
	dry.DryRun = true
	if w, err = d.St.AddEvent(ctx, e, dry); err != nil || how.DryRun {
		return w, err
	}
	if err := d.putEvents(ctx, []event.Event{*w.Event}, calendar.RemoteObject{}); err != nil {
		return w, err
	}
	w.Occurrence, err = d.after(ctx, e.UID, "")
	return w, err
}

func (d Calendar) Edit(ctx context.Context, id string, scope event.Scope, how event.Write,
	change func(*event.Event) error) (w event.Written, err error) {
	unlock, err := d.lock(ctx, how)
	if err != nil {
		return w, err
	}
	defer unlock()
	if err := d.Sync(ctx); err != nil {
		return w, err
	}
	dry := how
	dry.DryRun = true
	if w, err = d.St.EditEvent(ctx, id, scope, dry, change); err != nil || how.DryRun {
		return w, err
	}
	var changed event.Written
	err = d.rewrite(ctx, id, func(st *store.Store) (err error) {
		changed, err = st.EditEvent(ctx, id, scope, event.Write{Zone: how.Zone}, change)
		return err
	})
	if err != nil {
		return w, err
	}
	w.Occurrence, err = d.after(ctx, changed.UID, changed.RecurrenceID)
	return w, err
}

func (d Calendar) Remove(ctx context.Context, id string, scope event.Scope) (o event.Occurrence, err error) {
	if err := d.Sync(ctx); err != nil {
		return o, err
	}
	err = d.rewrite(ctx, id, func(st *store.Store) (err error) {
		o, err = st.RemoveEvent(ctx, id, scope, d.Env.Zone)
		return err
	})
	if err == nil {
		err = d.Sync(ctx)
	}
	return o, err
}

func (d Calendar) ImportEvents(ctx context.Context, all []event.Event) (n event.Imported, problems []ics.Problem,
	err error) {
	return importObjects(ctx, d, all, objectKind[event.Event]{
		name: func(e *event.Event) (uid, title string) { return e.UID, e.Title },
		same: func(uid string, new []event.Event) (bool, error) {
			old, err := calendar.NewMirror(d.St.Ledger, d.Name).EventsOf(ctx, uid)
			return err == nil && contentOf(old) == contentOf(new), err
		},
		put: func(_ string, new []event.Event, known calendar.RemoteObject) error {
			return d.putEvents(ctx, new, known)
		},
	})
}

// contentOf returns events as a file, without the times of their records.
func contentOf(events []event.Event) string {
	events = slices.Clone(events)
	for i := range events {
		events[i].CreatedAt, events[i].UpdatedAt = time.Time{}, time.Time{}
	}
	sorting.By(events, func(a, b event.Event) int { return cmp.Compare(a.RecurrenceID, b.RecurrenceID) })
	return export.Calendar{Events: events}.String()
}

// lock makes calls with IfFree wait for each other on this machine.
func (d Calendar) lock(ctx context.Context, how event.Write) (unlock func(), err error) {
	if !how.IfFree || how.DryRun || backend.SettingsOf(d.Env).Google.Lock == nil {
		return func() {}, nil
	}
	return backend.SettingsOf(d.Env).Google.Lock(ctx, d.calendar.Remote)
}

// refreshed brings the copy up to date after a write.
func (d Calendar) refreshed(ctx context.Context) error {
	c, err := d.St.FindCalendar(ctx, d.Name)
	if err != nil {
		return err
	}
	d.calendar = c
	return d.Sync(ctx)
}

// after returns an event as the server has it after a write.
func (d Calendar) after(ctx context.Context, uid, recurrenceID string) (o event.Occurrence, err error) {
	if err := d.refreshed(ctx); err != nil {
		return o, err
	}
	return calendar.NewMirror(d.St.Ledger, d.Name).Find(ctx, uid, recurrenceID, d.Env.Zone)
}

// rewrite applies a change to the events with the UID of an event: in a store of its
// own, which has the rules for series, and then at the server.
func (d Calendar) rewrite(ctx context.Context, id string, change func(*store.Store) error) error {
	o, err := d.St.GetEvent(ctx, id, d.Env.Zone)
	if err != nil {
		return err
	}
	uid := o.UID
	events, err := calendar.NewMirror(d.St.Ledger, d.Name).EventsOf(ctx, uid)
	if err != nil {
		return err
	}
	after, err := d.tryOut(ctx, events, change)
	if err != nil {
		return err
	}
	if len(after) == 1 && contentOf(after[uid]) == contentOf(events) { // the change changed nothing
		return nil
	}
	objects, err := calendar.NewMirror(d.St.Ledger, d.Name).Objects(ctx)
	if err != nil {
		return err
	}
	for other, all := range after { // the second part of a series before its first is cut
		if other != uid {
			if err := d.putEvents(ctx, all, calendar.RemoteObject{}); err != nil {
				return err
			}
		}
	}
	if len(after[uid]) > 0 {
		return d.putEvents(ctx, after[uid], objects[uid])
	}
	return d.delete(ctx, uid, objects[uid])
}

// delete deletes the resource with a UID, which must not have changed.
func (d Calendar) delete(ctx context.Context, uid string, old calendar.RemoteObject) error {
	_, err := d.client.send(ctx, request{method: http.MethodDelete, href: old.Href, match: old.Etag})
	if err == nil {
		*d.written = append(*d.written, uid)
	}
	return backend.ServiceError(d.Env, err)
}

// tryOut applies a change to events in a temporary store, and returns the result by
// UID.
func (d Calendar) tryOut(ctx context.Context, events []event.Event, change func(*store.Store) error) (
	after map[string][]event.Event, err error) {
	after = map[string][]event.Event{}
	err = inTemporaryStore(d.Env, func(st *store.Store) error {
		if _, err := st.ImportEvents(ctx, d.Name, events); err != nil {
			return err
		}
		if err := change(st); err != nil {
			return err
		}
		return st.EachEvent(ctx, d.Name, func(e event.Event) error {
			after[e.UID] = append(after[e.UID], e)
			return nil
		})
	})
	return after, err
}

// inTemporaryStore runs fn with an empty store, which it removes afterwards.
func inTemporaryStore(env *tools.Env, fn func(*store.Store) error) error {
	dir, err := os.MkdirTemp("", "techo-caldav-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	st, err := store.Open(filepath.Join(dir, "store"), store.Options{Write: true, Now: env.Now})
	if err != nil {
		return err
	}
	defer st.Close()
	return fn(st)
}

// putEvents writes the resource of events with one UID.
func (d Calendar) putEvents(ctx context.Context, events []event.Event, known calendar.RemoteObject) error {
	sorting.By(events, func(a, b event.Event) int { return cmp.Compare(a.RecurrenceID, b.RecurrenceID) })
	return d.put(ctx, events[0].UID, export.Calendar{Events: events}, known)
}

// put writes the resource with a UID. An object without an address is new; otherwise it
// must not have changed.
func (d Calendar) put(ctx context.Context, uid string, content export.Calendar, known calendar.RemoteObject) error {
	r := request{method: http.MethodPut, href: known.Href, match: known.Etag, kind: "text/calendar; charset=utf-8",
		body: content.String()}
	if known.Href == "" {
		r.href, r.none = strings.TrimSuffix(d.calendar.Remote, "/")+"/"+url.PathEscape(uid)+".ics", "*"
	}
	_, err := d.client.send(ctx, r)
	if err == nil {
		*d.written = append(*d.written, uid)
	}
	return backend.ServiceError(d.Env, err)
}
