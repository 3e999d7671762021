package ics

import (
	"strconv"
	"strings"
	"time"

	"techo/internal/ical"
	"techo/internal/zone"
	"techo/store/event"
	"techo/tools"
)

// ZoneOf returns the zone of an event's start; otherwise is the zone of an event
// without a known zone.
func ZoneOf(e *event.Event, otherwise *time.Location) *time.Location {
	if e.Form != event.Timed {
		return otherwise
	}
	if e.ZoneRules != "" {
		if loc, ok := event.CustomZone(e.ZoneRules); ok {
			return loc
		}
	}
	if loc, ok := zone.Find(e.Zone); ok {
		return loc
	}
	return otherwise
}

// Attendee is a person who is invited to an event.
type Attendee struct {
	Email    string `json:"email"`
	Name     string `json:"name"`
	Status   string `json:"status"` // needs-action, accepted, declined, tentative or delegated
	Optional bool   `json:"optional"`
}

// Details are the people, the link, the labels and the alarms of an event in a
// result.
type Details struct {
	Attendees  []Attendee `json:"attendees"`
	Organizer  string     `json:"organizer"` // e-mail address
	URL        string     `json:"url"`
	Categories []string   `json:"categories"`
	Alarms     []string   `json:"alarms"` // 10m before the start, -5m after it, or RFC 3339
	Color      string     `json:"color"`
	Sequence   int        `json:"sequence" compact:"-"`
}

// ExtraLines parses the iCalendar lines of an event. Alarms and other components
// are nested.
func ExtraLines(e *event.Event) *ical.Component {
	roots, _ := ical.Parse([]byte("BEGIN:VEVENT\r\n" + strings.Join(e.Extra, "\r\n") + "\r\nEND:VEVENT\r\n"))
	if len(roots) == 0 {
		return &ical.Component{}
	}
	return roots[0]
}

// DetailsOf returns the details of an event.
func DetailsOf(env *tools.Env, e *event.Event) Details {
	d := Details{Attendees: []Attendee{}, Categories: []string{}, Alarms: []string{}, Sequence: e.Sequence}
	if len(e.Extra) == 0 {
		return d
	}
	c := ExtraLines(e)
	for i := range c.Properties {
		switch p := &c.Properties[i]; p.Name {
		case "ATTENDEE":
			d.Attendees = append(d.Attendees, ReadAttendee(p))
		case "ORGANIZER":
			d.Organizer = Address(p.Value)
		case "URL":
			d.URL = strings.TrimSpace(p.Value)
		case "CATEGORIES":
			d.Categories = append(d.Categories, splitTexts(p.Value)...)
		case "COLOR":
			d.Color = strings.TrimSpace(p.Value)
		}
	}
	for _, a := range AlarmsOf(e, c) {
		if !a.Again {
			d.Alarms = append(d.Alarms, a.text(env))
		}
	}
	return d
}

// Address returns the e-mail address of a calendar user.
func Address(value string) string {
	value = strings.TrimSpace(value)
	if len(value) > 7 && strings.EqualFold(value[:7], "mailto:") {
		return value[7:]
	}
	return value
}

// ReadAttendee reads the line of an attendee.
func ReadAttendee(p *ical.Property) Attendee {
	a := Attendee{Email: Address(p.Value), Name: p.Param("CN"), Status: strings.ToLower(p.Param("PARTSTAT")),
		Optional: strings.EqualFold(p.Param("ROLE"), "OPT-PARTICIPANT")}
	if a.Status == "" {
		a.Status = "needs-action"
	}
	return a
}

// splitTexts splits a list of TEXT values at the commas that are not escaped.
func splitTexts(value string) (all []string) {
	from := 0
	for i := 0; i <= len(value); i++ {
		switch {
		case i == len(value) || value[i] == ',':
			if text := strings.TrimSpace(ical.Unescape(value[from:i])); text != "" {
				all = append(all, text)
			}
			from = i + 1
		case value[i] == '\\':
			i++
		}
	}
	return all
}

// Alarm is a time at which a person wants to be reminded: before the start of each
// occurrence, or at an instant.
type Alarm struct {
	Days   int // calendar days before the start
	Before time.Duration
	At     time.Time // zero for an alarm relative to the start
	Again  bool      // a repetition of an earlier one
}

// AlarmsOf returns the alarms of an event, but for those that are never shown (ACTION:NONE). One that is
// relative to the end counts with the first end.
func AlarmsOf(e *event.Event, c *ical.Component) (all []Alarm) {
	for _, sub := range c.Components {
		p := sub.Property("TRIGGER")
		if sub.Name != "VALARM" || p == nil || strings.EqualFold(strings.TrimSpace(textOf(sub, "ACTION")), "NONE") {
			continue
		}
		if at, err := ical.ParseTime(p.Value); err == nil && at.UTC {
			all = append(all, repeated(Alarm{At: at.Wall}, sub)...)
			continue
		}
		d, err := ical.ParseDuration(p.Value)
		if err != nil {
			continue
		}
		a := Alarm{Days: -d.Days, Before: -d.Time}
		if strings.EqualFold(p.Param("RELATED"), "END") {
			a.Days -= e.Days
			a.Before -= e.Length
		}
		all = append(all, repeated(a, sub)...)
	}
	return all
}

// maxRepeats limits how often an alarm rings.
const maxRepeats = 100

// repeated returns an alarm and its repetitions (RFC 5545, 3.8.6.2).
func repeated(a Alarm, c *ical.Component) []Alarm {
	all := []Alarm{a}
	n, err := strconv.Atoi(strings.TrimSpace(textOf(c, "REPEAT")))
	d, err2 := ical.ParseDuration(textOf(c, "DURATION"))
	if err != nil || err2 != nil || d.Days < 0 || d.Days == 0 && d.Time <= 0 {
		return all
	}
	for range min(n, maxRepeats) {
		if a.Again = true; a.At.IsZero() {
			a.Days, a.Before = a.Days-d.Days, a.Before-d.Time
		} else {
			a.At = a.At.AddDate(0, 0, d.Days).Add(d.Time)
		}
		all = append(all, a)
	}
	return all
}

// Time returns the instant of the alarm of an occurrence. loc is the zone of the
// event, or of the reader.
func (a Alarm) Time(o *event.Occurrence, loc *time.Location) time.Time {
	if !a.At.IsZero() {
		return a.At
	}
	from := o.From
	if a.Days != 0 {
		from = zone.Instant(o.Wall.AddDate(0, 0, -a.Days), loc)
	}
	return from.Add(-a.Before)
}

// text writes an alarm as in an input.
func (a Alarm) text(env *tools.Env) string {
	if !a.At.IsZero() {
		return env.Time(a.At)
	}
	days, d, sign := a.Days, a.Before, ""
	if days < 0 || days == 0 && d < 0 {
		days, d, sign = -days, -d, "-"
	}
	text := ""
	if days != 0 {
		text = strconv.Itoa(days) + "d"
	}
	if d != 0 || days == 0 {
		text += shortDuration(d)
	}
	return sign + text
}

// shortDuration formats 90m as 1h30m and 10m0s as 10m.
func shortDuration(d time.Duration) string {
	text := d.String()
	text = strings.TrimSuffix(text, "0s")
	if rest, ok := strings.CutSuffix(text, "h0m"); ok {
		text = rest + "h"
	}
	if text == "" || strings.HasSuffix(text, "-") {
		return "0m"
	}
	return text
}

// NonEmpty returns a list of a line, or nothing for "".
func NonEmpty(line string) []string {
	if line == "" {
		return nil
	}
	return []string{line}
}

// Prefixed returns the text behind a prefix, or "" for no text.
func Prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// Line returns the iCalendar line of an attendee.
func (a Attendee) Line() string {
	p := ical.Property{Name: "ATTENDEE", Value: "mailto:" + a.Email}
	if a.Name != "" {
		p.Params = append(p.Params, ical.Param{Name: "CN", Values: []string{OneLine(a.Name)}})
	}
	role := "REQ-PARTICIPANT"
	if a.Optional {
		role = "OPT-PARTICIPANT"
	}
	p.Params = append(p.Params, ical.Param{Name: "ROLE", Values: []string{role}},
		ical.Param{Name: "PARTSTAT", Values: []string{strings.ToUpper(a.Status)}})
	return p.String()
}

// Lines returns the lines of a VALARM. The title is its text.
func (a Alarm) Lines(title string) []string {
	trigger := "TRIGGER;VALUE=DATE-TIME:" + a.At.UTC().Format("20060102T150405Z")
	if a.At.IsZero() {
		days, d, sign := a.Days, a.Before, "-"
		if days < 0 || days == 0 && d < 0 {
			days, d, sign = -days, -d, ""
		}
		text := "P"
		if days != 0 {
			text += strconv.Itoa(days) + "D"
		}
		if d != 0 || days == 0 {
			text += "T" + strconv.Itoa(int(d/time.Minute)) + "M"
		}
		trigger = "TRIGGER:" + sign + text
	}
	return []string{"BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:" + ical.Escape(title), trigger, "END:VALARM"}
}

// WithProperty returns the lines of an event with others in place of a property.
func WithProperty(e *event.Event, name string, lines []string) (all []string) {
	depth := 0
	for _, l := range e.Extra {
		upper := strings.ToUpper(l)
		switch {
		case strings.HasPrefix(upper, "BEGIN:"):
			depth++
		case strings.HasPrefix(upper, "END:"):
			depth--
		case depth == 0 && strings.HasPrefix(upper, name) && strings.IndexAny(l[len(name):], ":;") == 0:
			continue
		}
		all = append(all, l)
	}
	return append(lines, all...)
}

// WithoutAlarms returns the lines without alarms.
func WithoutAlarms(lines []string) (rest []string) {
	inside := false
	for _, l := range lines {
		if inside = inside || strings.EqualFold(l, "BEGIN:VALARM"); !inside {
			rest = append(rest, l)
		}
		inside = inside && !strings.EqualFold(l, "END:VALARM")
	}
	return rest
}

// OneLine returns a text with single blanks in place of line ends and other blanks.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
