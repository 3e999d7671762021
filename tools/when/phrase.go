package when

import (
	"strings"
	"time"

	"techo/internal/dates"
	"techo/internal/zone"
	"techo/tools"
)

// Meaning is the part of a result that says how times in words were understood.
type Meaning struct {
	// Interpreted is a time of RFC 3339, or START/END, behind a repetition in words. It is "" if
	// every time was clear.
	Interpreted string `json:"interpreted,omitempty"`
	Note        string `json:"note,omitempty"` // the choices between several meanings
}

// Guess returns the note.
func (m Meaning) Guess() string { return m.Note }

// Meanings collects the meanings of the times of an input.
type Meanings struct {
	all   Meaning
	shown bool // a time was in words, or clocks skip it or show it twice

	repeats, joint string // the repetition in words, and what joins it to a time
}

// Repeats sets the repetition that was read from words.
func (m *Meanings) Repeats(env *tools.Env, text string) {
	m.repeats, m.joint, m.shown = text, env.Localize(", "), true
}

// Add adds the meaning of a text. The meanings of several texts are joined as
// START/END.
func (m *Meanings) Add(env *tools.Env, d dates.Moment) {
	text := momentText(env, d)
	if d.End != nil {
		text += "/" + momentText(env, *d.End)
	} else if !d.Timed && !d.Last.Equal(d.Wall) {
		text += "/" + d.Last.Format(time.DateOnly)
	}
	if m.all.Interpreted != "" {
		m.all.Interpreted += "/"
	}
	m.all.Interpreted += text
	m.shown = m.shown || d.Words
	for _, n := range d.Notes {
		m.AddNote(choiceText(env, n))
	}
	m.AddClock(env, d)
	if d.End != nil {
		m.AddClock(env, *d.End)
	}
}

// AddPeriod adds the meaning of a time that a text names: START/END, with .. for an open side.
func (m *Meanings) AddPeriod(env *tools.Env, f dates.Found) {
	first, last := f.Days()
	switch d := f.Moment; {
	case first.IsZero():
		d.Wall, d.Last = last, last
		m.Add(env, d)
		m.all.Interpreted = "../" + m.all.Interpreted
	case last.IsZero():
		d.Wall, d.Last = first, first
		m.Add(env, d)
		m.all.Interpreted += "/.."
	default:
		m.Add(env, d)
	}
	m.shown = true
}

// AddClock adds a sentence about a time that clocks skip or show twice.
func (m *Meanings) AddClock(env *tools.Env, d dates.Moment) {
	if !d.Timed || d.Offset {
		return
	}
	at := InstantOf(env, d)
	told := d.Wall.Format(minuteLayout)
	if _, skipped := zone.Reached(d.Wall, at.Location()); skipped {
		m.shown = true
		m.AddNote(env.Localize("the clocks skip %s, so %s was taken", told, at.Format(minuteLayout)))
	} else if second := zone.Latest(d.Wall, at.Location()); !second.Equal(at) {
		m.shown = true
		m.AddNote(env.Localize("the clocks show %s twice, so the first was taken; the second is %s",
			told, second.Format(time.RFC3339)))
	}
}

// AddNote adds a sentence about a choice.
func (m *Meanings) AddNote(text string) {
	switch {
	case m.all.Note == "":
		m.all.Note = text
	case !strings.Contains(m.all.Note, text):
		m.all.Note += "; " + text
	}
}

// Meaning returns what was collected, or nothing if every time was clear.
func (m *Meanings) Meaning() Meaning {
	if !m.shown {
		return Meaning{}
	}
	if m.repeats == "" {
		return m.all
	}
	whole := m.all
	whole.Interpreted = m.repeats
	if m.all.Interpreted != "" {
		whole.Interpreted += m.joint + m.all.Interpreted
	}
	return whole
}

// InstantOf returns the instant of a time, or of the first midnight of a day.
func InstantOf(env *tools.Env, d dates.Moment) time.Time {
	switch {
	case d.Offset:
		return d.Instant
	case d.Zone != nil:
		return zone.Instant(d.Wall, d.Zone)
	}
	return zone.Instant(d.Wall, env.Zone)
}

// momentText formats a day, or the instant of a time.
func momentText(env *tools.Env, d dates.Moment) string {
	if !d.Timed {
		return d.Wall.Format(time.DateOnly)
	}
	return env.Time(InstantOf(env, d))
}

const minuteLayout = "2006-01-02 15:04"

// choiceText describes a choice between several meanings of a text.
func choiceText(env *tools.Env, n dates.Note) string {
	layout := time.DateOnly
	if n.Timed {
		layout = minuteLayout
	}
	at, other := n.At.Format(layout), n.Other.Format(layout)
	switch n.Choice {
	case dates.ReadAs:
		return env.Localize("%q was read as %s", n.Text, at)
	case dates.NotOther:
		return env.Localize("%q was read as %s, not %s", n.Text, at, other)
	case dates.MonthFirst:
		return env.Localize("%q was read as month/day", n.Text)
	case dates.Mismatch:
		return env.Localize("%s is a %s, not the weekday given", at, Weekday(env, n.At))
	case dates.Minutes:
		return env.Localize("m was read as minutes; months are mo")
	}
	if n.At.Before(n.Other) {
		return env.Localize("%s is in the future, so %s was taken", other, at)
	}
	return env.Localize("%s is over, so %s was taken", other, at)
}

// Near returns " (tomorrow)" for such a day, and "" for a day that has no name of its own.
func Near(env *tools.Env, day time.Time) string {
	today := zone.Day(zone.Wall(env.Now(), env.Zone))
	names := map[int]tools.Text{-1: "yesterday", 0: "today", 1: "tomorrow"}
	y, m, d := day.Date()
	name, ok := names[int(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Sub(today)/(24*time.Hour))]
	if !ok {
		return ""
	}
	return env.Localize(" (%s)", env.Localize(name))
}

// Weekday returns the weekday in the caller's language, for texts. JSON fields
// always use English.
func Weekday(env *tools.Env, t time.Time) string {
	if env.Lang == tools.Japanese {
		return string([]rune("日月火水木金土")[t.Weekday()]) + "曜日"
	}
	return t.Weekday().String()
}
