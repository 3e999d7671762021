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

// gathered is what several calendars hold.
type gathered struct {
	store.Found
	checked   []string
	unchecked []Unchecked
}

// gathering is a question to several calendars.
type gathering struct {
	store.EventQuery
	names []string
	times bool // when one is busy is all that is asked, of a calendar at Google not what is on
	whole bool // a calendar with more than can be looked at is one that could not be read
}

// gather reads several calendars. One that is not there is an error; one that
// cannot be read now is unchecked, which is never the same as free.
func gather(ctx context.Context, env *tools.Env, q gathering) (g gathered, err error) {
	st, err := env.Store(ctx, tools.Reads)
	if err != nil {
		return g, err
	}
	names, err := calendarNames(ctx, st, q.names)
	if err != nil {
		return g, err
	}
	g.checked, g.unchecked = []string{}, []Unchecked{}
	var remote []google
	for _, name := range names {
		b, err := backendOf(ctx, env, name, tools.Reads)
		if err != nil {
			return g, err
		}
		at, isRemote := b.(google)
		if isRemote && q.times {
			remote = append(remote, at)
			continue
		}
		part := q.EventQuery
		part.Calendars, part.Zone = []string{name}, env.Zone
		found, err := b.find(ctx, part)
		if err != nil && !isRemote {
			return g, err
		}
		g.add(env, name, found, err, q.whole)
	}
	for i, a := range askBusy(ctx, remote, q.EventQuery) {
		g.add(env, remote[i].calendar.Name, a.found, a.err, true)
	}
	// In the order that they were asked for, whoever answered first.
	order := func(a, b string) int { return slices.Index(names, a) - slices.Index(names, b) }
	slices.SortStableFunc(g.checked, order)
	slices.SortStableFunc(g.unchecked, func(a, b Unchecked) int { return order(a.Calendar, b.Calendar) })
	return g, nil
}

// calendarNames are the calendars that are asked for, each once.
func calendarNames(ctx context.Context, st *store.Store, asked []string) (names []string, err error) {
	if slices.Contains(asked, store.AllCalendars) {
		all, err := st.Calendars(ctx)
		for _, c := range all {
			names = append(names, c.Name)
		}
		return names, err
	}
	for _, n := range asked {
		if !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names, nil
}

// add takes what a calendar gave.
func (g *gathered) add(env *tools.Env, name string, found store.Found, err error, whole bool) {
	if err == nil && found.Truncated && whole {
		err = env.Fail(tools.LimitExceeded, tools.Say{EN: "more occurrences than can be looked at", JA: "調べきれない数の予定があります"})
	}
	g.Problems = append(g.Problems, found.Problems...)
	g.Truncated = g.Truncated || found.Truncated
	if err != nil {
		e := explain(env, err)
		g.unchecked = append(g.unchecked, Unchecked{name, e.Error(), e})
		return
	}
	g.checked = append(g.checked, name)
	if g.Occurrences == nil {
		g.Occurrences = found.Occurrences // in order, as one calendar's are
		return
	}
	g.Occurrences = append(g.Occurrences, found.Occurrences...)
	slices.SortStableFunc(g.Occurrences, func(a, b store.Occurrence) int { return a.From.Compare(b.From) })
}
