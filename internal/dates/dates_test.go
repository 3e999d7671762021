package dates

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"techo/internal/testenv"
)

// tokyo is the zone of the tests, now a Wednesday in it.
var (
	tokyo = time.FixedZone("Asia/Tokyo", 9*3600)
	now   = time.Date(2026, 6, 3, 10, 0, 0, 0, tokyo)
)

// choiceNames are the names of choices in testdata.
var choiceNames = map[Choice]string{ReadAs: "readas", NotOther: "notother", Over: "over", MonthFirst: "monthfirst",
	Mismatch: "mismatch", Minutes: "minutes"}

// describe writes a moment in the form of testdata.
func describe(m Moment) string {
	layout := "2006-01-02 15:04"
	if m.Wall.Second() != 0 {
		layout = time.DateTime
	}
	s := m.Wall.Format(time.DateOnly)
	switch {
	case m.Offset:
		s = "@" + m.Instant.In(tokyo).Format(layout)
	case m.Timed:
		s = m.Wall.Format(layout)
	case !m.Last.Equal(m.Wall):
		s += ".." + m.Last.Format(time.DateOnly)
		if m.Period {
			s += " period"
		}
	}
	if m.Zone != nil {
		if name := m.Zone.String(); name != "" {
			s += " [" + name + "]"
		} else {
			s += " [" + m.Wall.In(m.Zone).Format("-0700") + "]"
		}
	}
	if m.End != nil {
		s += " > " + strings.TrimPrefix(describe(*m.End), "@")
	}
	if m.Length != 0 {
		s += " +" + m.Length.String()
	}
	return s
}

// phrase is one phrase of testdata.
type phrase struct{ text, want, notes string }

func phrases(t testing.TB, name string) (all []phrase) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		meaning, texts, ok := strings.Cut(strings.TrimSpace(line), " = ")
		if strings.HasPrefix(line, "#") || !ok {
			continue
		}
		meaning, notes, _ := strings.Cut(meaning, " !")
		for text := range strings.SplitSeq(texts, " | ") {
			all = append(all, phrase{text, meaning, notes})
		}
	}
	return all
}

// TestPhrases checks what phrases mean and which choices are reported.
func TestPhrases(t *testing.T) {
	all := phrases(t, "phrases.txt")
	if len(all) < 500 {
		t.Fatalf("only %d phrases", len(all))
	}
	for _, c := range all {
		got, notes := "-", []string{}
		if m, ok := Parse(c.text, now, Future); ok {
			got = describe(m)
			for _, n := range m.Notes {
				notes = append(notes, choiceNames[n.Choice])
			}
			slices.Sort(notes)
		}
		if got != c.want || strings.Join(slices.Compact(notes), " ") != c.notes {
			t.Errorf("%q: %s %q, want %s %q", c.text, got, notes, c.want, c.notes)
		}
	}
}

// TestPlainDays parses days in digits as they are, and behind a blank as any other text.
func TestPlainDays(t *testing.T) {
	random := testenv.Random(t)
	texts := []string{"0000-01-01", "0001-01-01", "9999-12-31", "2024-02-29", "2023-02-29", "2026-13-01", "2026-1-5"}
	for range 500 {
		texts = append(texts, fmt.Sprintf("%04d-%02d-%02d", random.IntN(10000), random.IntN(14), random.IntN(33)))
	}
	for _, text := range texts {
		for _, prefer := range []Prefer{Future, Past} {
			got, ok := Parse(text, now, prefer)
			want, all := Parse(" "+text, now, prefer)
			if ok != all || !reflect.DeepEqual(got, want) {
				t.Errorf("%q: %+v, %v; behind a blank %+v, %v", text, got, ok, want, all)
			}
		}
	}
}

// TestPast checks phrases that prefer the past.
func TestPast(t *testing.T) {
	for _, c := range phrases(t, "past.txt") {
		got, notes := "-", []string{}
		if m, ok := Parse(c.text, now, Past); ok {
			got = describe(m)
			for _, n := range m.Notes {
				notes = append(notes, choiceNames[n.Choice])
			}
		}
		if got != c.want || strings.Join(notes, " ") != c.notes {
			t.Errorf("%q: %s %q, want %s %q", c.text, got, notes, c.want, c.notes)
		}
	}
}

// TestWeekdays compares the rules for weekdays with their definitions, on every day
// of two weeks.
func TestWeekdays(t *testing.T) {
	for d := range 14 {
		today := time.Date(2026, 12, 24+d, 12, 0, 0, 0, tokyo)
		begin := dayOf(today).AddDate(0, 0, -(int(today.Weekday())+6)%7)
		for w := range 7 {
			day := begin.AddDate(0, 0, w) // in this week
			name := day.Weekday().String()
			after, before := day, day
			if !after.After(dayOf(today)) {
				after = after.AddDate(0, 0, 7)
			}
			if !before.Before(dayOf(today)) {
				before = before.AddDate(0, 0, -7)
			}
			near := after
			if day.Equal(dayOf(today)) {
				near = day
			}
			for text, want := range map[string]time.Time{name: near, "this " + name: near,
				"next " + name: day.AddDate(0, 0, 7), "last " + name: before, "coming " + name: after,
				name + " this week": day, name + " last week": day.AddDate(0, 0, -7)} {
				if m, ok := Parse(text, today, Future); !ok || !m.Wall.Equal(want) || !m.Last.Equal(want) {
					t.Errorf("%s on %s: %s, want %s", text, today.Format("Mon 2006-01-02"), describe(m),
						want.Format(time.DateOnly))
				}
			}
		}
	}
}

// TestNotes checks what a note says.
func TestNotes(t *testing.T) {
	for text, want := range map[string]string{
		"next friday": "next friday 2026-06-12 2026-06-05", "wednesday 9am": " 2026-06-10 2026-06-03",
		"at 3": "at 3 2026-06-03", "6/5": "6/5 0001-01-01", "tonight": "tonight 2026-06-03",
		"2026-06-10 (Thu)": "Thursday 2026-06-10",
	} {
		m, ok := Parse(text, now, Future)
		if !ok || len(m.Notes) != 1 {
			t.Fatalf("%q: %v, notes %v", text, ok, m.Notes)
		}
		n := m.Notes[0]
		got := n.Text + " " + n.At.Format(time.DateOnly)
		if !n.Other.IsZero() {
			got += " " + n.Other.Format(time.DateOnly)
		}
		if got = strings.TrimPrefix(got, "at "); got != strings.TrimPrefix(want, "at ") {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestElapsed checks that hours elapse while clocks change.
func TestElapsed(t *testing.T) {
	loc, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 8, 1, 0, 0, 0, loc)
	m, ok := Parse("in 2 hours", at, Future)
	if !ok || !m.Offset || m.Instant.Sub(at) != 2*time.Hour || m.Wall.Hour() != 4 {
		t.Errorf("%+v", m)
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]bool{"2026-06-10": false, "2026-06-10T15:00": false, "2026年6月10日": false,
		"2026-06-10 15:00": false, "2026-06-10T15:00:00Z": false, "tomorrow": true, "6/10": true, "15:00": true,
		"June 10 2026": true, "2026-06": true} {
		if m, ok := Parse(text, now, Future); !ok || m.Words != want {
			t.Errorf("%q: %v, %v", text, ok, m.Words)
		}
	}
}

func TestClock(t *testing.T) {
	for text, want := range map[string]string{"9:00": "9h0m0s", "09:00:30": "9h0m30s", "9am": "9h0m0s", "12am": "0s",
		"12pm": "12h0m0s", "15時30分": "15h30m0s", "午後3時": "15h0m0s", "午前0時": "0s", "noon": "12h0m0s",
		"midnight": "0s", "24:00": "24h0m0s", "３時半": "3h30m0s", "3 p.m.": "15h0m0s", "9": "-",
		"": "-", "25:00": "-", "tomorrow": "-",
		"9:00 tomorrow": "-", "morning": "-", "25時": "-", "9:00 for 2 hours": "-"} {
		got := "-"
		if d, ok := Clock(text); ok {
			got = d.String()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestParseEnd(t *testing.T) {
	start := time.Date(2026, 6, 8, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{"fri": "2026-06-12", "12日": "2026-06-12", "June 12": "2026-06-12",
		"tomorrow": "2026-06-04", "+11d": "2026-06-14", "2026-06-05": "2026-06-05", "month": "-",
		"July": "2026-07-31"} {
		got := "-"
		if m, ok := ParseEnd(text, start, now); ok {
			got = m.Last.Format(time.DateOnly)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestMonths(t *testing.T) {
	if got := addMonths(time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC), 1); got.Format(time.DateOnly) != "2026-02-28" {
		t.Error(got)
	}
}

// FuzzParse checks what holds for every text.
func FuzzParse(f *testing.F) {
	for i, c := range phrases(f, "phrases.txt") {
		f.Add(c.text, int64(i)*86400, i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, text string, at int64, past bool) {
		from := now.Add(time.Duration(at%(60*365*86400)) * time.Second)
		m, ok := Parse(text, from, Prefer(past))
		if !ok {
			return
		}
		if m.Wall.Location() != time.UTC || m.Last.Before(dayOf(m.Wall)) || !dayOf(m.Last).Equal(m.Last) ||
			!m.Timed && !dayOf(m.Wall).Equal(m.Wall) || m.Timed && !m.Last.Equal(dayOf(m.Wall)) ||
			m.Offset && !m.Timed || m.Wall.Year() < 1 || m.Last.Year() > 9999 {
			t.Errorf("%q at %s: %+v", text, from, m)
		}
		if m.End != nil && (!m.Timed || !m.End.Timed || !m.Offset && !m.End.Offset && m.End.Wall.Before(m.Wall)) {
			t.Errorf("%q at %s: ends at %+v", text, from, m.End)
		}
		again, ok := Parse(text, from, Prefer(past))
		if !ok || describe(again) != describe(m) {
			t.Errorf("%q at %s: %s, then %s", text, from, describe(m), describe(again))
		}
		if m.Timed || !m.Wall.Equal(m.Last) {
			return
		}
		day := m.Wall.Format(time.DateOnly) // a day read again is the same day
		if r, ok := Parse(day, from, Prefer(past)); !ok || !r.Wall.Equal(m.Wall) || r.Timed || r.Words {
			t.Errorf("%q: %+v", day, r)
		}
	})
}
