package dates

import (
	"strconv"
	"time"
)

var lengthForm = lateForm{text: `^(?:(\d{1,4}(?:\.\d{1,2})?) ?(?:h|hours?|hrs?|時間)(半)?)?,? ?(?:and )?` +
	`(?:(\d{1,5}) ?(m|mins?|minutes?|分間?)?)?$`}

// Length parses a length of hours and minutes: 1h, 1h30, 1.5 hours, 90 minutes, 1時間半. A number
// without a unit is refused.
func Length(text string) (d time.Duration, ok bool) {
	if len(text) > maxText {
		return 0, false
	}
	s := normalize(text)
	switch s {
	case "half an hour", "half hour", "a half hour", "半時間":
		return 30 * time.Minute, true
	case "an hour", "one hour":
		return time.Hour, true
	case "an hour and a half", "one and a half hours", "one hour and a half":
		return 90 * time.Minute, true
	}
	m := lengthForm.match(s)
	if m == nil || m[1] == "" && m[4] == "" || m[2] != "" && m[3] != "" {
		return 0, false
	}
	if m[1] != "" {
		hours, err := strconv.ParseFloat(m[1], 64)
		if d = time.Duration(hours * float64(time.Hour)).Round(time.Second); err != nil {
			return 0, false
		}
	}
	if m[2] != "" {
		d += 30 * time.Minute
	}
	minutes, _ := strconv.Atoi("0" + m[3])
	if m[1] != "" && minutes > 59 {
		return 0, false
	}
	return d + time.Duration(minutes)*time.Minute, true
}
