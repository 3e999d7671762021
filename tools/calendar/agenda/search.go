package agenda

import (
	"context"
	"strings"

	"golang.org/x/text/unicode/norm"

	"techo/internal/meaning"
	"techo/internal/sorting"
	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/ics"
)

// Search finds the events of all time that have a text or, if none has it, those that mean the same,
// which alike reports. A series has its next occurrence or, if it is over, its first one.
func Search(ctx context.Context, env *tools.Env, names []string, text string) (g Results, alike bool, err error) {
	g, err = DespiteRenaming(names, func() (g Results, err error) {
		g, alike, err = searchNow(ctx, env, names, text)
		return g, err
	})
	return g, alike, err
}

func searchNow(ctx context.Context, env *tools.Env, names []string, text string) (g Results, alike bool, err error) {
	calendars, err := Requested(ctx, env, names)
	if err != nil {
		return g, false, err
	}
	g.Checked, g.Unchecked = []string{}, []Unchecked{}
	m := NewMatcher(env, text)
	for _, c := range calendars {
		b, err := backendFor(env, c.St, c.Calendar)
		if err != nil {
			return g, false, err
		}
		var found event.Found
		err = b.Each(ctx, func(e event.Event) error {
			if m.May(&e) {
				found.Occurrences = append(found.Occurrences, event.NextOccurrence(e, env.Now(), env.Zone))
			}
			return nil
		})
		if _, local := b.(backend.Local); err != nil && local {
			return g, false, err
		}
		found.Problems = c.Unread(ctx)
		g.add(env, c, found, err, false)
	}
	g.Occurrences, alike = Matching(m, g.Occurrences, func(o *event.Occurrence) *event.Event { return o.Event })
	sorting.By(g.Occurrences, func(a, b event.Occurrence) int { return a.From.Compare(b.From) })
	return g, alike, nil
}

const (
	// alikeTitle is the likeness of a title that means the same as a query, at least.
	alikeTitle = 0.45
	// alikeBest is how much less alike than the best one a title may be.
	alikeBest = 0.25
)

// Matcher finds the events with a text, ignoring case and width. It has seen none yet that has it, or
// it has.
type Matcher struct {
	env     *tools.Env
	text    string
	meaning meaning.Vec
	exact   bool // an event has the text
}

// NewMatcher returns a matcher for a text.
func NewMatcher(env *tools.Env, text string) *Matcher {
	return &Matcher{env: env, text: foldWidth(text), meaning: meaning.Vector(text)}
}

// May reports whether an event may match, as far as the events before it tell.
func (m *Matcher) May(e *event.Event) bool { return m.likeness(e) >= alikeTitle }

// exactly is the likeness of an event that has the text.
const exactly = 2

// likeness returns how alike the title of an event and the text are in meaning, or exactly. It is 0
// if another event has the text.
func (m *Matcher) likeness(e *event.Event) float32 {
	if hasText(m.env, e, m.text) {
		m.exact = true
		return exactly
	}
	if m.exact {
		return 0
	}
	title := meaning.Vector(e.Title)
	return meaning.Likeness(&m.meaning, &title)
}

// Matching returns those of some events or to-dos that have the text or, if none has it, those whose
// titles mean the same, which alike reports.
func Matching[T any](m *Matcher, all []T, of func(*T) *event.Event) (found []T, alike bool) {
	likeness, best := make([]float32, len(all)), float32(0)
	for i := range all {
		likeness[i] = m.likeness(of(&all[i]))
		best = max(best, likeness[i])
	}
	for i := range all {
		if likeness[i] >= max(alikeTitle, best-alikeBest) {
			found = append(found, all[i])
		}
	}
	return found, len(found) > 0 && !m.exact
}

// foldWidth returns a text without differences of case and width.
func foldWidth(s string) string { return strings.ToLower(norm.NFKC.String(s)) }

// hasText reports whether an event has a folded text in its title, place,
// description, people, categories, link or color.
func hasText(env *tools.Env, e *event.Event, query string) bool {
	text := e.Title + "\n" + e.Location + "\n" + e.Description
	if len(e.Extra) > 0 {
		d := ics.DetailsOf(env, e)
		text += "\n" + d.Organizer + "\n" + d.URL + "\n" + d.Color + "\n" + strings.Join(d.Categories, "\n")
		for _, a := range d.Attendees {
			text += "\n" + a.Email + "\n" + a.Name
		}
	}
	return strings.Contains(foldWidth(text), query)
}
