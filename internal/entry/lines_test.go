package entry

import (
	"os"
	"strings"
	"testing"
	"time"

	"techo/internal/dates"
	"techo/internal/repeat"
)

// TestLines reads lines of both languages, half of which have words that look like times. None may be
// read wrongly without a note, and at most one in twenty may be refused.
func TestLines(t *testing.T) {
	june := time.Date(2026, 6, 3, 10, 0, 0, 0, time.UTC)
	for name, now := range map[string]time.Time{"lines.txt": june, "second.txt": june,
		"fourth.txt": june, "third.txt": time.Date(2026, 11, 18, 10, 0, 0, 0, time.UTC),
		"fifth.txt": time.Date(2026, 10, 20, 9, 30, 0, 0, time.UTC), "sixth.txt": time.Date(2026, 11, 29, 9, 0, 0, 0, time.UTC),
		"seventh.txt": time.Date(2026, 3, 11, 10, 0, 0, 0, time.UTC), "eighth.txt": time.Date(2026, 7, 16, 14, 20, 0, 0, time.UTC)} {
		t.Run(name, func(t *testing.T) { readLines(t, name, now) })
	}
}

func readLines(t *testing.T, name string, now time.Time) {
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	all, refused, noted := 0, 0, 0
	for text := range strings.Lines(string(data)) {
		text, want, ok := strings.Cut(strings.TrimSpace(text), " | ")
		if !ok || strings.HasPrefix(text, "#") {
			continue
		}
		want, title, titled := strings.Cut(want, " | ")
		all++
		l := Read(text, now)
		got := startOf(l, now)
		refuses := l.When != "" && l.Title == "" || l.Unclear || l.Second+l.Missing+l.Zone != "" || got == "?"
		switch {
		case want == "?" && refuses:
		case refuses:
			t.Logf("refused: %s: %q and %q", text, l.When, l.Second)
			refused++
		case got == want || want != "-" && len(want) == len(time.DateOnly) && strings.HasPrefix(got, want):
			switch wrong := want == "-" && l.Title != text || titled && l.Title != title; {
			case wrong && l.Guessed == "":
				t.Errorf("%s: title %q", text, l.Title)
			case wrong:
				noted++
			}
		case l.Guessed != "" || len(l.Moment.Notes) > 0 || got < now.Format(time.DateOnly) && got != "-": // which the tools note

			t.Logf("noted: %s: %s, want %s (%+v)", text, got, want, l)
			noted++
		default:
			t.Errorf("%s: %s, want %s (%q, title %q)", text, got, want, l.When, l.Title)
		}
	}
	t.Logf("%d lines, %d refused, %d wrong with a note", all, refused, noted)
	if refused > (all+19)/20 {
		t.Errorf("%d of %d lines are refused", refused, all)
	}
}

// startOf returns the first time of a line: "-" for none, "?" for one that is refused.
func startOf(l Line, now time.Time) string {
	if l.When == "" {
		return "-"
	}
	m, ok := dates.Parse(l.When, now, dates.Future)
	if !ok {
		rule, rest, found := repeat.Repeats(l.When)
		today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
		for day := rule.First(today); found; day = rule.First(day.AddDate(0, 0, 1)) {
			if m = (dates.Moment{Wall: day, Last: day}); rest != "" {
				if m, ok = dates.Parse(rest, day, dates.Future); !ok {
					return "?"
				}
			}
			if !m.Timed || !m.Wall.Before(now) {
				break
			}
		}
		if !found {
			return "?"
		}
	}
	if l.Deadline && m.Period {
		m.Wall = m.Last
	}
	if m.Timed {
		return m.Wall.Format("2006-01-02 15:04")
	}
	return m.Wall.Format(time.DateOnly)
}
