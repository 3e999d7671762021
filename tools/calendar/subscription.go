package calendar

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"techo/store"
	"techo/tools"
)

// subscription is a calendar whose events come from a file of another server. The
// store has a copy, which is refreshed when it is used.
type subscription struct {
	localCalendar
	calendar store.Calendar
}

// Limits of subscriptions.
const (
	refreshAfter        = 15 * time.Minute // age of a copy that is used without asking
	subscriptionTimeout = 30 * time.Second
	maxSubscription     = 64 << 20 // bytes
	maxRedirects        = 5
)

// find returns the events of the copy. If it could not be refreshed, it returns the
// events that it has with the error.
func (s subscription) find(ctx context.Context, q store.EventQuery) (store.Found, error) {
	stale := s.refresh(ctx)
	found, err := s.localCalendar.find(ctx, q)
	return found, errors.Join(stale, err)
}

func (s subscription) get(ctx context.Context, id string) (store.Occurrence, error) {
	_ = s.refresh(ctx) // the copy answers
	return s.localCalendar.get(ctx, id)
}

func (s subscription) each(ctx context.Context, fn func(store.Event) error) error {
	if err := s.refresh(ctx); err != nil {
		return err
	}
	return s.localCalendar.each(ctx, fn)
}

// refresh fetches the file again if the copy is old.
func (s subscription) refresh(ctx context.Context) error {
	now := s.env.Now()
	if age := now.Sub(s.calendar.Sync.At); age >= 0 && age < refreshAfter {
		return nil
	}
	state := s.calendar.Sync
	data, err := fetchFile(ctx, s.env, s.calendar.Remote, &state)
	if err != nil {
		return err
	}
	return storeFile(ctx, s.env, s.calendar.Name, data, state)
}

// storeFile replaces the copy of a calendar by the events of a file. nil means that
// the file did not change.
func storeFile(ctx context.Context, env *tools.Env, name string, data []byte, state store.SyncState) error {
	st, err := env.Store(ctx, tools.Changes)
	if err != nil {
		return err
	}
	state.At = env.Now()
	change := store.MirrorChange{State: state}
	if data != nil {
		change.Whole = true
		if change.Events, change.Todos, err = readByUID(env, data); err != nil {
			return err
		}
	}
	return store.NewMirror(st, name).Apply(ctx, change)
}

// readByUID reads the events and to-dos of a file.
func readByUID(env *tools.Env, data []byte) (events map[string][]store.Event, todos map[string][]store.Todo,
	err error) {
	events, todos = map[string][]store.Event{}, map[string][]store.Todo{}
	_, err = ReadICS(env, data, "", Emit{Events: func(all []store.Event) error {
		for _, e := range all {
			events[e.UID] = append(events[e.UID], e)
		}
		return nil
	}, Todos: func(all []store.Todo) error {
		for _, t := range all {
			todos[t.UID] = append(todos[t.UID], t)
		}
		return nil
	}})
	return events, todos, err
}

// fetchFile fetches a calendar file unless the state says that it is unchanged: then
// data is nil. It updates the validators of the state.
func fetchFile(ctx context.Context, env *tools.Env, address string, state *store.SyncState) (data []byte, err error) {
	ctx, stop := context.WithTimeout(ctx, subscriptionTimeout)
	defer stop()
	client := env.GuardedClient()
	for range maxRedirects {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return nil, subscriptionError(env, err)
		}
		r.Header.Set("User-Agent", env.Web.Agent)
		r.Header.Set("Accept", "text/calendar, */*;q=0.1")
		for name, v := range map[string]string{"If-None-Match": state.Etag, "If-Modified-Since": state.Modified} {
			if v != "" {
				r.Header.Set(name, v)
			}
		}
		resp, err := client.Do(r)
		if err != nil {
			return nil, subscriptionError(env, err)
		}
		data, next, err := readFile(resp, state)
		if err != nil {
			return nil, subscriptionError(env, err)
		}
		if next == nil {
			return data, nil
		}
		if r.URL.Scheme == "https" && next.Scheme != "https" {
			return nil, subscriptionError(env, errors.New("redirect to http"))
		}
		address = next.String()
	}
	return nil, subscriptionError(env, errors.New("too many redirects"))
}

// statusError is an unexpected status of a server.
type statusError struct {
	status int
	retry  time.Duration
}

func (e *statusError) Error() string {
	return fmt.Sprintf("%d %s", e.status, http.StatusText(e.status))
}

// readFile reads the answer of a server: a file, nothing, or a redirect.
func readFile(resp *http.Response, state *store.SyncState) (data []byte, next *url.URL, err error) {
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusNotModified:
		return nil, nil, nil
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		next, err = resp.Location()
		return nil, next, err
	case resp.StatusCode != http.StatusOK:
		return nil, nil, &statusError{resp.StatusCode, retryAfter(resp)}
	}
	data, err = io.ReadAll(io.LimitReader(resp.Body, maxSubscription+1))
	if err == nil && len(data) > maxSubscription {
		err = fmt.Errorf("more than %d bytes", maxSubscription)
	}
	if err == nil && !strings.Contains(strings.ToUpper(string(data[:min(len(data), 4096)])), "BEGIN:VCALENDAR") {
		err = errNoCalendar
	}
	state.Etag, state.Modified = resp.Header.Get("ETag"), resp.Header.Get("Last-Modified")
	return data, nil, err
}

// errNoCalendar reports a file of another format.
var errNoCalendar = tools.NewError("not a calendar file")

// subscriptionError explains why a file could not be fetched. It does not name the
// address, which may be a secret.
func subscriptionError(env *tools.Env, err error) error {
	if u := new(url.Error); errors.As(err, &u) {
		err = u.Err
	}
	return serviceError(env, err)
}

// SubscribeIn is the input of the command cal subscribe.
type SubscribeIn struct {
	URL  string `json:"url" minLength:"1" doc:"Address of an .ics file; webcal: means https:"`
	Name string `json:"name,omitempty" doc:"Name of the calendar (default: the server's name)"`
}

// SubscribeOut is the result of the command cal subscribe.
type SubscribeOut struct {
	Calendar string `json:"calendar"`
	Events   int    `json:"events"`
	Message  string `json:"message"`
}

// Subscribe adds a calendar whose events come from a URL.
func Subscribe(ctx context.Context, env *tools.Env, in SubscribeIn) (out SubscribeOut, err error) {
	f := &inputChecker{env: env}
	u, err := url.Parse(in.URL)
	if err == nil && (u.Scheme == "webcal" || u.Scheme == "webcals") {
		u.Scheme = "https"
	}
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		f.add("url", "must be an http, https or webcal address")
		return out, f.err()
	}
	name := in.Name
	if name == "" {
		name = u.Hostname()
	}
	out.Calendar = f.calendar(name)
	if err := f.err(); err != nil {
		return out, err
	}
	st, err := env.Store(ctx, tools.Changes)
	if err != nil {
		return out, err
	}
	if err := st.UsableCalendarName(ctx, out.Calendar); err != nil {
		return out, Explain(env, err)
	}
	c, err := st.FindCalendar(ctx, out.Calendar)
	if err == nil && (c.Name == store.DefaultCalendar || c.Events() > 0 || !c.Local()) {
		return out, env.Fail(tools.AlreadyExists, "The calendar %s exists", out.Calendar).
			WithHint(env.Hint("Choose another name, or remove it: techo cal remove %s", out.Calendar))
	}
	to := store.Binding{Kind: store.SubscriptionCalendar, Remote: u.String()}
	var state store.SyncState
	data, err := fetchFile(ctx, env, to.Remote, &state)
	if err != nil {
		return out, err
	}
	if err := st.BindCalendar(ctx, out.Calendar, to); err != nil {
		return out, Explain(env, err)
	}
	if err := storeFile(ctx, env, out.Calendar, data, state); err != nil {
		return out, err
	}
	if c, err = st.FindCalendar(ctx, out.Calendar); err != nil {
		return out, err
	}
	out.Events = c.Events()
	out.Message = env.Localize("Subscribed to %s: %s", out.Calendar, env.Count(out.Events, "%d event", "%d events"))
	return out, nil
}
