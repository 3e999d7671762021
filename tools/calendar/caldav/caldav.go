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
	"strings"

	"techo/store"
	"techo/store/calendar"
	"techo/store/event"
	"techo/store/todo"
	"techo/tools"
	"techo/tools/calendar/backend"
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
	gone := map[string]bool{}
	for range 1000 { // a server may answer in parts
		m, err := d.client.ask(ctx, "REPORT", d.calendar.Remote, "0", `<d:sync-collection `+davNames+
			`><d:sync-token>`+escapeXML(token)+`</d:sync-token><d:sync-level>1</d:sync-level><d:prop><d:getetag/>`+
			`<c:calendar-data/></d:prop></d:sync-collection>`)
		if err != nil {
			return err
		}
		missing, err := objectsIn(d.Env, &m, &change)
		if err == nil {
			err = d.multiget(ctx, missing, &change)
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
	change.State = event.SyncState{Token: token, At: d.Env.Now()}
	if token == d.calendar.Sync.Token && len(change.Objects) == 0 && len(gone) == 0 && !change.Whole {
		return nil // nothing to write
	}
	return d.apply(ctx, change, gone)
}

// apply stores a change. Resources that are gone are known by their address.
func (d Calendar) apply(ctx context.Context, change calendar.Change, gone map[string]bool) error {
	st, err := d.Env.Store(ctx, tools.Changes)
	if err != nil {
		return err
	}
	if len(gone) > 0 {
		objects, err := calendar.NewMirror(st.Ledger, d.Name).Objects(ctx)
		if err != nil {
			return err
		}
		for uid, o := range objects {
			if gone[o.Href] {
				change.Gone = append(change.Gone, uid)
			}
		}
	}
	return calendar.NewMirror(st.Ledger, d.Name).Apply(ctx, change)
}

// multigetSize is the number of resources that one request asks for.
const multigetSize = 200

// multiget fetches resources that the server listed without their content.
func (d Calendar) multiget(ctx context.Context, hrefs []string, change *calendar.Change) error {
	for len(hrefs) > 0 {
		var b strings.Builder
		b.WriteString(`<c:calendar-multiget ` + davNames + `><d:prop><d:getetag/><c:calendar-data/></d:prop>`)
		n := min(multigetSize, len(hrefs))
		for _, href := range hrefs[:n] {
			b.WriteString("<d:href>" + escapeXML(href) + "</d:href>")
		}
		b.WriteString(`</c:calendar-multiget>`)
		hrefs = hrefs[n:]
		m, err := d.client.ask(ctx, "REPORT", d.calendar.Remote, "1", b.String())
		if err != nil {
			return err
		}
		if _, err := objectsIn(d.Env, &m, change); err != nil {
			return err
		}
	}
	return nil
}

func escapeXML(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder never fails
	return b.String()
}
