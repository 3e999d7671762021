package tools

import (
	"fmt"
	"strconv"
	"time"
)

// MaxDuration keeps a time from meaning for ever, and from overflowing.
const MaxDuration = 1000 * time.Hour

// ParseDuration reads a time as a person writes it: 30s, 2m, 1h30m; a bare
// number is seconds.
func ParseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if seconds, e := strconv.ParseFloat(text, 64); e == nil && seconds <= MaxDuration.Seconds() {
		d, err = time.Duration(seconds*float64(time.Second)), nil
	}
	if err == nil && (d < 0 || d > MaxDuration) {
		err = fmt.Errorf("below zero, or too long: %s", text)
	}
	return d, err
}
