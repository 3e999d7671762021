package agenda

import (
	"context"
	"strings"

	"golang.org/x/text/unicode/norm"

	"techo/internal/sorting"
	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/ics"
)

// Search finds the events of all time that have a text. A series has its next
// occurrence or, if it is over, its first one.
func Search(ctx context.Context, env *tools.Env, names []string, text string) (Results, error) {
	return DespiteRenaming(names, func() (Results, error) { return searchNow(ctx, env, names, text) })
}

func searchNow(ctx context.Context, env *tools.Env, names []string, text string) (g Results, err error) {
	calendars, err := Requested(ctx, env, names)
	if err != nil {
		return g, err
	}
	g.Checked, g.Unchecked = []string{}, []Unchecked{}
	text = FoldWidth(text)
	for _, c := range calendars {
		b, err := backendFor(env, c.St, c.Calendar)
		if err != nil {
			return g, err
		}
		var found event.Found
		err = b.Each(ctx, func(e event.Event) error {
			if EventMatches(env, &e, text) {
				found.Occurrences = append(found.Occurrences, event.NextOccurrence(e, env.Now(), env.Zone))
			}
			return nil
		})
		if _, local := b.(backend.Local); err != nil && local {
			return g, err
		}
		g.add(env, c, found, err, false)
	}
	sorting.By(g.Occurrences, func(a, b event.Occurrence) int { return a.From.Compare(b.From) })
	return g, nil
}

// FoldWidth returns a text without differences of case and width.
func FoldWidth(s string) string { return strings.ToLower(norm.NFKC.String(s)) }

// EventMatches reports whether an event has a folded text in its title, place,
// description, people, categories, link or color.
func EventMatches(env *tools.Env, e *event.Event, query string) bool {
	text := e.Title + "\n" + e.Location + "\n" + e.Description
	if len(e.Extra) > 0 {
		d := ics.DetailsOf(env, e)
		text += "\n" + d.Organizer + "\n" + d.URL + "\n" + d.Color + "\n" + strings.Join(d.Categories, "\n")
		for _, a := range d.Attendees {
			text += "\n" + a.Email + "\n" + a.Name
		}
	}
	return strings.Contains(FoldWidth(text), query)
}

// Matching returns the events with a text, ignoring case and width.
func Matching(env *tools.Env, all []event.Occurrence, query string) (found []event.Occurrence) {
	query = FoldWidth(query)
	for _, o := range all {
		if EventMatches(env, o.Event, query) {
			found = append(found, o)
		}
	}
	return found
}
