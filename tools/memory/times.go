package memory

import (
	"strings"
	"time"

	"techo/tools"
)

// times parses the times of an input and collects the problems.
type times struct {
	env      *tools.Env
	problems []tools.Detail
}

// layouts are the accepted forms of a time besides RFC 3339. They are in the
// caller's zone.
func layouts() []string {
	return []string{"2006-01-02T15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04"}
}

// read parses a time; "" is the zero time. With last set, a day without a time of
// day means the end of that day.
func (t *times) read(field, text string, last bool) time.Time {
	if text == "" {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339Nano, strings.ToUpper(text))
	if err == nil {
		return at
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, t.env.Zone); err == nil {
		if last {
			day = day.AddDate(0, 0, 1)
		}
		return day
	}
	for _, layout := range layouts() {
		if at, err = time.ParseInLocation(layout, text, t.env.Zone); err == nil {
			return at
		}
	}
	t.problems = append(t.problems, tools.Detail{Path: "/" + field, Message: t.env.Localize(
		"must be a time such as 2026-01-02T15:04:05Z or 2026-01-02, not %q", text)})
	return time.Time{}
}

// span parses since and until.
func (t *times) span(since, until string) (from, to time.Time) {
	return t.read("since", since, false), t.read("until", until, true)
}

// err returns one error for all problems, or nil.
func (t *times) err() error {
	if len(t.problems) == 0 {
		return nil
	}
	return tools.InvalidError(t.env, t.problems).
		WithHint(t.env.Localize("Times are RFC 3339, or in the zone of --tz without an offset"))
}

// minute formats a result's time for a person, to the minute.
func minute(env *tools.Env, at string) string {
	t, err := time.Parse(time.RFC3339Nano, at)
	if err != nil {
		return at
	}
	return env.Minute(t)
}
