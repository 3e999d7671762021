package caldav

import (
	"cmp"
	"context"
	"errors"
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
	"techo/store/todo"
	"techo/tools"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/ics"
)

// inputLine is the line of an event with the digest of its input, for calls with an
// idempotency key.
const inputLine = "X-TECHO-INPUT:"

func (d Calendar) Add(ctx context.Context, e event.Event, how event.Write) (w event.Written, err error) {
	unlock, err := backend.Lock(ctx, d.Env, d.calendar.Remote, how)
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
	if err := d.create(ctx, e.UID, export.Calendar{Events: []event.Event{*w.Event}}); err != nil {
		return w, err
	}
	w.Occurrence, err = d.after(ctx, e.UID, "")
	return w, err
}

func (d Calendar) Edit(ctx context.Context, id string, scope event.Scope, how event.Write,
	change func(*event.Event) error) (w event.Written, err error) {
	unlock, err := backend.Lock(ctx, d.Env, d.calendar.Remote, how)
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
	o, err := d.St.GetEvent(ctx, id, d.Env.Zone)
	if err != nil {
		return w, err
	}
	var changed event.Written
	err = d.rewrite(ctx, o.UID, scope == event.All, func(st *store.Store) (err error) {
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
	if o, err = d.St.GetEvent(ctx, id, d.Env.Zone); err != nil {
		return o, err
	}
	err = d.rewrite(ctx, o.UID, scope == event.All, func(st *store.Store) (err error) {
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
	return importObjects(ctx, d, all, func(c *export.Calendar, e event.Event) *event.Event {
		c.Events = append(c.Events, e)
		return &e
	})
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

// rewrite applies a change to what the copy has with a UID: in a store of its own, which has the rules
// for series, and then at the server. whole tells that nothing of the UID is to be left.
func (d Calendar) rewrite(ctx context.Context, uid string, whole bool, change func(*store.Store) error) error {
	before, err := d.copied(ctx, uid)
	if err != nil {
		return err
	}
	after, err := d.tryOut(ctx, before, change)
	if err != nil {
		return err
	}
	nothing := len(before.Events)+len(before.Todos) == 0
	if len(after) == 0 && nothing || len(after) == 1 && sameContent(after[uid], before, true) {
		return nil // the change changed nothing
	}
	objects, err := d.objects(ctx)
	if err != nil {
		return err
	}
	if len(after) == 0 && !whole { // the rest of a series may be in what was not read
		if err := d.checkUnread(ctx, objects[uid].Href); err != nil {
			return err
		}
	}
	for other, content := range after { // the second part of a series before its first is cut
		if other != uid {
			if err := d.create(ctx, other, content); err != nil {
				return err
			}
		}
	}
	return d.put(ctx, objects, uid, before, after[uid])
}

// copied returns what the copy has with a UID.
func (d Calendar) copied(ctx context.Context, uid string) (c export.Calendar, err error) {
	mirror := calendar.NewMirror(d.St.Ledger, d.Name)
	if c.Events, err = mirror.EventsOf(ctx, uid); err == nil {
		c.Todos, err = mirror.TodosOf(ctx, uid)
	}
	return c, err
}

// sameContent reports whether two contents with one UID differ in the times of their records only or,
// unless versions count, in their versions.
func sameContent(a, b export.Calendar, versions bool) bool {
	plain := func(c export.Calendar) string {
		c.Events, c.Todos = slices.Clone(c.Events), slices.Clone(c.Todos)
		strip := func(e *event.Event) {
			if e.CreatedAt, e.UpdatedAt = (time.Time{}), (time.Time{}); !versions {
				e.Sequence = 0
			}
		}
		for i := range c.Events {
			strip(&c.Events[i])
		}
		for i := range c.Todos {
			strip(&c.Todos[i].Event)
		}
		sortContent(c)
		return c.String()
	}
	return plain(a) == plain(b)
}

// objects are the resources of a calendar by UID.
type objects map[string]calendar.RemoteObject

func (d Calendar) objects(ctx context.Context) (objects, error) {
	return calendar.NewMirror(d.St.Ledger, d.Name).Objects(ctx)
}

// checkUnread fails if the resource at an address has times that were not read.
func (d Calendar) checkUnread(ctx context.Context, href string) error {
	c, err := d.St.FindCalendar(ctx, d.Name)
	if err != nil {
		return err
	}
	for i := range c.Sync.Unread {
		if u := &c.Sync.Unread[i]; u.Times && u.Href == href {
			return lossError(d.Env, backend.UnreadText(d.Env, u)).
				WithHint(d.Env.Hint("To delete all of it: %s", tools.Field("scope", "all")))
		}
	}
	return nil
}

// delete deletes the resource with a UID, which must not have changed.
func (d Calendar) delete(ctx context.Context, uid string, old calendar.RemoteObject) error {
	_, err := d.client.send(ctx, request{method: http.MethodDelete, href: old.Href, match: old.Etag})
	if err == nil {
		*d.written = append(*d.written, uid)
	}
	return backend.ServiceError(d.Env, err)
}

// tryOut applies a change to a content in a temporary store, where it has the same ids, and returns
// the result by UID.
func (d Calendar) tryOut(ctx context.Context, before export.Calendar, change func(*store.Store) error) (
	after map[string]export.Calendar, err error) {
	dir, err := os.MkdirTemp("", "techo-caldav-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	st, err := store.Open(filepath.Join(dir, "store"), store.Options{Write: true, Now: d.Env.Now})
	if err != nil {
		return nil, err
	}
	defer st.Close()
	if len(before.Events) > 0 {
		_, err = st.ImportEvents(ctx, d.Name, before.Events)
	}
	if err == nil && len(before.Todos) > 0 {
		_, err = st.ImportTodos(ctx, d.Name, before.Todos)
	}
	if err == nil {
		err = change(st)
	}
	if err != nil {
		return nil, err
	}
	after = map[string]export.Calendar{}
	if _, err := st.FindCalendar(ctx, d.Name); err != nil { // nothing is in it
		missing := new(ledger.NotFoundError)
		if errors.As(err, &missing) {
			return after, nil
		}
		return nil, err
	}
	err = st.EachEvent(ctx, d.Name, func(e event.Event) error {
		c := after[e.UID]
		c.Events = append(c.Events, e)
		after[e.UID] = c
		return nil
	})
	if err == nil {
		err = todo.Of(st.Ledger).Each(ctx, d.Name, func(t todo.Todo) error {
			c := after[t.UID]
			c.Todos = append(c.Todos, t)
			after[t.UID] = c
			return nil
		})
	}
	return after, err
}

// create writes a new resource.
func (d Calendar) create(ctx context.Context, uid string, content export.Calendar) error {
	sortContent(content)
	return d.send(ctx, uid, content.String(), calendar.RemoteObject{})
}

// sortContent brings the events and to-dos with a UID into the usual order: a series comes first.
func sortContent(c export.Calendar) {
	sorting.By(c.Events, func(a, b event.Event) int { return cmp.Compare(a.RecurrenceID, b.RecurrenceID) })
	sorting.By(c.Todos, func(a, b todo.Todo) int { return cmp.Compare(a.RecurrenceID, b.RecurrenceID) })
}

// put brings the resource with a UID, which must not have changed, from one content to another. It
// changes only the properties that differ. Without content the resource is deleted.
func (d Calendar) put(ctx context.Context, objects objects, uid string, before, after export.Calendar) error {
	sortContent(after)
	known, ok := objects[uid]
	if !ok {
		return d.send(ctx, uid, after.String(), known)
	}
	var others []string // the series that are in the same resource
	for other, o := range objects {
		if o.Href == known.Href && other != uid {
			others = append(others, other)
		}
	}
	empty := len(after.Events)+len(after.Todos) == 0
	if empty && len(others) == 0 {
		return d.delete(ctx, uid, known)
	}
	data, err := d.client.get(ctx, known.Href)
	if err != nil {
		return backend.ServiceError(d.Env, err)
	}
	o, err := readObject(d.Env, data)
	if err != nil {
		return err
	}
	err = errSeveral
	if !empty {
		err = o.change(uid, before, after)
	}
	if errors.Is(err, errSeveral) {
		return d.separate(ctx, uid, data, known, others, before, after)
	}
	if err != nil {
		return err
	}
	return d.send(ctx, uid, o.text.String(), known)
}

// separate writes the series that share a resource to resources of their own, one of them with a new
// content. The first part of the series keeps the resource.
func (d Calendar) separate(ctx context.Context, uid string, data []byte, known calendar.RemoteObject, others []string,
	before, after export.Calendar) error {
	o, err := readObject(d.Env, data)
	if err != nil {
		return err
	}
	first := uid
	for _, other := range others {
		if event.IsLaterPart(other, first) {
			first = other
		}
	}
	if problem := o.unreadTime(nil); problem != nil || len(others) == 0 {
		return o.refuse(problem)
	}
	rest := export.Calendar{}
	for _, other := range append(others, uid) {
		content := after
		if other != uid {
			if content, err = d.copied(ctx, other); err != nil {
				return err
			}
		}
		if other == first {
			rest = content
		} else if len(content.Events) > 0 {
			if err := d.create(ctx, other, content); err != nil {
				return err
			}
		}
	}
	if first != uid {
		before = rest
	}
	if len(rest.Events) == 0 {
		return d.delete(ctx, first, known)
	}
	if err := o.cutTo(first, before, rest); err != nil {
		return err
	}
	*d.written = append(*d.written, uid)
	return d.send(ctx, first, o.text.String(), known)
}

// send writes a resource. Without an address it is new; otherwise it must not have changed.
func (d Calendar) send(ctx context.Context, uid, content string, known calendar.RemoteObject) error {
	r := request{method: http.MethodPut, href: known.Href, match: known.Etag, kind: "text/calendar; charset=utf-8",
		body: content}
	if known.Href == "" {
		r.href, r.none = strings.TrimSuffix(d.calendar.Remote, "/")+"/"+url.PathEscape(uid)+".ics", "*"
	}
	_, err := d.client.send(ctx, r)
	if err == nil {
		*d.written = append(*d.written, uid)
	}
	return backend.ServiceError(d.Env, err)
}

// get returns the text of a resource, with its line ends: in XML they are not told apart.
func (c *client) get(ctx context.Context, href string) ([]byte, error) {
	a, refused := c.send(ctx, request{method: http.MethodGet, href: href})
	if refused == nil || !errors.As(refused, new(*backend.StatusError)) {
		return a.body, refused
	}
	m, err := c.ask(ctx, "REPORT", c.base.String(), "1", multiget([]string{href}))
	if err != nil {
		return nil, err
	}
	for i := range m.Responses {
		if r := &m.Responses[i]; r.Href == href && r.prop().Data != "" {
			return []byte(strings.ReplaceAll(r.prop().Data, "\n", "\r\n")), nil
		}
	}
	return nil, refused
}
