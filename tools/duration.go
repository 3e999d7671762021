package tools

import (
	"fmt"
	"strconv"
	"time"
)

// MaxDuration is the longest accepted duration. It prevents overflow.
const MaxDuration = 1000 * time.Hour

// ParseDuration parses durations such as 30s, 2m and 1h30m. A bare number means
// seconds.
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
