package calendar

import (
	"context"
	"encoding/xml"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"techo/store"
	"techo/tools"
)

// calDAV is a calendar at a CalDAV server. The store has a copy, which every call
// brings up to date with one request. Changes go to the server first.
type calDAV struct {
	localCalendar
	client   *davClient
	calendar store.Calendar
	written  *[]string // UIDs that this call wrote at the server
}

func newCalDAV(env *tools.Env, st *store.Store, c store.Calendar) calDAV {
	base, err := url.Parse(c.Remote)
	if err != nil {
		base = &url.URL{} // no request succeeds
	}
	return calDAV{inStore(st, env, c, true), &davClient{env, c.Account, base}, c, new([]string)}
}

// find returns the events of the copy. If the server did not answer, it returns the
// events that the copy has with the error.
func (d calDAV) find(ctx context.Context, q store.EventQuery) (store.Found, error) {
	stale := d.sync(ctx)
	found, err := d.localCalendar.find(ctx, q)
	return found, errors.Join(stale, err)
}

func (d calDAV) get(ctx context.Context, id string) (store.Occurrence, error) {
	_ = d.sync(ctx) // the copy answers
	return d.localCalendar.get(ctx, id)
}

func (d calDAV) each(ctx context.Context, fn func(store.Event) error) error {
	if err := d.sync(ctx); err != nil {
		return err
	}
	return d.localCalendar.each(ctx, fn)
}

// sync brings the copy up to date.
func (d calDAV) sync(ctx context.Context) error { return serviceError(d.env, updateCopy(ctx, d)) }

// updateCopy brings the copy of a calendar up to date. The error is the server's.
func updateCopy(ctx context.Context, d calDAV) error {
	err := d.pull(ctx, d.calendar.Sync.Token)
	if d.calendar.Sync.Token != "" && tokenExpired(err) {
		err = d.pull(ctx, "")
	}
	return err
}

// tokenExpired reports whether the server does not know a sync token any more.
func tokenExpired(err error) bool {
	status := new(statusError)
	return errors.As(err, &status) && (status.status == http.StatusForbidden || status.status == http.StatusConflict ||
		status.status == http.StatusPreconditionFailed || status.status == http.StatusGone)
}

// pull fetches what changed since a token; "" fetches everything.
func (d calDAV) pull(ctx context.Context, token string) error {
	change := store.MirrorChange{Events: map[string][]store.Event{}, Todos: map[string][]store.Todo{},
		Objects: map[string]store.RemoteObject{}, Whole: token == "", Own: *d.written}
	gone := map[string]bool{}
	for range 1000 { // a server may answer in parts
		m, err := d.client.ask(ctx, "REPORT", d.calendar.Remote, "0", `<d:sync-collection `+davNames+
			`><d:sync-token>`+escapeXML(token)+`</d:sync-token><d:sync-level>1</d:sync-level><d:prop><d:getetag/>`+
			`<c:calendar-data/></d:prop></d:sync-collection>`)
		if err != nil {
			return err
		}
		missing, err := objectsIn(d.env, &m, &change)
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
	change.State = store.SyncState{Token: token, At: d.env.Now()}
	if token == d.calendar.Sync.Token && len(change.Objects) == 0 && len(gone) == 0 && !change.Whole {
		return nil // nothing to write
	}
	return d.apply(ctx, change, gone)
}

// apply stores a change. Resources that are gone are known by their address.
func (d calDAV) apply(ctx context.Context, change store.MirrorChange, gone map[string]bool) error {
	st, err := d.env.Store(ctx, tools.Changes)
	if err != nil {
		return err
	}
	if len(gone) > 0 {
		objects, err := store.NewMirror(st, d.name).Objects(ctx)
		if err != nil {
			return err
		}
		for uid, o := range objects {
			if gone[o.Href] {
				change.Gone = append(change.Gone, uid)
			}
		}
	}
	return store.NewMirror(st, d.name).Apply(ctx, change)
}

// multigetSize is the number of resources that one request asks for.
const multigetSize = 200

// multiget fetches resources that the server listed without their content.
func (d calDAV) multiget(ctx context.Context, hrefs []string, change *store.MirrorChange) error {
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
		if _, err := objectsIn(d.env, &m, change); err != nil {
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
