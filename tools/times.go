package tools

import (
	"strings"
	"time"
)

// Times parses the times of an input and collects the problems.
type Times struct {
	env      *Env
	problems []Detail
}

// NewTimes returns a parser of times in the zone of env.
func NewTimes(env *Env) *Times { return &Times{env: env} }

// timeLayouts are the accepted forms of a time besides RFC 3339. They are in the
// caller's zone.
func timeLayouts() []string {
	return []string{"2006-01-02T15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04"}
}

// Read parses a time; "" is the zero time. With last set, a day without a time of
// day means the end of that day.
func (t *Times) Read(field, text string, last bool) time.Time {
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
	for _, layout := range timeLayouts() {
		if at, err = time.ParseInLocation(layout, text, t.env.Zone); err == nil {
			return at
		}
	}
	t.problems = append(t.problems, Detail{Path: "/" + field, Message: t.env.Localize(
		"must be a time such as 2026-01-02T15:04:05Z or 2026-01-02, not %q", text)})
	return time.Time{}
}

// Span parses since and until.
func (t *Times) Span(since, until string) (from, to time.Time) {
	return t.Read("since", since, false), t.Read("until", until, true)
}

// Err returns one error for all problems, or nil.
func (t *Times) Err() error {
	if len(t.problems) == 0 {
		return nil
	}
	return InvalidError(t.env, t.problems).
		WithHint(t.env.Localize("Times are RFC 3339, or in the zone of --tz without an offset"))
}

// MinuteOf formats a result's time for a person, to the minute.
func (env *Env) MinuteOf(at string) string {
	t, err := time.Parse(time.RFC3339Nano, at)
	if err != nil {
		return at
	}
	return env.Minute(t)
}

// OptionalTime parses an optional time. problem is the reason why it is invalid, or "".
func OptionalTime(env *Env, name, text string) (at time.Time, problem string) {
	if text == "" {
		return at, ""
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		problem = env.Localize("%s must be a time such as 2026-01-02T15:04:05Z, not %q", name, text)
	}
	return at, problem
}
