package agenda

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"techo/internal/dates"
	"techo/internal/ical"
	"techo/internal/lazyregexp"
	"techo/internal/legible"
	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/google"
	"techo/tools/calendar/ics"
	"techo/tools/when"
)

// alarmForm matches the length of an alarm.
var alarmForm = lazyregexp.New(`^(-)?(?:(\d{1,3})w)?(?:(\d{1,4})d)?(?:(\d{1,5})h)?(?:(\d{1,6})m)?$`)

// alarm parses an alarm: a length before the start, or a time.
func (w *detailsWriter) alarm(text string) (a ics.Alarm, ok bool) {
	s := when.CompactUnits(text)
	s = strings.TrimSuffix(strings.TrimSuffix(s, "before"), "前")
	if m := alarmForm.Get().FindStringSubmatch(s); m != nil && strings.Trim(s, "-") != "" {
		n := func(i int) int { n, _ := strconv.Atoi(m[i]); return n }
		a = ics.Alarm{Days: 7*n(2) + n(3), Before: time.Duration(n(4))*time.Hour + time.Duration(n(5))*time.Minute}
		if m[1] != "" {
			a.Days, a.Before = -a.Days, -a.Before
		}
		return a, true
	}
	m, ok := dates.Parse(text, callerNow(w.f.Env), dates.Future)
	if !ok || !m.Timed {
		w.f.examples = true
		w.f.Add("alarms", "must be a length such as 10m, or a time, not %q", legible.Clip(text))
		return a, false
	}
	return ics.Alarm{At: when.InstantOf(w.f.Env, m)}, true
}

// detailsWriter changes the details of an event and reports problems of the input.
type detailsWriter struct {
	f *Checker
	e *event.Event
}

// SetDetails gives an event the given details, and reports problems of the input.
func SetDetails(f *Checker, e *event.Event, in *DetailsIn) { (&detailsWriter{f, e}).set(in) }

func (w *detailsWriter) set(in *DetailsIn) {
	f, e := w.f, w.e
	if in.Attendees != nil {
		e.Extra = ics.WithProperty(e, "ATTENDEE", w.attendeeLines(in.Attendees))
	}
	if in.Organizer != nil {
		if line := w.organizerLine(*in.Organizer); line != "" || *in.Organizer == "" {
			e.Extra = ics.WithProperty(e, "ORGANIZER", ics.NonEmpty(line))
		}
	}
	if in.URL != nil {
		w.checkURL(*in.URL)
		e.Extra = ics.WithProperty(e, "URL", ics.NonEmpty(ics.Prefixed("URL:", strings.TrimSpace(*in.URL))))
	}
	if in.Categories != nil {
		var texts []string
		for _, c := range in.Categories {
			if c = strings.TrimSpace(c); c != "" && !slices.Contains(texts, ical.Escape(c)) {
				texts = append(texts, ical.Escape(c))
			}
		}
		e.Extra = ics.WithProperty(e, "CATEGORIES", ics.NonEmpty(ics.Prefixed("CATEGORIES:", strings.Join(texts, ","))))
	}
	if in.Color != nil {
		color := strings.ToLower(strings.TrimSpace(*in.Color))
		if _, known := google.RGB(color); color != "" && !known {
			f.Add("color", "must be a color of CSS such as tomato or #ff6347, not %q", legible.Clip(*in.Color))
		}
		e.Extra = ics.WithProperty(e, "COLOR", ics.NonEmpty(ics.Prefixed("COLOR:", color)))
	}
	if in.Alarms != nil {
		var lines []string
		for _, text := range in.Alarms {
			if a, ok := w.alarm(text); ok {
				lines = append(lines, a.Lines(e.Title)...)
			}
		}
		e.Extra = append(ics.WithoutAlarms(e.Extra), lines...)
	}
	if size := len(strings.Join(e.Extra, "\r\n")); size > ics.MaxExtra {
		f.Add("attendees", "need more than %d bytes together with the other details", ics.MaxExtra)
	}
}

func (w *detailsWriter) checkURL(text string) {
	u, err := url.Parse(strings.TrimSpace(text))
	if text != "" && (err != nil || u.Scheme == "" || legible.Control(text)) {
		w.f.Add("url", "must be a URL such as https://example.com, not %q", legible.Clip(text))
	}
}

// mail checks an e-mail address, which must not end the line that it is written in.
func (w *detailsWriter) mail(field, text string) (string, bool) {
	email := ics.Address(text)
	at := strings.LastIndexByte(email, '@')
	if at < 1 || at == len(email)-1 || strings.ContainsAny(email, " \t\r\n<>,;\"") || legible.Control(email) {
		w.f.Add(field, "must be an e-mail address, not %q", legible.Clip(text))
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
	if p := ics.ExtraLines(w.e).Property("ORGANIZER"); p != nil && strings.EqualFold(ics.Address(p.Value), email) {
		return p.String()
	}
	return "ORGANIZER:mailto:" + email
}

// attendeeLines returns the lines of attendees. A person who is the same as before
// keeps the line, which may have more parameters.
func (w *detailsWriter) attendeeLines(all []AttendeeIn) (lines []string) {
	before := ics.ExtraLines(w.e)
	for _, given := range all {
		a := ics.Attendee(given)
		email, ok := w.mail("attendees", a.Email)
		if !ok {
			continue
		}
		a.Email = email
		if a.Status == "" {
			a.Status = "needs-action"
		}
		i := slices.IndexFunc(before.Properties, func(p ical.Property) bool {
			return p.Name == "ATTENDEE" && strings.EqualFold(ics.Address(p.Value), email)
		})
		if i >= 0 {
			old := ics.ReadAttendee(&before.Properties[i])
			if a.Name == "" {
				a.Name = old.Name
			}
			if old.Email = email; old == a {
				lines = append(lines, before.Properties[i].String())
				continue
			}
		}
		lines = append(lines, a.Line())
	}
	return lines
}

// checkGoogle refuses details that Google does not keep.
func (d *DetailsIn) checkGoogle(env *tools.Env) error {
	f := &Checker{Env: env}
	if d.Organizer != nil && *d.Organizer != "" {
		f.Add("organizer", "cannot be set: Google takes the owner of the calendar")
	}
	if d.URL != nil && *d.URL != "" {
		if u, err := url.Parse(strings.TrimSpace(*d.URL)); err != nil || u.Scheme != "http" && u.Scheme != "https" {
			f.Add("url", "must be an http or https address for a calendar at Google")
		}
	}
	var alarms []ics.Alarm
	for _, text := range d.Alarms {
		if a, ok := (&detailsWriter{f, &event.Event{}}).alarm(text); ok {
			alarms = append(alarms, a)
		}
	}
	if len(alarms) > len(google.Minutes(alarms)) {
		f.Add("alarms", "must be at most %d different lengths before the start, of at most four weeks, for a "+
			"calendar at Google", google.MaxReminders)
	}
	if d.Color != nil && *d.Color != "" && google.ColorID(*d.Color) == "" {
		f.Add("color", "must be a color of CSS such as tomato or #ff6347, not %q", legible.Clip(*d.Color))
	}
	return f.Err()
}

// The people, links, labels and alarms of an event are its iCalendar lines
// (store.Event.Extra), so that an export has all that an import read, also
// parameters that techo does not use.

// AttendeeIn is an attendee in an input.
type AttendeeIn struct {
	Email    string `json:"email" minLength:"3" maxLength:"254" doc:"E-mail address" list:"bare"`
	Name     string `json:"name,omitempty" maxLength:"200" doc:"Name" list:"bare"`
	Status   string `json:"status,omitempty" enum:"needs-action,accepted,declined,tentative,delegated" doc:"The answer" list:"bare"`
	Optional bool   `json:"optional,omitempty" doc:"Whether the person may be absent"`
}

// DetailsIn are the same fields in an input. A nil list is not given.
type DetailsIn struct {
	Attendees  []AttendeeIn `json:"attendees,omitempty" allowSingle:"true" orText:"email" doc:"Addresses, or objects"`
	Organizer  *string      `json:"organizer" maxLength:"254" doc:"The organizer's e-mail address" list:"-"`
	URL        *string      `json:"url" maxLength:"2000" doc:"A link" list:"bare"`
	Categories []string     `json:"categories,omitempty" doc:"Labels" list:"bare"`
	Alarms     []string     `json:"alarms,omitempty" allowSingle:"true" doc:"Alarms before the start, e.g. 10m"`
	Color      *string      `json:"color" maxLength:"30" doc:"A color of CSS, e.g. tomato" list:"-"`
}

// Check refuses details in a calendar that does not keep them.
func (d *DetailsIn) Check(env *tools.Env, b backend.Calendar) error {
	if _, isGoogle := b.(google.Calendar); isGoogle {
		return d.checkGoogle(env)
	}
	return nil
}
