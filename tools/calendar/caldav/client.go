package caldav

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"techo/store/calendar"
	"techo/tools"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/ics"
	"techo/tools/internet"
)

// Limits of requests to CalDAV servers.
const (
	davTimeout   = 60 * time.Second // of one request, in a call without a timeout of its own
	maxDAVAnswer = 128 << 20        // bytes
)

// client sends requests to one CalDAV server (RFC 4791, RFC 6578). The library
// go-webdav cannot send If-Match, so it would overwrite changes of other programs.
type client struct {
	env     *tools.Env
	account string
	base    *url.URL
}

type request struct {
	method, href string
	depth        string
	body         string
	kind         string // content type of the body
	match, none  string // If-Match and If-None-Match
	limit        int    // bytes of the answer; 0 means maxDAVAnswer
}

type answer struct {
	status int
	etag   string
	body   []byte
}

// multistatus is the answer to PROPFIND and REPORT.
type multistatus struct {
	Responses []davResponse `xml:"DAV: response"`
	Token     string        `xml:"DAV: sync-token"`
}

// davResponse describes one resource.
type davResponse struct {
	Href     string `xml:"DAV: href"`
	Status   string `xml:"DAV: status"`
	Propstat []struct {
		Status string  `xml:"DAV: status"`
		Prop   davProp `xml:"DAV: prop"`
	} `xml:"DAV: propstat"`
}

// davProp has the properties that techo asks for.
type davProp struct {
	Etag     string `xml:"DAV: getetag"`
	Data     string `xml:"urn:ietf:params:xml:ns:caldav calendar-data"`
	Name     string `xml:"DAV: displayname"`
	Resource struct {
		Calendar *struct{} `xml:"urn:ietf:params:xml:ns:caldav calendar"`
	} `xml:"DAV: resourcetype"`
	Principal struct {
		Href string `xml:"DAV: href"`
	} `xml:"DAV: current-user-principal"`
	Home struct {
		Href []string `xml:"DAV: href"`
	} `xml:"urn:ietf:params:xml:ns:caldav calendar-home-set"`
}

// gone reports whether the resource does not exist any more.
func (r *davResponse) gone() bool { return strings.Contains(r.Status, " 404") }

func (r *davResponse) prop() davProp {
	for _, p := range r.Propstat {
		if strings.Contains(p.Status, " 200") {
			return p.Prop
		}
	}
	return davProp{}
}

// resolve returns the URL of a reference. It must be on the server of the calendar,
// which gets the password.
func (c *client) resolve(href string) (*url.URL, error) {
	u, err := c.base.Parse(href)
	if err != nil {
		return nil, err
	}
	if u.Scheme != c.base.Scheme || u.Host != c.base.Host {
		return nil, fmt.Errorf("the server refers to another one: %s://%s", u.Scheme, u.Host)
	}
	return u, nil
}

// send sends a request. A status above 399 is an error. It follows redirects on the
// same server.
func (c *client) send(ctx context.Context, d request) (a answer, err error) {
	ctx, stop := limited(ctx)
	defer stop()
	client := internet.GuardedClient(c.env)
	for range backend.MaxRedirects {
		u, err := c.resolve(d.href)
		if err != nil {
			return a, err
		}
		r, err := c.request(ctx, d, u)
		if err != nil {
			return a, err
		}
		resp, err := client.Do(r)
		if err != nil {
			if u := new(url.Error); errors.As(err, &u) {
				err = u.Err
			}
			return a, err
		}
		a, next, err := readDAV(resp, cmp.Or(d.limit, maxDAVAnswer))
		if err != nil || next == "" {
			return a, err
		}
		d.href = next
	}
	return a, errors.New("too many redirects")
}

// limited bounds the time of a request, unless the call has a timeout: a large calendar on
// a slow server takes minutes.
func limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, bounded := ctx.Deadline(); bounded {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, davTimeout)
}

// request builds a request. A password goes only to https, or to a host that the
// person allows to be private.
func (c *client) request(ctx context.Context, d request, u *url.URL) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, d.method, u.String(), strings.NewReader(d.body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", internet.Of(c.env).Agent)
	for name, v := range map[string]string{"Depth": d.depth, "Content-Type": d.kind, "If-Match": d.match,
		"If-None-Match": d.none} {
		if v != "" {
			r.Header.Set(name, v)
		}
	}
	if c.env.Calendars.Password == nil {
		return r, nil
	}
	user, password, err := c.env.Calendars.Password(ctx, c.account)
	if err != nil || user == "" {
		return r, err
	}
	if u.Scheme != "https" && !internet.Of(c.env).AllowsPrivate(u.Hostname(), u.Port()) {
		return nil, c.env.Fail(tools.Forbidden, "A password needs https").
			WithHint(c.env.Hint("If you trust the host: TECHO_WEB_ALLOW=HOST"))
	}
	r.SetBasicAuth(user, password)
	return r, nil
}

// readDAV reads an answer of up to limit bytes. next is the target of a redirect.
func readDAV(resp *http.Response, limit int) (a answer, next string, err error) {
	defer resp.Body.Close()
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		to, err := resp.Location()
		if err != nil {
			return a, "", err
		}
		return a, to.String(), nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(limit)+1))
	switch {
	case err != nil:
		return a, "", err
	case len(body) > limit:
		return a, "", fmt.Errorf("more than %d bytes", limit)
	}
	a = answer{resp.StatusCode, resp.Header.Get("ETag"), body}
	if resp.StatusCode >= 400 {
		return a, "", &backend.StatusError{Status: resp.StatusCode, Retry: backend.RetryAfter(resp)}
	}
	return a, "", nil
}

func (c *client) ask(ctx context.Context, method, href, depth, body string) (m multistatus, err error) {
	a, err := c.send(ctx, request{method: method, href: href, depth: depth, body: xml.Header + body,
		kind: "application/xml; charset=utf-8"})
	if err != nil {
		return m, err
	}
	if a.status != http.StatusMultiStatus {
		return m, &backend.StatusError{Status: a.status}
	}
	err = xml.NewDecoder(bytes.NewReader(a.body)).Decode(&m)
	return m, err
}

const (
	davNames     = `xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"`
	findCalendar = `<d:propfind ` + davNames + `><d:prop><d:resourcetype/><d:displayname/><d:current-user-principal/>` +
		`<c:calendar-home-set/></d:prop></d:propfind>`
)

// discover returns the calendars at an address: itself, or all that its user has.
func (c *client) discover(ctx context.Context) (found []davResponse, err error) {
	address, home := c.base.String(), ""
	m, err := c.ask(ctx, "PROPFIND", address, "0", findCalendar)
	if status := new(backend.StatusError); errors.As(err, &status) && (status.Status == http.StatusNotFound ||
		status.Status == http.StatusMethodNotAllowed) {
		m, err = c.ask(ctx, "PROPFIND", "/.well-known/caldav", "0", findCalendar)
	}
	for range 2 { // the address, then the principal
		if err != nil {
			return nil, err
		}
		principal := ""
		for _, r := range m.Responses {
			p := r.prop()
			if p.Resource.Calendar != nil {
				return []davResponse{r}, nil
			}
			principal = p.Principal.Href
			if len(p.Home.Href) > 0 {
				home = p.Home.Href[0]
			}
		}
		if home != "" || principal == "" {
			break
		}
		m, err = c.ask(ctx, "PROPFIND", principal, "0", findCalendar)
	}
	if home == "" {
		return nil, backend.ErrNoCalendar
	}
	if m, err = c.ask(ctx, "PROPFIND", home, "1", findCalendar); err != nil {
		return nil, err
	}
	for _, r := range m.Responses {
		if r.prop().Resource.Calendar != nil {
			found = append(found, r)
		}
	}
	return found, nil
}

// Check finds the calendar at an address with the credentials of an account,
// and returns its URL. If the user has several calendars, the address has to be
// the address of one calendar, as it has if the server shows only the busy times.
func Check(ctx context.Context, env *tools.Env, account, address string) (string, error) {
	base, err := url.Parse(address)
	if err != nil || base.Scheme != "https" && base.Scheme != "http" || base.Host == "" || base.User != nil {
		return "", env.Fail(tools.InvalidInput, "url must be an http or https address without a user")
	}
	c := &client{env, account, base}
	found, err := c.discover(ctx)
	if onlyFreeBusy(err) && c.answersFreeBusy(ctx) {
		return base.String(), nil
	}
	if err != nil {
		return "", backend.ServiceError(env, err)
	}
	switch len(found) {
	case 0:
		return "", backend.ServiceError(env, backend.ErrNoCalendar)
	case 1:
		u, err := c.resolve(found[0].Href)
		if err != nil {
			return "", backend.ServiceError(env, err)
		}
		return u.String(), nil
	}
	e := env.Fail(tools.InvalidInput, "There are several calendars at this address")
	for _, r := range found {
		if u, err := c.resolve(r.Href); err == nil {
			e.Details = append(e.Details, tools.Detail{Path: "/url", Message: u.String() + " " + r.prop().Name})
		}
	}
	return "", e.WithHint(env.Hint("Give the address of one of them"))
}

// objectsIn adds the events and to-dos of the resources in an answer to a change, and their addresses
// to changed. It returns the addresses of resources without content.
func objectsIn(env *tools.Env, m *multistatus, change *calendar.Change, changed map[string]bool) (missing []string,
	err error) {
	for i := range m.Responses {
		r := &m.Responses[i]
		p := r.prop()
		switch {
		case r.gone() || p.Etag == "":
			continue
		case p.Data == "":
			missing = append(missing, r.Href)
			continue
		}
		read, err := ics.ReadByUID(env, []byte(p.Data))
		if err != nil {
			return nil, err
		}
		changed[r.Href] = true
		for _, u := range read.Unread {
			u.Href = r.Href
			change.State.Unread = append(change.State.Unread, u)
		}
		for uid, all := range read.Events {
			change.Events[uid] = all
			change.Objects[uid] = calendar.RemoteObject{Href: r.Href, Etag: p.Etag}
		}
		for uid, all := range read.Todos {
			change.Todos[uid] = all
			change.Objects[uid] = calendar.RemoteObject{Href: r.Href, Etag: p.Etag}
		}
	}
	return missing, nil
}
