// Package caldav keeps calendars at CalDAV servers, with a copy in the store. A call first sends one
// sync-collection (RFC 6578). A change of a series is tried in a temporary store, which has the rules.
// If a server refuses the events with 403, questions of availability send a free-busy-query.
package caldav

import (
	"context"
	"encoding/xml"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"techo/store"
	"techo/store/calendar"
	"techo/store/event"
	"techo/store/todo"
	"techo/tools"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/ics"
)

// Calendar is a calendar at a CalDAV server. The store has a copy, which every call
// brings up to date with one request. Changes go to the server first.
type Calendar struct {
	backend.Local
	client   *client
	calendar event.Calendar
	written  *[]string // UIDs that this call wrote at the server
}

// Open returns a calendar at a CalDAV server. It sends no request.
func Open(env *tools.Env, st *store.Store, c event.Calendar) Calendar {
	base, err := url.Parse(c.Remote)
	if err != nil {
		base = &url.URL{} // no request succeeds
	}
	return Calendar{backend.InStore(st, env, c, true), &client{env, c.Account, base}, c, new([]string)}
}

// Find returns the events of the copy. If the server did not answer, it returns the
// events that the copy has with the error.
func (d Calendar) Find(ctx context.Context, q event.Query) (event.Found, error) {
	stale := d.Sync(ctx)
	found, err := d.Local.Find(ctx, q)
	return found, errors.Join(stale, err)
}

func (d Calendar) Get(ctx context.Context, id string) (event.Occurrence, error) {
	_ = d.Sync(ctx) // the copy answers
	return d.Local.Get(ctx, id)
}

func (d Calendar) Each(ctx context.Context, fn func(event.Event) error) error {
	if err := d.Sync(ctx); err != nil {
		return err
	}
	return d.Local.Each(ctx, fn)
}

// Sync brings the copy up to date.
func (d Calendar) Sync(ctx context.Context) error {
	return backend.ServiceError(d.Env, updateCopy(ctx, d))
}

// updateCopy brings the copy of a calendar up to date. The error is the server's.
func updateCopy(ctx context.Context, d Calendar) error {
	if d.calendar.Sync.Reader != ics.ReaderVersion {
		return d.pull(ctx, "")
	}
	err := d.pull(ctx, d.calendar.Sync.Token)
	if d.calendar.Sync.Token != "" && tokenExpired(err) {
		err = d.pull(ctx, "")
	}
	return err
}

// tokenExpired reports whether the server does not know a sync token any more.
func tokenExpired(err error) bool {
	status := new(backend.StatusError)
	return errors.As(err, &status) && (status.Status == http.StatusForbidden || status.Status == http.StatusConflict ||
		status.Status == http.StatusPreconditionFailed || status.Status == http.StatusGone)
}

// pull fetches what changed since a token; "" fetches everything.
func (d Calendar) pull(ctx context.Context, token string) error {
	change := calendar.Change{Events: map[string][]event.Event{}, Todos: map[string][]todo.Todo{},
		Objects: map[string]calendar.RemoteObject{}, Whole: token == "", Own: *d.written}
	changed := map[string]bool{} // addresses
	gone := map[string]bool{}
	for range 1000 { // a server may answer in parts
		m, err := d.client.ask(ctx, "REPORT", d.calendar.Remote, "0", `<d:sync-collection `+davNames+
			`><d:sync-token>`+escapeXML(token)+`</d:sync-token><d:sync-level>1</d:sync-level><d:prop><d:getetag/>`+
			`<c:calendar-data/></d:prop></d:sync-collection>`)
		if err != nil {
			return err
		}
		missing, err := objectsIn(d.Env, &m, &change, changed)
		if err == nil {
			err = d.fetch(ctx, missing, &change, changed)
		}
		if err != nil {
			return err
		}
		cut := false
		for i := range m.Responses {
			if r := &m.Responses[i]; r.gone() {
				gone[r.Href] = true
			} else {
				cut = cut || strings.Contains(r.Status, " 507")
			}
		}
		token = m.Token
		if !cut {
			break
		}
	}
	unread := change.State.Unread
	change.State = event.SyncState{Token: token, At: d.Env.Now(), Reader: ics.ReaderVersion}
	if token == d.calendar.Sync.Token && len(changed) == 0 && len(gone) == 0 && !change.Whole {
		return nil // nothing to write
	}
	if !change.Whole {
		for _, u := range d.calendar.Sync.Unread {
			if !changed[u.Href] && !gone[u.Href] {
				change.State.Unread = append(change.State.Unread, u)
			}
		}
	}
	change.State.Unread = append(change.State.Unread, unread...)
	change.State.Unread = change.State.Unread[:min(len(change.State.Unread), event.MaxUnread)]
	return d.apply(ctx, change, changed, gone)
}

// apply stores a change. Resources that are gone are known by their address, and so are UIDs that a
// changed resource has no more.
func (d Calendar) apply(ctx context.Context, change calendar.Change, changed, gone map[string]bool) error {
	st, err := d.Env.Store(ctx, tools.Changes)
	if err != nil {
		return err
	}
	if len(gone)+len(changed) > 0 && !change.Whole {
		objects, err := calendar.NewMirror(st.Ledger, d.Name).Objects(ctx)
		if err != nil {
			return err
		}
		for uid, o := range objects {
			if _, known := change.Objects[uid]; gone[o.Href] || changed[o.Href] && !known {
				change.Gone = append(change.Gone, uid)
			}
		}
	}
	return calendar.NewMirror(st.Ledger, d.Name).Apply(ctx, change)
}

// multigetSize is the number of resources that one request asks for.
const multigetSize = 200

// fetch fetches resources that the server listed without their content.
func (d Calendar) fetch(ctx context.Context, hrefs []string, change *calendar.Change, changed map[string]bool) error {
	for some := range slices.Chunk(hrefs, multigetSize) {
		m, err := d.client.ask(ctx, "REPORT", d.calendar.Remote, "1", multiget(some))
		if err != nil {
			return err
		}
		if _, err := objectsIn(d.Env, &m, change, changed); err != nil {
			return err
		}
	}
	return nil
}

// multiget is the request for the contents of resources.
func multiget(hrefs []string) string {
	var b strings.Builder
	b.WriteString(`<c:calendar-multiget ` + davNames + `><d:prop><d:getetag/><c:calendar-data/></d:prop>`)
	for _, href := range hrefs {
		b.WriteString("<d:href>" + escapeXML(href) + "</d:href>")
	}
	return b.String() + `</c:calendar-multiget>`
}

func escapeXML(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder never fails
	return b.String()
}
