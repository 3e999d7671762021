package calendar

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"techo/internal/dates"
	"techo/internal/ical"
	"techo/internal/legible"
	"techo/store"
	"techo/tools"
)

// alarmForm matches the length of an alarm.
var alarmForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(-)?(?:(\d{1,3})w)?(?:(\d{1,4})d)?(?:(\d{1,5})h)?(?:(\d{1,6})m)?$`)
})

// alarm parses an alarm: a length before the start, or a time.
func (w *detailsWriter) alarm(text string) (a alarm, ok bool) {
	s := tools.CompactUnits(text)
	s = strings.TrimSuffix(strings.TrimSuffix(s, "before"), "前")
	if m := alarmForm().FindStringSubmatch(s); m != nil && strings.Trim(s, "-") != "" {
		n := func(i int) int { n, _ := strconv.Atoi(m[i]); return n }
		a = alarm{days: 7*n(2) + n(3), before: time.Duration(n(4))*time.Hour + time.Duration(n(5))*time.Minute}
		if m[1] != "" {
			a.days, a.before = -a.days, -a.before
		}
		return a, true
	}
	m, ok := dates.Parse(text, callerNow(w.f.env), dates.Future)
	if !ok || !m.Timed {
		w.f.examples = true
		w.f.add("alarms", "must be a length such as 10m, or a time, not %q", clip(text))
		return a, false
	}
	return alarm{at: tools.InstantOf(w.f.env, m)}, true
}

// detailsWriter changes the details of an event and reports problems of the input.
type detailsWriter struct {
	f *inputChecker
	e *store.Event
}

// set applies the given details.
func (w *detailsWriter) set(in *DetailsIn) {
	f, e := w.f, w.e
	if in.Attendees != nil {
		e.Extra = withProperty(e, "ATTENDEE", w.attendeeLines(in.Attendees))
	}
	if in.Organizer != nil {
		if line := w.organizerLine(*in.Organizer); line != "" || *in.Organizer == "" {
			e.Extra = withProperty(e, "ORGANIZER", nonEmpty(line))
		}
	}
	if in.URL != nil {
		w.checkURL(*in.URL)
		e.Extra = withProperty(e, "URL", nonEmpty(prefixed("URL:", strings.TrimSpace(*in.URL))))
	}
	if in.Categories != nil {
		var texts []string
		for _, c := range in.Categories {
			if c = strings.TrimSpace(c); c != "" && !slices.Contains(texts, ical.Escape(c)) {
				texts = append(texts, ical.Escape(c))
			}
		}
		e.Extra = withProperty(e, "CATEGORIES", nonEmpty(prefixed("CATEGORIES:", strings.Join(texts, ","))))
	}
	if in.Color != nil {
		color := strings.ToLower(strings.TrimSpace(*in.Color))
		if _, known := rgbOf(color); color != "" && !known {
			f.add("color", "must be a color of CSS such as tomato or #ff6347, not %q", clip(*in.Color))
		}
		e.Extra = withProperty(e, "COLOR", nonEmpty(prefixed("COLOR:", color)))
	}
	if in.Alarms != nil {
		var lines []string
		for _, text := range in.Alarms {
			if a, ok := w.alarm(text); ok {
				lines = append(lines, a.lines(e.Title)...)
			}
		}
		e.Extra = append(withoutAlarms(e.Extra), lines...)
	}
	if size := len(strings.Join(e.Extra, "\r\n")); size > maxExtra {
		f.add("attendees", "need more than %d bytes together with the other details", maxExtra)
	}
}

func nonEmpty(line string) []string {
	if line == "" {
		return nil
	}
	return []string{line}
}

// prefixed returns the text behind a prefix, or "" for no text.
func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

func (w *detailsWriter) checkURL(text string) {
	u, err := url.Parse(strings.TrimSpace(text))
	if text != "" && (err != nil || u.Scheme == "" || legible.Control(text)) {
		w.f.add("url", "must be a URL such as https://example.com, not %q", clip(text))
	}
}

// mail checks an e-mail address, which must not end the line that it is written in.
func (w *detailsWriter) mail(field, text string) (string, bool) {
	email := address(text)
	at := strings.LastIndexByte(email, '@')
	if at < 1 || at == len(email)-1 || strings.ContainsAny(email, " \t\r\n<>,;\"") || legible.Control(email) {
		w.f.add(field, "must be an e-mail address, not %q", clip(text))
		return "", false
	}
	return email, true
}

// organizerLine returns the line of an organizer: the present one if the address is
// the same.
func (w *detailsWriter) organizerLine(text string) string {
	if text == "" {
		return ""
	}
	email, ok := w.mail("organizer", text)
	if !ok {
		return ""
	}
	if p := extraLines(w.e).Property("ORGANIZER"); p != nil && strings.EqualFold(address(p.Value), email) {
		return p.String()
	}
	return "ORGANIZER:mailto:" + email
}

// attendeeLines returns the lines of attendees. A person who is the same as before
// keeps the line, which may have more parameters.
func (w *detailsWriter) attendeeLines(all []AttendeeIn) (lines []string) {
	before := extraLines(w.e)
	for _, given := range all {
		a := Attendee(given)
		email, ok := w.mail("attendees", a.Email)
		if !ok {
			continue
		}
		a.Email = email
		if a.Status == "" {
			a.Status = "needs-action"
		}
		i := slices.IndexFunc(before.Properties, func(p ical.Property) bool {
			return p.Name == "ATTENDEE" && strings.EqualFold(address(p.Value), email)
		})
		if i >= 0 {
			old := readAttendee(&before.Properties[i])
			if a.Name == "" {
				a.Name = old.Name
			}
			if old.Email = email; old == a {
				lines = append(lines, before.Properties[i].String())
				continue
			}
		}
		lines = append(lines, a.line())
	}
	return lines
}

// line returns the iCalendar line of an attendee.
func (a Attendee) line() string {
	p := ical.Property{Name: "ATTENDEE", Value: "mailto:" + a.Email}
	if a.Name != "" {
		p.Params = append(p.Params, ical.Param{Name: "CN", Values: []string{oneLine(a.Name)}})
	}
	role := "REQ-PARTICIPANT"
	if a.Optional {
		role = "OPT-PARTICIPANT"
	}
	p.Params = append(p.Params, ical.Param{Name: "ROLE", Values: []string{role}},
		ical.Param{Name: "PARTSTAT", Values: []string{strings.ToUpper(a.Status)}})
	return p.String()
}

// lines returns the lines of a VALARM. The title is its text.
func (a alarm) lines(title string) []string {
	trigger := "TRIGGER;VALUE=DATE-TIME:" + a.at.UTC().Format("20060102T150405Z")
	if a.at.IsZero() {
		days, d, sign := a.days, a.before, "-"
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

// withProperty returns the lines of an event with others in place of a property.
func withProperty(e *store.Event, name string, lines []string) (all []string) {
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

// withoutAlarms returns the lines without alarms.
func withoutAlarms(lines []string) (rest []string) {
	inside := false
	for _, l := range lines {
		if inside = inside || strings.EqualFold(l, "BEGIN:VALARM"); !inside {
			rest = append(rest, l)
		}
		inside = inside && !strings.EqualFold(l, "END:VALARM")
	}
	return rest
}
