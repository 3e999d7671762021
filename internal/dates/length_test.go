package dates

import (
	"testing"
	"time"
)

// TestLength reads lengths of hours and minutes.
func TestLength(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"1h": time.Hour, "1h30": 90 * time.Minute, "1h 30m": 90 * time.Minute, "1.5h": 90 * time.Minute,
		"90 minutes": 90 * time.Minute, "2 hours": 2 * time.Hour, "2 hours and 15 minutes": 135 * time.Minute,
		"45min": 45 * time.Minute, "1時間": time.Hour, "1時間半": 90 * time.Minute,
		"２時間１５分": 135 * time.Minute,
		"30分":    30 * time.Minute, "half an hour": 30 * time.Minute, "an hour and a half": 90 * time.Minute,
	} {
		if got, ok := Length(text); !ok || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "90", "1h90", "h", "1h半30", "1 day", "-1h", "1:30", "半", "1h30s", "10:00"} {
		if got, ok := Length(text); ok {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestHolidays compares computed days with almanacs.
func TestHolidays(t *testing.T) {
	for feast, days := range map[int][]string{
		easter: {"1981-04-19", "2000-04-23", "2019-04-21", "2024-03-31", "2025-04-20", "2026-04-05", "2038-04-25",
			"2285-03-22"},
		vernalEquinox:   {"2000-03-20", "2023-03-21", "2024-03-20", "2025-03-20", "2026-03-20", "2027-03-21"},
		autumnalEquinox: {"2012-09-22", "2023-09-23", "2024-09-22", "2025-09-23", "2026-09-23"},
		repentance:      {"2023-11-22", "2024-11-20", "2025-11-19", "2026-11-18"},
		blackFriday:     {"2024-11-29", "2025-11-28", "2026-11-27"},
		marineDay:       {"2020-07-23", "2021-07-22", "2024-07-15", "2026-07-20"},
		mountainDay:     {"2020-08-10", "2021-08-08", "2026-08-11"},
		sportsDay:       {"2020-07-24", "2021-07-23", "2025-10-13"},
	} {
		for _, want := range days {
			day, err := time.Parse(time.DateOnly, want)
			if err != nil {
				t.Fatal(err)
			}
			if got := feastDay(feast, day.Year()); !got.Equal(day) {
				t.Errorf("%d: %s, want %s", feast, got.Format(time.DateOnly), want)
			}
		}
	}
}
