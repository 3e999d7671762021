package tools

import (
	"strings"
	"time"

	"techo/internal/dates"
	"techo/internal/zone"
)

// Meaning is the part of a result that says how times in words were understood.
type Meaning struct {
	Interpreted string `json:"interpreted,omitempty"` // RFC 3339, or START/END; "" if no time was in words
	Note        string `json:"note,omitempty"`        // the choices between several meanings
}

// Meanings collects the meanings of the times of an input.
type Meanings struct {
	all   Meaning
	words bool
}

// Add adds the meaning of a text. The meanings of several texts are joined as
// START/END.
func (m *Meanings) Add(env *Env, d dates.Moment) {
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
	m.words = m.words || d.Words
	for _, n := range d.Notes {
		m.AddNote(choiceText(env, n))
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

// Meaning returns what was collected, or nothing if no time was in words.
func (m *Meanings) Meaning() Meaning {
	if !m.words {
		return Meaning{}
	}
	return m.all
}

// InstantOf returns the instant of a time, or of the first midnight of a day.
func InstantOf(env *Env, d dates.Moment) time.Time {
	switch {
	case d.Offset:
		return d.Instant
	case d.Zone != nil:
		return zone.Instant(d.Wall, d.Zone)
	}
	return zone.Instant(d.Wall, env.Zone)
}

// momentText formats a day, or the instant of a time.
func momentText(env *Env, d dates.Moment) string {
	if !d.Timed {
		return d.Wall.Format(time.DateOnly)
	}
	return env.Time(InstantOf(env, d))
}

// choiceText describes a choice between several meanings of a text.
func choiceText(env *Env, n dates.Note) string {
	layout := time.DateOnly
	if n.Timed {
		layout = "2006-01-02 15:04"
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

// Weekday returns the weekday in the caller's language, for texts. JSON fields
// always use English.
func Weekday(env *Env, t time.Time) string {
	if env.Lang == Japanese {
		return string([]rune("日月火水木金土")[t.Weekday()]) + "曜日"
	}
	return t.Weekday().String()
}
