package when

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// MaxDuration is the longest accepted duration. It prevents overflow.
const MaxDuration = 1000 * time.Hour

// units has the letter of each unit of time that people write out.
var units = strings.NewReplacer(" ", "", "　", "",
	"weeks", "w", "week", "w", "週間", "w", "週", "w",
	"days", "d", "day", "d", "日間", "d", "日", "d",
	"hours", "h", "hour", "h", "hrs", "h", "hr", "h", "時間", "h",
	"minutes", "m", "minute", "m", "mins", "m", "min", "m", "分", "m",
	"seconds", "s", "second", "s", "secs", "s", "sec", "s", "秒", "s")

// CompactUnits returns a length of time with letters for its units: 1d2h for
// "1 day 2 hours" and 1日2時間.
func CompactUnits(text string) string { return units.Replace(strings.ToLower(text)) }

// ParseDuration parses durations such as 30s, 2m, 1h30m, 2d and 90 minutes. A bare
// number means seconds, and a day has 24 hours.
func ParseDuration(text string) (time.Duration, error) {
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds <= MaxDuration.Seconds() {
		return checkDuration(time.Duration(seconds*float64(time.Second)), text)
	}
	rest, hours, found := CompactUnits(text), 0, false
	for _, unit := range []struct {
		letter string
		hours  int
	}{{"w", 7 * 24}, {"d", 24}} {
		number, after, ok := strings.Cut(rest, unit.letter)
		if n, err := strconv.ParseUint(number, 10, 16); ok && err == nil {
			rest, hours, found = after, hours+int(n)*unit.hours, true
		}
	}
	if rest == "" && found {
		rest = "0"
	}
	d, err := time.ParseDuration(rest)
	if err != nil {
		return d, err
	}
	if d >= 0 && d <= MaxDuration {
		d += time.Duration(hours) * time.Hour
	}
	return checkDuration(d, text)
}

// checkDuration returns an error for a duration out of range.
func checkDuration(d time.Duration, text string) (time.Duration, error) {
	if d < 0 || d > MaxDuration {
		return d, fmt.Errorf("below zero, or too long: %s", text)
	}
	return d, nil
}
