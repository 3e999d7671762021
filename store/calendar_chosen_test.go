package store

import (
	"slices"
	"testing"

	"techo/store/event"
)

// wantNames compares the names of all calendars but the default one.
func wantNames(t *testing.T, s *Store, want ...string) {
	t.Helper()
	all, err := s.Calendars(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range all {
		if c.Name != event.DefaultCalendar {
			names = append(names, c.Name)
		}
	}
	if !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}
