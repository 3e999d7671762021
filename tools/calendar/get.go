package calendar

import (
	"context"
	"strings"

	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/agenda"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/ics"
)

// Get is the tool get_event.
var Get = &tools.Tool{
	Name:    "get_event",
	For:     tools.Agents,
	Command: "cal get",
	About:   "Show one event",
	Details: "The ID of an occurrence shows that occurrence. The ID of a series shows its first " +
		"occurrence.",
	Notes: []tools.Note{
		{Text: "%s has the IDs of occurrences.", Names: []string{"cal list"}},
	},
	Effect:      tools.Reads,
	Sharing:     tools.OneSpace,
	Calendars:   []string{"calendar"},
	Preapproved: true,
	World:       true,
	Words:       []string{"event_id"},
	Refused:     "Could not show the event: %s",
	Examples: []tools.Example{
		{Does: "Show an event of techo cal list", Line: `cal get k3a1at4gerb7`},
	},
	Run: tools.Func[GetIn, GetOut](getEvent),
}

// GetIn is the input of get_event.
type GetIn struct {
	EventID  string `json:"event_id" minLength:"1" doc:"The event's id" list:"bare" record:"event"`
	Calendar string `json:"calendar,omitempty" doc:"The calendar's name, for a Google calendar"`
}

// GetOut is the result of get_event.
type GetOut struct {
	Event   agenda.Event `json:"event"`
	Message string       `json:"message"`
	o       event.Occurrence
}

func getEvent(ctx context.Context, env *tools.Env, in GetIn) (out GetOut, err error) {
	b, err := agenda.OpenOf(ctx, env, in.Calendar, in.EventID, tools.Reads)
	if err != nil {
		return out, err
	}
	o, err := b.Get(ctx, in.EventID)
	if err != nil {
		return out, backend.Explain(env, err)
	}
	return GetOut{agenda.ToEvent(env, &o), backend.SummaryLine(env, &o), o}, nil
}

// Text returns the fields of the event, one per line.
func (o GetOut) Text(env *tools.Env) string {
	lines := []string{backend.TitleOrPlaceholder(env, o.Event.Title), "- " + backend.WhenText(env, &o.o)}
	add := func(label tools.Text, value string) {
		if value != "" {
			lines = append(lines, env.Localize(label)+agenda.IndentContinuation(value))
		}
	}
	add("- place: ", o.Event.Location)
	add("- attendees: ", strings.Join(attendeeNames(env, o.Event.Attendees), env.Localize(", ")))
	add("- organizer: ", o.Event.Organizer)
	add("- link: ", o.Event.URL)
	add("- categories: ", strings.Join(o.Event.Categories, env.Localize(", ")))
	add("- alarms: ", strings.Join(o.Event.Alarms, env.Localize(", ")))
	add("- color: ", o.Event.Color)
	add("- calendar: ", o.Event.Calendar)
	add("- id: ", o.Event.EventID)
	add("- description: ", o.Event.Description)
	return strings.Join(lines, "\n")
}

// attendeeNames returns each attendee with the answer, if there is one.
func attendeeNames(env *tools.Env, all []ics.Attendee) (names []string) {
	answers := map[string]tools.Text{"accepted": "accepted", "declined": "declined", "tentative": "tentative",
		"delegated": "delegated"}
	for _, a := range all {
		name := ics.OneLine(a.Name)
		if name == "" {
			name = a.Email
		}
		if answer := answers[a.Status]; answer != "" {
			name += env.Localize(" (%s)", env.Localize(answer))
		}
		names = append(names, name)
	}
	return names
}
