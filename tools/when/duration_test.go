package when

import (
	"testing"
	"time"
)

func TestParseDuration(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"30s":               30 * time.Second,
		"90":                90 * time.Second,
		"1.5":               1500 * time.Millisecond,
		"250ms":             250 * time.Millisecond,
		"1h30m":             90 * time.Minute,
		"2d":                2 * day,
		"1w":                7 * day,
		"1w2d3h":            9*day + 3*time.Hour,
		"1 day":             day,
		"2 Hours 5 minutes": 125 * time.Minute,
		"10 min":            10 * time.Minute,
		"2日":                2 * day,
		"1時間30分":            90 * time.Minute,
		"1週間":               7 * day,
		"0":                 0,
		"0d":                0,
	} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "d", "1x", "-5m", "-1d", "1d-2h", "2d1w",
		"99999999h", "60d", "999999d", "1e300", "soon"} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}
