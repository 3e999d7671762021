package memory

import (
	"regexp"
	"slices"
	"sync"
	"time"

	"techo/internal/dates"
	"techo/internal/zone"
	"techo/store/memory"
	"techo/store/search"
	"techo/tools"
	"techo/tools/when"
)

// # Times in questions
//
// "What did we decide last week?" is about the memories of last week, "before June 3" about
// those before it. The words that name such a time are not what is looked for, so they are
// not searched: another memory with "last week" in it is of another week. A date such as
// June 3 is searched as well, since a memory of another day may be about it.

// favouredDays is the length of a range whose memories match without a word of the question.
const favouredDays = 62

// timed is a text with the time that it names.
type timed struct {
	asked string // the text
	rest  string // what is searched: "" if the text has no word beside the time

	names bool // it names a time
	time  dates.Found
	zone  *time.Location
}

// timedOf reads the time that a text names.
func timedOf(env *tools.Env, text string) timed {
	t := timed{asked: text, rest: text, zone: env.Zone}
	if t.time, t.names = dates.Find(text, env.Now().In(env.Zone)); !t.names || t.time.Dated {
		return t
	}
	t.rest = t.without()
	if len(search.Terms(anything().ReplaceAllString(t.rest, " "))) == 0 {
		t.rest = ""
	}
	return t
}

// anything matches words that ask for whatever there is.
var anything = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:happen(?:ed|s|ing)?|(?:go|went|going) on|t(?:ake|ook) place|new|news|events?|` +
		`anything|something|everything)\b|何があった|何が起きた|何を?して?い?た|起きた|あった|` +
		`できごと|出来事|こと|何か?`)
})

// without returns the text without the name of the time.
func (t timed) without() string { return t.asked[:t.time.Start] + " " + t.asked[t.time.End:] }

// subject returns the text without the name of any time.
func (t timed) subject() string {
	if !t.names {
		return t.asked
	}
	return t.without()
}

// name returns the words for the time.
func (t timed) name() string { return t.asked[t.time.Start:t.time.End] }

// limit adds the time to a filter.
func (t timed) limit(f *memory.Filter) {
	if !t.names {
		return
	}
	p := t.period()
	first, last := t.time.Days()
	open := first.IsZero() || last.IsZero()
	long := t.time.Range && last.Sub(first) > favouredDays*24*time.Hour
	if t.rest == "" || !open && !long {
		f.Named = p
	}
	if open || t.time.Range {
		f.Within = p
	}
}

// period returns the time as instants; zero where it is open.
func (t timed) period() (p memory.Period) {
	first, last := t.time.Days()
	if !first.IsZero() {
		p.Since = zone.Instant(first, t.zone)
	}
	if !last.IsZero() {
		p.Until = zone.Instant(last.AddDate(0, 0, 1), t.zone)
	}
	return p
}

// has reports whether a memory that has words of the text is of the time.
func (t timed) has(h memory.Hit) bool {
	return t.names && (h.InTime || h.Matches && t.time.Side != dates.In && t.period().Has(h.CreatedAt))
}

// addTo adds the meaning of the time. Beside that of a bound of the search it is a note.
func (t timed) addTo(env *tools.Env, meanings *when.Meanings) {
	if !t.names {
		return
	}
	var alone when.Meanings
	alone.AddPeriod(env, t.time)
	if meanings.Meaning() == (when.Meaning{}) {
		*meanings = alone
		return
	}
	meanings.AddNote(env.Localize("%q was read as %s", t.name(), alone.Meaning().Interpreted))
}

// matched adds the words for the time to the words that a memory has.
func (t timed) matched(words []string, h memory.Hit) []string {
	if !t.has(h) || slices.Contains(words, t.name()) {
		return words
	}
	return append(words, t.name())
}
