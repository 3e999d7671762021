package store

import (
	"testing"

	"techo/store/event"
	"techo/store/ledger"
	"techo/store/memory"
	"techo/store/search"
)

// TestPrefixes gives every prefix to one kind of record, and every kind prefixes of two
// letters.
func TestPrefixes(t *testing.T) {
	owner := map[ledger.Prefix]string{}
	for _, k := range schemas().All {
		for _, s := range k.Prefixes {
			if len(s) != 2 {
				t.Errorf("%s: prefix %q", k.Name, s)
			}
			if owner[s] != "" {
				t.Errorf("prefix %q belongs to %s and to %s", s, owner[s], k.Name)
			}
			owner[s] = k.Name
		}
	}
	for _, s := range search.Prefixes() {
		if owner[ledger.Prefix(s)] == "" {
			t.Errorf("prefix %q belongs to no kind of record", s)
		}
	}
}

// TestKeys parses the keys that have a parser.
func TestKeys(t *testing.T) {
	p := event.Place{Calendar: "予定", Series: true, Level: 3, From: -5}
	if got, id, ok := event.CutPlace(p.Key(p.Records(), "id")); !ok || got != p || id != "id" {
		t.Errorf("%+v, %q, %v", got, id, ok)
	}
	if id, ok := event.CutGroup(event.GroupKey("g", "id")); !ok || id != "id" {
		t.Errorf("%q, %v", id, ok)
	}
	l := memory.Timeline{User: 7, Session: 9}
	if got, at, ok := memory.TimelineOf(l.Key(memory.Moment{At: -3, Order: 2, Text: 2, ID: "id"})); !ok || got != l ||
		at != -3 {
		t.Errorf("%v, %d, %v", got, at, ok)
	}
	for _, short := range []string{"", "c", "ci", "ci\x05ab", "pl123"} {
		if _, _, ok := event.CutPlace([]byte(short)); ok {
			t.Errorf("%q is a place", short)
		}
		if _, _, ok := memory.TimelineOf([]byte(short)); ok {
			t.Errorf("%q is a timeline", short)
		}
	}
}
