package calendar

import (
	"context"
	"slices"

	"techo/store"
	"techo/tools"
)

// Unchecked is a calendar that could not be read.
type Unchecked struct {
	Calendar string `json:"calendar"`
	Reason   string `json:"reason"`
	err      error
}

// results are the combined results of several calendars.
type results struct {
	store.Found
	checked   []string
	unchecked []Unchecked
}

// multiQuery is a query to several calendars.
type multiQuery struct {
	store.EventQuery
	names     []string
	timesOnly bool // ask Google calendars for busy times only, not for events
	complete  bool // for availability: treat a calendar with too many events as unreadable
}

// query reads several calendars. A missing calendar is an error. A calendar that
// cannot be read now is listed as unchecked, which never counts as free.
func query(ctx context.Context, env *tools.Env, q multiQuery) (results, error) {
	return despiteRenaming(q.names, func() (results, error) { return queryNow(ctx, env, q) })
}

func queryNow(ctx context.Context, env *tools.Env, q multiQuery) (g results, err error) {
	requested, err := requestedCalendars(ctx, env, q.names)
	if err != nil {
		return g, err
	}
	g.checked, g.unchecked = []string{}, []Unchecked{}
	var remote []google
	var names []string
	for _, c := range requested {
		names = append(names, c.label())
		b, err := backendFor(env, c.st, c.Calendar)
		if err != nil {
			return g, err
		}
		at, isRemote := b.(google)
		if isRemote && q.timesOnly {
			remote = append(remote, at)
			continue
		}
		part := q.EventQuery
		part.Calendars, part.Zone = []string{c.Name}, env.Zone
		find := b.find
		if at, ok := b.(calDAV); ok && q.complete {
			find = func(ctx context.Context, q store.EventQuery) (store.Found, error) { return findTimes(ctx, at, q) }
		}
		found, err := find(ctx, part)
		if _, isLocal := b.(localCalendar); err != nil && isLocal {
			return g, err
		}
		g.add(env, c, found, err, q.complete)
	}
	for i, a := range queryFreeBusy(ctx, remote, q.EventQuery) {
		g.add(env, calendarAt{Calendar: remote[i].calendar}, a.found, a.err, true)
	}
	// Restore the requested order.
	order := func(a, b string) int { return slices.Index(names, a) - slices.Index(names, b) }
	slices.SortStableFunc(g.checked, order)
	slices.SortStableFunc(g.unchecked, func(a, b Unchecked) int { return order(a.Calendar, b.Calendar) })
	return g, nil
}

// add adds the result of one calendar.
func (g *results) add(env *tools.Env, c calendarAt, found store.Found, err error, whole bool) {
	if err == nil && found.Truncated && whole {
		err = env.Fail(tools.LimitExceeded, "too many occurrences to read")
	}
	for _, o := range found.Occurrences {
		if o.Event != nil {
			o.Event.Space = c.space()
		}
	}
	g.Problems = append(g.Problems, found.Problems...)
	g.Truncated = g.Truncated || found.Truncated
	if err != nil {
		e := Explain(env, err)
		g.unchecked = append(g.unchecked, Unchecked{c.label(), e.Error(), e})
		if whole {
			return
		}
	} else {
		g.checked = append(g.checked, c.label())
	}
	if g.Occurrences == nil {
		g.Occurrences = found.Occurrences // already sorted
		return
	}
	g.Occurrences = append(g.Occurrences, found.Occurrences...)
	slices.SortStableFunc(g.Occurrences, func(a, b store.Occurrence) int { return a.From.Compare(b.From) })
}
