package dates

import (
	"testing"
	"time"
)

func TestFind(t *testing.T) {
	now := time.Date(2026, 11, 22, 15, 4, 5, 0, time.UTC) // a Sunday
	for _, c := range []struct{ text, part, from, last string }{
		{"notes from 20 April", "20 April", "2026-04-20", "2026-04-20"},
		{"What happened on April 21?", "April 21", "2026-04-21", "2026-04-21"},
		{"What did we decide last week about the roof?", "last week", "2026-11-09", "2026-11-15"},
		{"What happened in May?", "May", "2026-05-01", "2026-05-31"},
		{"the trip in 2023", "2023", "2023-01-01", "2023-12-31"},
		{"What was it three days ago?", "three days ago", "2026-11-19", "2026-11-19"},
		{"report of 2026-03-04", "2026-03-04", "2026-03-04", "2026-03-04"},
		{"先月の会議で何を決めた？", "先月", "2026-10-01", "2026-10-31"},
		{"先週の金曜日に誰と会った？", "先週の金曜日", "2026-11-13", "2026-11-13"},
		{"4月20日のメモ", "4月20日", "2026-04-20", "2026-04-20"},
		{"5月の契約", "5月", "2026-05-01", "2026-05-31"},
		{"昨日の夕食は？", "昨日", "2026-11-21", "2026-11-21"},
		{"去年の旅行", "去年", "2025-01-01", "2025-12-31"},
	} {
		f, ok := Find(c.text, now)
		got := c.text[f.Start:f.End]
		if !ok || got != c.part || f.Wall.Format(time.DateOnly) != c.from || f.Last.Format(time.DateOnly) != c.last {
			t.Errorf("%s: %q %s %s, want %q %s %s", c.text, got, f.Wall, f.Last, c.part, c.from, c.last)
		}
	}
	for _, text := range []string{
		"You may march on", "room 2023", "Is this the last piece?", "this may be", "お月見はいつ？", "",
	} {
		if f, ok := Find(text, now); ok {
			t.Errorf("%q: %q", text, text[f.Start:f.End])
		}
	}
}
