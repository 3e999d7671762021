package agenda

import (
	"techo/tools"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/google"
)

// The people, links, labels and alarms of an event are its iCalendar lines
// (store.Event.Extra), so that an export has all that an import read, also
// parameters that techo does not use.

// AttendeeIn is an attendee in an input.
type AttendeeIn struct {
	Email    string `json:"email" minLength:"3" maxLength:"254" doc:"E-mail address"`
	Name     string `json:"name,omitempty" maxLength:"200" doc:"Name"`
	Status   string `json:"status,omitempty" enum:"needs-action,accepted,declined,tentative,delegated" doc:"The answer"`
	Optional bool   `json:"optional,omitempty" doc:"Whether the person may be absent"`
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

// Check refuses details in a calendar that does not keep them.
func (d *DetailsIn) Check(env *tools.Env, b backend.Calendar) error {
	if _, isGoogle := b.(google.Calendar); isGoogle {
		return d.checkGoogle(env)
	}
	return nil
}
