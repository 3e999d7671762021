package google

import (
	"cmp"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"techo/internal/ical"
	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/ics"
)

// attendee is an attendee in Google's format, with the fields that techo does not
// use.
type attendee map[string]any

func (a attendee) text(name string) string {
	text, _ := a[name].(string)
	return text
}

func (a attendee) is(name string) bool {
	yes, _ := a[name].(bool)
	return yes
}

type reminders struct {
	UseDefault bool       `json:"useDefault"`
	Overrides  []reminder `json:"overrides"`
}

type reminder struct {
	Method  string `json:"method"` // popup or email
	Minutes int    `json:"minutes"`
}

// source is the link of an event.
type source struct {
	Title string `json:"title,omitempty"`
	URL   string `json:"url,omitempty"`
}

// Limits of Google on the reminders of an event.
const (
	MaxReminders = 5
	maxMinutes   = 40320 // four weeks
)

// categoriesProperty is the private property of an event at Google with its
// categories, as in a line CATEGORIES: Google has none.
const categoriesProperty = "techo-categories"

// The answers of attendees at Google, and in results.
var answers = [...][2]string{{"needsAction", "needs-action"}, {"accepted", "accepted"},
	{"declined", "declined"}, {"tentative", "tentative"}}

func (g *Event) detailLines() (lines []string) {
	for _, a := range g.Attendees {
		if a.text("email") == "" {
			continue
		}
		status := "needs-action"
		for _, pair := range answers {
			if a.text("responseStatus") == pair[0] {
				status = pair[1]
			}
		}
		guest := ics.Attendee{Email: a.text("email"), Name: a.text("displayName"), Status: status,
			Optional: a.is("optional")}
		lines = append(lines, guest.Line())
	}
	if email := g.Organizer.text("email"); email != "" {
		organizer := ical.Property{Name: "ORGANIZER", Value: "mailto:" + email}
		lines = append(lines, organizer.String())
	}
	if g.Source != nil {
		lines = append(lines, ics.NonEmpty(ics.Prefixed("URL:", g.Source.URL))...)
	}
	if g.Properties != nil {
		lines = append(lines, ics.NonEmpty(ics.Prefixed("CATEGORIES:", g.Properties.Private[categoriesProperty]))...)
	}
	lines = append(lines, ics.NonEmpty(ics.Prefixed("COLOR:", colorOf(g.ColorID)))...)
	if g.Reminders == nil || g.Reminders.UseDefault {
		return lines
	}
	for _, r := range g.Reminders.Overrides {
		a := ics.Alarm{Before: time.Duration(r.Minutes) * time.Minute}
		if r.Minutes%(24*60) == 0 {
			a = ics.Alarm{Days: r.Minutes / (24 * 60)}
		}
		lines = append(lines, a.Lines(g.Summary)...)
	}
	return lines
}

func (g *Event) setDetails(env *tools.Env, e *event.Event) {
	if len(e.Extra) == 0 {
		return
	}
	c := ics.ExtraLines(e)
	d := ics.DetailsOf(env, e)
	for _, a := range d.Attendees {
		person := attendee{"email": a.Email}
		if a.Name != "" {
			person["displayName"] = a.Name
		}
		if a.Optional {
			person["optional"] = true
		}
		person["responseStatus"] = "needsAction"
		for _, pair := range answers {
			if a.Status == pair[1] {
				person["responseStatus"] = pair[0]
			}
		}
		g.Attendees = append(g.Attendees, person)
	}
	if u, err := url.Parse(d.URL); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		g.Source = &source{Title: u.Host, URL: d.URL}
	}
	if len(d.Categories) > 0 {
		var texts []string
		for _, text := range d.Categories {
			texts = append(texts, ical.Escape(text))
		}
		g.Properties = &properties{Private: map[string]string{categoriesProperty: strings.Join(texts, ",")}}
	}
	g.ColorID = ColorID(d.Color)
	if minutes := Minutes(ics.AlarmsOf(e, c)); len(minutes) > 0 {
		g.Reminders = &reminders{Overrides: []reminder{}}
		for _, n := range minutes {
			g.Reminders.Overrides = append(g.Reminders.Overrides, reminder{"popup", n})
		}
	}
}

// Minutes returns the alarms that Google can keep, in minutes before the start.
func Minutes(all []ics.Alarm) (minutes []int) {
	for _, a := range all {
		n := a.Days*24*60 + int(a.Before/time.Minute)
		fits := a.At.IsZero() && n >= 0 && n <= maxMinutes && a.Before%time.Minute == 0
		if fits && !slices.Contains(minutes, n) && len(minutes) < MaxReminders {
			minutes = append(minutes, n)
		}
	}
	return minutes
}

// detailChanges adds the details to a patch that gives an event the content of
// another.
func (g *Event) detailChanges(after *Event, patch map[string]any) {
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
		patch["reminders"] = cmp.Or(after.Reminders, &reminders{Overrides: []reminder{}})
	}
}

func (g *Event) link() string {
	if g.Source == nil {
		return ""
	}
	return g.Source.URL
}

func (g *Event) categories() string {
	if g.Properties == nil {
		return ""
	}
	return g.Properties.Private[categoriesProperty]
}

func (g *Event) minutes() (all []int) {
	if g.Reminders != nil {
		for _, r := range g.Reminders.Overrides {
			all = append(all, r.Minutes)
		}
	}
	return all
}

func sameAttendee(a, b attendee) bool {
	return strings.EqualFold(a.text("email"), b.text("email")) && a.text("displayName") == b.text("displayName") &&
		a.text("responseStatus") == b.text("responseStatus") && a.is("optional") == b.is("optional")
}

// keepUnused completes a patch of this event, which replaces lists as a whole, with
// what techo does not use: other fields of attendees, and the methods of reminders.
func (g *Event) keepUnused(patch map[string]any) {
	if all, ok := patch["attendees"].([]attendee); ok {
		whole := []attendee{}
		for _, a := range all {
			i := slices.IndexFunc(g.Attendees, func(old attendee) bool {
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
	r, ok := patch["reminders"].(*reminders)
	if !ok || g.Reminders == nil {
		return
	}
	kept := &reminders{Overrides: []reminder{}}
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
