package agenda

import (
	"context"
	"slices"

	"techo/internal/sorting"
	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/caldav"
	"techo/tools/calendar/google"
)

// Unchecked is a calendar that could not be read.
type Unchecked struct {
	Calendar string `json:"calendar"`
	Reason   string `json:"reason"`
	Err      error  `json:"-"`
}

// Results are the combined results of several calendars.
type Results struct {
	event.Found
	Checked   []string
	Unchecked []Unchecked
}

// Query is a query to several calendars.
type Query struct {
	event.Query
	Names     []string
	TimesOnly bool // ask Google calendars for busy times only, not for events
	Complete  bool // for availability: treat a calendar with too many events as unreadable
}

// Find reads several calendars. A missing calendar is an error. A calendar that
// cannot be read now is listed as unchecked, which never counts as free.
func Find(ctx context.Context, env *tools.Env, q Query) (Results, error) {
	return DespiteRenaming(q.Names, func() (Results, error) { return queryNow(ctx, env, q) })
}

func queryNow(ctx context.Context, env *tools.Env, q Query) (g Results, err error) {
	requested, err := Requested(ctx, env, q.Names)
	if err != nil {
		return g, err
	}
	g.Checked, g.Unchecked = []string{}, []Unchecked{}
	var remote []google.Calendar
	var names []string
	for _, c := range requested {
		names = append(names, c.Label())
		b, err := backendFor(env, c.St, c.Calendar)
		if err != nil {
			return g, err
		}
		at, isRemote := b.(google.Calendar)
		if isRemote && q.TimesOnly {
			remote = append(remote, at)
			continue
		}
		part := q.Query
		part.Calendars, part.Zone = []string{c.Name}, env.Zone
		find := b.Find
		if at, ok := b.(caldav.Calendar); ok && q.Complete {
			find = func(ctx context.Context, q event.Query) (event.Found, error) {
				return caldav.FindTimes(ctx, at, q)
			}
		}
		found, err := find(ctx, part)
		found.Problems = append(found.Problems, c.Unread(ctx)...)
		if _, isLocal := b.(backend.Local); err != nil && isLocal {
			return g, err
		}
		g.add(env, c, found, err, q.Complete)
		if q.Complete && err == nil {
			g.doubt(env, c, found.Problems, q.Query)
		}
	}
	for i, a := range google.FreeBusy(ctx, remote, q.Query) {
		g.add(env, calendarAt{Calendar: remote[i].Calendar}, a.Found, a.Err, true)
	}
	// Restore the requested order.
	order := func(a, b string) int { return slices.Index(names, a) - slices.Index(names, b) }
	sorting.By(g.Checked, order)
	sorting.By(g.Unchecked, func(a, b Unchecked) int { return order(a.Calendar, b.Calendar) })
	return g, nil
}

// Unread returns what could not be read of a calendar at another server.
func (c calendarAt) Unread(ctx context.Context) (all []event.Problem) {
	if c.Kind != event.CalDAVCalendar && c.Kind != event.SubscriptionCalendar {
		return nil
	}
	now, err := c.St.FindCalendar(ctx, c.Name)
	if err != nil {
		return nil // it was renamed meanwhile: the call is repeated
	}
	for _, u := range now.Sync.Unread {
		all = append(all, event.Problem{Title: u.Title, Calendar: c.Label(), UID: u.UID, Code: event.PartUnread, Unread: u})
	}
	return all
}

// doubt lists a calendar as unchecked if a part of it that was not read may lie in the time of a query.
func (g *Results) doubt(env *tools.Env, c calendarAt, problems []event.Problem, q event.Query) {
	for i := range problems {
		if p := &problems[i]; p.Uncertain(q.From, q.To) {
			text := backend.ToProblems(env, problems[i:i+1])[0].Message
			why := env.Localize("%s: %s", backend.TitleOrPlaceholder(env, p.Title), text)
			g.Unchecked = append(g.Unchecked, Unchecked{c.Label(), why, env.Fail(tools.Upstream, "%s", why)})
			g.Checked = slices.DeleteFunc(g.Checked, func(name string) bool { return name == c.Label() })
			return
		}
	}
}

func (g *Results) add(env *tools.Env, c calendarAt, found event.Found, err error, whole bool) {
	if err == nil && found.Truncated && whole {
		err = env.Fail(tools.LimitExceeded, "too many occurrences to read")
	}
	for _, o := range found.Occurrences {
		if o.Event != nil {
			o.Event.Space = c.Space()
		}
	}
	g.Problems = append(g.Problems, found.Problems...)
	g.Truncated = g.Truncated || found.Truncated
	if err != nil {
		e := backend.Explain(env, err)
		g.Unchecked = append(g.Unchecked, Unchecked{c.Label(), e.Error(), e})
		if whole {
			return
		}
	} else {
		g.Checked = append(g.Checked, c.Label())
	}
	if g.Occurrences == nil {
		g.Occurrences = found.Occurrences // already sorted
		return
	}
	g.Occurrences = append(g.Occurrences, found.Occurrences...)
	sorting.By(g.Occurrences, func(a, b event.Occurrence) int { return a.From.Compare(b.From) })
}
