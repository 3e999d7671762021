package locales_test

import (
	"regexp"
	"testing"
)

var (
	// counted matches a count with a plural noun.
	counted = regexp.MustCompile(`%d (?:[a-z]+ )?[a-z]+s\b`)

	// neverOne matches the counts that are never 1: limits of techo, and sizes
	// above such a limit.
	neverOne = regexp.MustCompile(`(?:[Aa]t most|at least|more than|less than|to|than|within|after|` +
		`up to|at each…|every)` +
		` %d|has %d bytes|found no room|Too large|Found %d occurrences` +
		`|truncated at %d|header %d|busy: %d|%d calls of %s hang`)

	// pluralOnly matches the plural form of env.Count.
	pluralOnly = regexp.MustCompile(`^%d [a-z ]+(?:s|s are)$`)
)

// checkPlurals checks that no text can read "1 events": counts are written with
// env.Count.
func checkPlurals(t *testing.T, texts []text) {
	t.Helper()
	for _, text := range texts {
		if counted.MatchString(text.id) && !neverOne.MatchString(text.id) && !pluralOnly.MatchString(text.id) {
			t.Errorf("%s: %q does not suit the count 1; use env.Count", text.files[0], text.id)
		}
	}
}
