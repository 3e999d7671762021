package calendar

import (
	"cmp"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"techo/internal/ical"
	"techo/store"
	"techo/tools"
)

// googleAttendee is an attendee in Google's format, with the fields that techo does not
// use.
type googleAttendee map[string]any

func (a googleAttendee) text(name string) string {
	text, _ := a[name].(string)
	return text
}

func (a googleAttendee) is(name string) bool {
	yes, _ := a[name].(bool)
	return yes
}

// googleReminders are the alarms of an event.
type googleReminders struct {
	UseDefault bool             `json:"useDefault"`
	Overrides  []googleReminder `json:"overrides"`
}

type googleReminder struct {
	Method  string `json:"method"` // popup or email
	Minutes int    `json:"minutes"`
}

// googleSource is the link of an event.
type googleSource struct {
	Title string `json:"title,omitempty"`
	URL   string `json:"url,omitempty"`
}

// Limits of Google on the reminders of an event.
const (
	maxGoogleReminders = 5
	maxGoogleMinutes   = 40320 // four weeks
)

// categoriesProperty is the private property of an event at Google with its
// categories, as in a line CATEGORIES: Google has none.
const categoriesProperty = "techo-categories"

// The answers of attendees at Google, and in results.
var googleAnswers = [...][2]string{{"needsAction", "needs-action"}, {"accepted", "accepted"},
	{"declined", "declined"}, {"tentative", "tentative"}}

// detailLines returns the details of an event as iCalendar lines.
func (g *googleEvent) detailLines() (lines []string) {
	for _, a := range g.Attendees {
		if a.text("email") == "" {
			continue
		}
		status := "needs-action"
		for _, pair := range googleAnswers {
			if a.text("responseStatus") == pair[0] {
				status = pair[1]
			}
		}
		lines = append(lines, Attendee{a.text("email"), a.text("displayName"), status, a.is("optional")}.line())
	}
	if email := g.Organizer.text("email"); email != "" {
		organizer := ical.Property{Name: "ORGANIZER", Value: "mailto:" + email}
		lines = append(lines, organizer.String())
	}
	if g.Source != nil {
		lines = append(lines, nonEmpty(prefixed("URL:", g.Source.URL))...)
	}
	if g.Properties != nil {
		lines = append(lines, nonEmpty(prefixed("CATEGORIES:", g.Properties.Private[categoriesProperty]))...)
	}
	lines = append(lines, nonEmpty(prefixed("COLOR:", colorOfGoogle(g.ColorID)))...)
	if g.Reminders == nil || g.Reminders.UseDefault {
		return lines
	}
	for _, r := range g.Reminders.Overrides {
		a := alarm{before: time.Duration(r.Minutes) * time.Minute}
		if r.Minutes%(24*60) == 0 {
			a = alarm{days: r.Minutes / (24 * 60)}
		}
		lines = append(lines, a.lines(g.Summary)...)
	}
	return lines
}

// setDetails sets the details of an event, as far as Google has them.
func (g *googleEvent) setDetails(env *tools.Env, e *store.Event) {
	if len(e.Extra) == 0 {
		return
	}
	c := extraLines(e)
	d := detailsOf(env, e)
	for _, a := range d.Attendees {
		person := googleAttendee{"email": a.Email}
		if a.Name != "" {
			person["displayName"] = a.Name
		}
		if a.Optional {
			person["optional"] = true
		}
		person["responseStatus"] = "needsAction"
		for _, pair := range googleAnswers {
			if a.Status == pair[1] {
				person["responseStatus"] = pair[0]
			}
		}
		g.Attendees = append(g.Attendees, person)
	}
	if u, err := url.Parse(d.URL); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		g.Source = &googleSource{Title: u.Host, URL: d.URL}
	}
	if len(d.Categories) > 0 {
		var texts []string
		for _, text := range d.Categories {
			texts = append(texts, ical.Escape(text))
		}
		g.Properties = &googleProperties{Private: map[string]string{categoriesProperty: strings.Join(texts, ",")}}
	}
	g.ColorID = googleColor(d.Color)
	if minutes := googleMinutes(alarmsOf(e, c)); len(minutes) > 0 {
		g.Reminders = &googleReminders{Overrides: []googleReminder{}}
		for _, n := range minutes {
			g.Reminders.Overrides = append(g.Reminders.Overrides, googleReminder{"popup", n})
		}
	}
}

// googleMinutes returns the alarms that Google can keep, in minutes before the start.
func googleMinutes(all []alarm) (minutes []int) {
	for _, a := range all {
		n := a.days*24*60 + int(a.before/time.Minute)
		fits := a.at.IsZero() && n >= 0 && n <= maxGoogleMinutes && a.before%time.Minute == 0
		if fits && !slices.Contains(minutes, n) && len(minutes) < maxGoogleReminders {
			minutes = append(minutes, n)
		}
	}
	return minutes
}

// detailChanges adds the details to a patch that gives an event the content of
// another.
func (g *googleEvent) detailChanges(after *googleEvent, patch map[string]any) {
	if !slices.EqualFunc(g.Attendees, after.Attendees, sameAttendee) {
		patch["attendees"] = after.Attendees
	}
	switch {
	case g.link() == after.link():
	case after.Source == nil:
		patch["source"] = nil
	default:
		patch["source"] = after.Source
	}
	if before, now := g.categories(), after.categories(); before != now {
		value := any(now)
		if now == "" {
			value = nil
		}
		patch["extendedProperties"] = map[string]any{"private": map[string]any{categoriesProperty: value}}
	}
	if g.ColorID != after.ColorID {
		patch["colorId"] = after.ColorID
		if after.ColorID == "" {
			patch["colorId"] = nil
		}
	}
	if !slices.Equal(g.minutes(), after.minutes()) {
		patch["reminders"] = cmp.Or(after.Reminders, &googleReminders{Overrides: []googleReminder{}})
	}
}

func (g *googleEvent) link() string {
	if g.Source == nil {
		return ""
	}
	return g.Source.URL
}

func (g *googleEvent) categories() string {
	if g.Properties == nil {
		return ""
	}
	return g.Properties.Private[categoriesProperty]
}

func (g *googleEvent) minutes() (all []int) {
	if g.Reminders != nil {
		for _, r := range g.Reminders.Overrides {
			all = append(all, r.Minutes)
		}
	}
	return all
}

func sameAttendee(a, b googleAttendee) bool {
	return strings.EqualFold(a.text("email"), b.text("email")) && a.text("displayName") == b.text("displayName") &&
		a.text("responseStatus") == b.text("responseStatus") && a.is("optional") == b.is("optional")
}

// keepUnused completes a patch of this event, which replaces lists as a whole, with
// what techo does not use: other fields of attendees, and the methods of reminders.
func (g *googleEvent) keepUnused(patch map[string]any) {
	if all, ok := patch["attendees"].([]googleAttendee); ok {
		whole := []googleAttendee{}
		for _, a := range all {
			i := slices.IndexFunc(g.Attendees, func(old googleAttendee) bool {
				return strings.EqualFold(old.text("email"), a.text("email"))
			})
			if i >= 0 {
				old := maps.Clone(g.Attendees[i])
				for _, name := range []string{"displayName", "optional", "responseStatus"} {
					delete(old, name)
				}
				maps.Copy(old, a)
				a = old
			}
			whole = append(whole, a)
		}
		if patch["attendees"] = whole; len(whole) == 0 {
			patch["attendees"] = nil
		}
	}
	r, ok := patch["reminders"].(*googleReminders)
	if !ok || g.Reminders == nil {
		return
	}
	kept := &googleReminders{Overrides: []googleReminder{}}
	for _, one := range r.Overrides {
		for _, old := range g.Reminders.Overrides {
			if old.Minutes == one.Minutes {
				one.Method = old.Method
				break
			}
		}
		kept.Overrides = append(kept.Overrides, one)
	}
	patch["reminders"] = kept
}

// mergeJSON applies a patch to JSON: null removes a field, objects merge, the rest
// replaces.
func mergeJSON(into, patch map[string]any) {
	for name, v := range patch {
		if v == nil || reflect.ValueOf(v).Kind() == reflect.Pointer && reflect.ValueOf(v).IsNil() {
			delete(into, name)
			continue
		}
		nested, isObject := v.(map[string]any)
		if !isObject {
			into[name] = v
			continue
		}
		old, _ := into[name].(map[string]any)
		if old == nil {
			old = map[string]any{}
		}
		mergeJSON(old, nested)
		into[name] = old
	}
}

// checkGoogle refuses details that Google does not keep.
func (d *DetailsIn) checkGoogle(env *tools.Env) error {
	f := &inputChecker{env: env}
	if d.Organizer != nil && *d.Organizer != "" {
		f.add("organizer", "cannot be set: Google takes the owner of the calendar")
	}
	if d.URL != nil && *d.URL != "" {
		if u, err := url.Parse(strings.TrimSpace(*d.URL)); err != nil || u.Scheme != "http" && u.Scheme != "https" {
			f.add("url", "must be an http or https address for a calendar at Google")
		}
	}
	var alarms []alarm
	for _, text := range d.Alarms {
		if a, ok := (&detailsWriter{f, &store.Event{}}).alarm(text); ok {
			alarms = append(alarms, a)
		}
	}
	if len(alarms) > len(googleMinutes(alarms)) {
		f.add("alarms", "must be at most %d different lengths before the start, of at most four weeks, for a "+
			"calendar at Google", maxGoogleReminders)
	}
	if d.Color != nil && *d.Color != "" && googleColor(*d.Color) == "" {
		f.add("color", "must be a color of CSS such as tomato or #ff6347, not %q", clip(*d.Color))
	}
	return f.err()
}
