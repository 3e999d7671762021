package calendar

import (
	"context"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"techo/store"
	"techo/tools"
)

// searchAll finds the events of all time that have a text. A series has its next
// occurrence or, if it is over, its first one.
func searchAll(ctx context.Context, env *tools.Env, names []string, text string) (results, error) {
	return despiteRenaming(names, func() (results, error) { return searchNow(ctx, env, names, text) })
}

func searchNow(ctx context.Context, env *tools.Env, names []string, text string) (g results, err error) {
	calendars, err := requestedCalendars(ctx, env, names)
	if err != nil {
		return g, err
	}
	g.checked, g.unchecked = []string{}, []Unchecked{}
	text = foldWidth(text)
	for _, c := range calendars {
		b, err := backendFor(env, c.st, c.Calendar)
		if err != nil {
			return g, err
		}
		var found store.Found
		err = b.each(ctx, func(e store.Event) error {
			if eventMatches(env, &e, text) {
				found.Occurrences = append(found.Occurrences, store.NextOccurrence(e, env.Now(), env.Zone))
			}
			return nil
		})
		if _, local := b.(localCalendar); err != nil && local {
			return g, err
		}
		g.add(env, c, found, err, false)
	}
	slices.SortStableFunc(g.Occurrences, func(a, b store.Occurrence) int { return a.From.Compare(b.From) })
	return g, nil
}

// foldWidth returns a text without differences of case and width.
func foldWidth(s string) string { return strings.ToLower(norm.NFKC.String(s)) }

// eventMatches reports whether an event has a folded text in its title, place,
// description, people, categories, link or color.
func eventMatches(env *tools.Env, e *store.Event, query string) bool {
	text := e.Title + "\n" + e.Location + "\n" + e.Description
	if len(e.Extra) > 0 {
		d := detailsOf(env, e)
		text += "\n" + d.Organizer + "\n" + d.URL + "\n" + d.Color + "\n" + strings.Join(d.Categories, "\n")
		for _, a := range d.Attendees {
			text += "\n" + a.Email + "\n" + a.Name
		}
	}
	return strings.Contains(foldWidth(text), query)
}

// matching returns the events with a text, ignoring case and width.
func matching(env *tools.Env, all []store.Occurrence, query string) (found []store.Occurrence) {
	query = foldWidth(query)
	for _, o := range all {
		if eventMatches(env, o.Event, query) {
			found = append(found, o)
		}
	}
	return found
}
