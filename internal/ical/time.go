package ical

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Time is a date, a local time or an instant, as the property gives it.
type Time struct {
	Wall time.Time // the written fields, as a time in UTC
	UTC  bool      // an instant (suffix Z)
	Date bool      // a date without a time
}

var errTime = errors.New("not a time")

// ParseTime parses 20260105, 20260105T100000, 20260105T100000Z and some common
// deviations. It parses one value; callers split lists.
func ParseTime(text string) (Time, error) {
	s := strings.ToUpper(strings.TrimSpace(text))
	s, utc := strings.CutSuffix(s, "Z")
	digits := s
	if strings.ContainsAny(s, "-:") {
		digits = strings.NewReplacer("-", "", ":", "").Replace(s)
	}
	for _, f := range []string{"20060102T150405", "20060102", "20060102T1504", "20060102150405",
		"20060102T150405.000"} {
		if len(digits) != len(f) {
			continue
		}
		t, err := time.Parse(f, digits)
		if seconds := len("20060102T1504"); err != nil && f == "20060102T150405" && digits[seconds:] == "60" {
			t, err = time.Parse(f, digits[:seconds]+"59") // a leap second
		}
		if err == nil {
			return Time{Wall: t, UTC: utc && f != "20060102", Date: f == "20060102"}, nil
		}
	}
	if base, ok := strings.CutSuffix(digits, "T240000"); ok { // 24:00 is midnight at the end of the day
		if t, err := time.Parse("20060102", base); err == nil {
			return Time{Wall: t.AddDate(0, 0, 1), UTC: utc}, nil
		}
	}
	return Time{}, errTime
}

// Form formats the time as in RFC 5545.
func (t Time) Form() string {
	switch {
	case t.Date:
		return t.Wall.Format("20060102")
	case t.UTC:
		return t.Wall.Format("20060102T150405Z")
	}
	return t.Wall.Format("20060102T150405")
}

// Duration is a number of calendar days followed by an exact duration.
type Duration struct {
	Days int
	Time time.Duration
}

var errDuration = errors.New("not a duration")

// ParseDuration parses P1D, PT1H30M, -P2W. A week counts as seven days.
func ParseDuration(text string) (d Duration, err error) {
	s := strings.ToUpper(strings.TrimSpace(text))
	sign := 1
	if strings.HasPrefix(s, "-") {
		sign = -1
	}
	s, ok := strings.CutPrefix(strings.TrimLeft(s, "+-"), "P")
	if !ok || s == "" {
		return d, errDuration
	}
	inTime := false
	for s != "" {
		if s[0] == 'T' {
			inTime, s = true, s[1:]
			continue
		}
		i := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
		if i <= 0 || i > 9 {
			return d, errDuration
		}
		n, err := strconv.Atoi(s[:i])
		if err != nil {
			return d, errDuration
		}
		n *= sign
		switch unit := s[i]; {
		case unit == 'W' && !inTime:
			d.Days += 7 * n
		case unit == 'D' && !inTime:
			d.Days += n
		case unit == 'H' && inTime:
			d.Time += time.Duration(n) * time.Hour
		case unit == 'M' && inTime:
			d.Time += time.Duration(n) * time.Minute
		case unit == 'S' && inTime:
			d.Time += time.Duration(n) * time.Second
		default:
			return d, errDuration
		}
		s = s[i+1:]
	}
	if d.Days > 1<<20 || d.Days < -1<<20 || d.Time > 1<<20*time.Hour || d.Time < -(1<<20)*time.Hour {
		return d, errDuration
	}
	return d, nil
}

// parseOffset parses +0900 and -033000.
func parseOffset(text string) (seconds int, err error) {
	s := strings.ReplaceAll(strings.TrimSpace(text), ":", "")
	sign := 1
	if rest, ok := strings.CutPrefix(s, "-"); ok {
		sign, s = -1, rest
	} else {
		s = strings.TrimPrefix(s, "+")
	}
	n, err := strconv.Atoi(s)
	switch {
	case err != nil || n < 0:
		return 0, errTime
	case len(s) <= 4:
		n = n/100*3600 + n%100*60
	case len(s) == 6:
		n = n/10000*3600 + n/100%100*60 + n%100
	default:
		return 0, errTime
	}
	if n > 18*3600 {
		return 0, errTime
	}
	return sign * n, nil
}

// formOffset formats a UTC offset in seconds as +0900.
func formOffset(seconds int) string {
	sign := "+"
	if seconds < 0 {
		sign, seconds = "-", -seconds
	}
	text := fmt.Sprintf("%s%02d%02d", sign, seconds/3600, seconds/60%60)
	if seconds%60 != 0 {
		text += fmt.Sprintf("%02d", seconds%60)
	}
	return text
}
