package calendar

import (
	"strconv"
	"strings"
	"time"

	"techo/internal/ical"
	"techo/internal/zone"
	"techo/store"
	"techo/tools"
)

// The people, links, labels and alarms of an event are its iCalendar lines
// (store.Event.Extra), so that an export has all that an import read, also
// parameters that techo does not use.

// Attendee is a person who is invited to an event.
type Attendee struct {
	Email    string `json:"email"`
	Name     string `json:"name"`
	Status   string `json:"status"` // needs-action, accepted, declined, tentative or delegated
	Optional bool   `json:"optional"`
}

// AttendeeIn is an attendee in an input.
type AttendeeIn struct {
	Email    string `json:"email" minLength:"3" maxLength:"254" doc:"E-mail address"`
	Name     string `json:"name,omitempty" maxLength:"200" doc:"Name"`
	Status   string `json:"status,omitempty" enum:"needs-action,accepted,declined,tentative,delegated" doc:"The answer"`
	Optional bool   `json:"optional,omitempty" doc:"Whether the person may be absent"`
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
	Sequence   int        `json:"sequence"`
}

// DetailsIn are the same fields in an input. A nil list is not given.
type DetailsIn struct {
	Attendees  []AttendeeIn `json:"attendees,omitempty" allowSingle:"true" orText:"email" doc:"Addresses, or objects"`
	Organizer  *string      `json:"organizer" maxLength:"254" doc:"The organizer's e-mail address"`
	URL        *string      `json:"url" maxLength:"2000" doc:"A link"`
	Categories []string     `json:"categories,omitempty" doc:"Labels"`
	Alarms     []string     `json:"alarms,omitempty" allowSingle:"true" doc:"Alarms before the start, e.g. 10m"`
	Color      *string      `json:"color" maxLength:"30" doc:"A color of CSS, e.g. tomato"`
}

// check refuses details in a calendar that does not keep them.
func (d *DetailsIn) check(env *tools.Env, b backend) error {
	if _, isGoogle := b.(google); isGoogle {
		return d.checkGoogle(env)
	}
	return nil
}

// extraLines parses the iCalendar lines of an event. Alarms and other components
// are nested.
func extraLines(e *store.Event) *ical.Component {
	roots, _ := ical.Parse([]byte("BEGIN:VEVENT\r\n" + strings.Join(e.Extra, "\r\n") + "\r\nEND:VEVENT\r\n"))
	if len(roots) == 0 {
		return &ical.Component{}
	}
	return roots[0]
}

// detailsOf returns the details of an event.
func detailsOf(env *tools.Env, e *store.Event) Details {
	d := Details{Attendees: []Attendee{}, Categories: []string{}, Alarms: []string{}, Sequence: e.Sequence}
	if len(e.Extra) == 0 {
		return d
	}
	c := extraLines(e)
	for i := range c.Properties {
		switch p := &c.Properties[i]; p.Name {
		case "ATTENDEE":
			d.Attendees = append(d.Attendees, readAttendee(p))
		case "ORGANIZER":
			d.Organizer = address(p.Value)
		case "URL":
			d.URL = strings.TrimSpace(p.Value)
		case "CATEGORIES":
			d.Categories = append(d.Categories, splitTexts(p.Value)...)
		case "COLOR":
			d.Color = strings.TrimSpace(p.Value)
		}
	}
	for _, a := range alarmsOf(e, c) {
		d.Alarms = append(d.Alarms, a.text(env))
	}
	return d
}

// address returns the e-mail address of a calendar user.
func address(value string) string {
	value = strings.TrimSpace(value)
	if len(value) > 7 && strings.EqualFold(value[:7], "mailto:") {
		return value[7:]
	}
	return value
}

func readAttendee(p *ical.Property) Attendee {
	a := Attendee{Email: address(p.Value), Name: p.Param("CN"), Status: strings.ToLower(p.Param("PARTSTAT")),
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

// alarm is a time at which a person wants to be reminded: before the start of each
// occurrence, or at an instant.
type alarm struct {
	days   int // calendar days before the start
	before time.Duration
	at     time.Time // zero for an alarm relative to the start
}

// alarmsOf returns the alarms of an event. One that is relative to the end, or is
// repeated, counts with its first time.
func alarmsOf(e *store.Event, c *ical.Component) (all []alarm) {
	for _, sub := range c.Components {
		p := sub.Property("TRIGGER")
		if sub.Name != "VALARM" || p == nil {
			continue
		}
		if at, err := ical.ParseTime(p.Value); err == nil && at.UTC {
			all = append(all, alarm{at: at.Wall})
			continue
		}
		d, err := ical.ParseDuration(p.Value)
		if err != nil {
			continue
		}
		a := alarm{days: -d.Days, before: -d.Time}
		if strings.EqualFold(p.Param("RELATED"), "END") {
			a.days -= e.Days
			a.before -= e.Length
		}
		all = append(all, a)
	}
	return all
}

// time returns the instant of the alarm of an occurrence. loc is the zone of the
// event, or of the reader.
func (a alarm) time(o *store.Occurrence, loc *time.Location) time.Time {
	if !a.at.IsZero() {
		return a.at
	}
	from := o.From
	if a.days != 0 {
		from = zone.Instant(o.Wall.AddDate(0, 0, -a.days), loc)
	}
	return from.Add(-a.before)
}

// text writes an alarm as in an input.
func (a alarm) text(env *tools.Env) string {
	if !a.at.IsZero() {
		return env.Time(a.at)
	}
	days, d, sign := a.days, a.before, ""
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
