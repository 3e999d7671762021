package event

import (
	"slices"
	"strings"
	"time"

	"techo/internal/ical"
)

// MaxAlarmLead is the longest time before an event at which its alarms are found.
const MaxAlarmLead = 5 * 366 * 24 * time.Hour

// UsualAlarmLead covers nearly all alarms. Only calendars with a longer one note it.
const UsualAlarmLead = 8 * 7 * 24 * time.Hour

// AlarmLead returns the time before an event in which to look for its alarms.
func (c *Calendar) AlarmLead() time.Duration {
	return max(UsualAlarmLead, time.Duration(c.Lead)*time.Second)
}

// HasAlarm reports whether an event has an alarm.
func (e *Event) HasAlarm() bool {
	return slices.ContainsFunc(e.Extra, func(l string) bool { return strings.EqualFold(l, "BEGIN:VALARM") })
}

// alarmLead returns the longest time between an alarm of an event and its start, at
// most MaxAlarmLead. It is 0 without an alarm before the start.
func (e *Event) alarmLead() (lead time.Duration) {
	if !e.HasAlarm() {
		return 0
	}
	for _, l := range e.Extra {
		name, value, _ := strings.Cut(l, ":")
		name, params, _ := strings.Cut(strings.ToUpper(name), ";")
		if name != "TRIGGER" {
			continue
		}
		if strings.Contains(params, "DATE-TIME") { // an instant, and a series may have late occurrences
			if at, err := ical.ParseTime(value[strings.LastIndexByte(value, ':')+1:]); err == nil {
				lead = max(lead, e.Start.Sub(at.Wall)+Slack)
			}
			continue
		}
		if d, err := ical.ParseDuration(value); err == nil {
			lead = max(lead, -d.Time-time.Duration(d.Days)*24*time.Hour+Slack)
		}
	}
	return min(lead, MaxAlarmLead)
}
