package agenda

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"techo/store/calendar"
	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/ics"
	"techo/tools/internet"
)

// subscription is a calendar whose events come from a file of another server. The
// store has a copy, which is refreshed when it is used.
type subscription struct {
	backend.Local
	calendar event.Calendar
}

// Limits of subscriptions.
const (
	refreshAfter        = 15 * time.Minute // age of a copy that is used without asking
	subscriptionTimeout = 30 * time.Second
	maxSubscription     = 64 << 20 // bytes
)

// Find returns the events of the copy. If it could not be refreshed, it returns the
// events that it has with the error.
func (s subscription) Find(ctx context.Context, q event.Query) (event.Found, error) {
	stale := s.refresh(ctx)
	found, err := s.Local.Find(ctx, q)
	return found, errors.Join(stale, err)
}

func (s subscription) Get(ctx context.Context, id string) (event.Occurrence, error) {
	_ = s.refresh(ctx) // the copy answers
	return s.Local.Get(ctx, id)
}

func (s subscription) Each(ctx context.Context, fn func(event.Event) error) error {
	if err := s.refresh(ctx); err != nil {
		return err
	}
	return s.Local.Each(ctx, fn)
}

// refresh fetches the file again if the copy is old.
func (s subscription) refresh(ctx context.Context) error {
	now := s.Env.Now()
	state := s.calendar.Sync
	if state.Reader != ics.ReaderVersion {
		state = event.SyncState{} // read the file again
	}
	if age := now.Sub(state.At); age >= 0 && age < refreshAfter {
		return nil
	}
	data, err := FetchFile(ctx, s.Env, s.calendar.Remote, &state)
	if err != nil {
		return err
	}
	return StoreFile(ctx, s.Env, s.calendar.Name, data, state)
}

// StoreFile replaces the copy of a calendar by the events of a file. nil means that
// the file did not change.
func StoreFile(ctx context.Context, env *tools.Env, name string, data []byte, state event.SyncState) error {
	st, err := env.Store(ctx, tools.Changes)
	if err != nil {
		return err
	}
	state.At = env.Now()
	change := calendar.Change{State: state}
	if data != nil {
		change.Whole = true
		read, err := ics.ReadByUID(env, data)
		if err != nil {
			return err
		}
		change.Events, change.Todos = read.Events, read.Todos
		change.State.Reader, change.State.Unread = ics.ReaderVersion, read.Unread[:min(len(read.Unread), event.MaxUnread)]
	}
	return calendar.NewMirror(st.Ledger, name).Apply(ctx, change)
}

// FetchFile fetches a calendar file unless the state says that it is unchanged: then
// data is nil. It updates the validators of the state.
func FetchFile(ctx context.Context, env *tools.Env, address string, state *event.SyncState) (data []byte, err error) {
	ctx, stop := context.WithTimeout(ctx, subscriptionTimeout)
	defer stop()
	client := internet.GuardedClient(env)
	for range backend.MaxRedirects {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return nil, subscriptionError(env, err)
		}
		r.Header.Set("User-Agent", internet.Of(env).Agent)
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

// readFile reads the answer of a server: a file, nothing, or a redirect.
func readFile(resp *http.Response, state *event.SyncState) (data []byte, next *url.URL, err error) {
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusNotModified:
		return nil, nil, nil
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		next, err = resp.Location()
		if err == nil && next.User != nil {
			err = errors.New("redirect with a user name or password")
		}
		return nil, next, err
	case resp.StatusCode != http.StatusOK:
		return nil, nil, &backend.StatusError{Status: resp.StatusCode, Retry: backend.RetryAfter(resp)}
	}
	data, err = io.ReadAll(io.LimitReader(resp.Body, maxSubscription+1))
	if err == nil && len(data) > maxSubscription {
		err = fmt.Errorf("more than %d bytes", maxSubscription)
	}
	if err == nil && !strings.Contains(strings.ToUpper(string(data[:min(len(data), 4096)])), "BEGIN:VCALENDAR") {
		err = backend.ErrNoCalendar
	}
	state.Etag, state.Modified = resp.Header.Get("ETag"), resp.Header.Get("Last-Modified")
	return data, nil, err
}

// subscriptionError explains why a file could not be fetched. It does not name the
// address, which may be a secret.
func subscriptionError(env *tools.Env, err error) error {
	if u := new(url.Error); errors.As(err, &u) {
		err = u.Err
	}
	return backend.ServiceError(env, err)
}
