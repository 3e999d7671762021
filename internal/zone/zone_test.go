package zone

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"techo/internal/testenv"
)

func mustLoad(t *testing.T, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func TestVectors(t *testing.T) {
	var rows []struct{ Zone, Local, UTC string }
	if err := json.Unmarshal(testenv.ReadData(t, "cal/tz_local_to_utc.json"), &rows); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		wall, err := time.Parse("2006-01-02T15:04:05", r.Local)
		if err != nil {
			t.Fatal(err)
		}
		if got := Instant(wall, mustLoad(t, r.Zone)).UTC().Format(time.RFC3339); got != r.UTC {
			t.Errorf("%s in %s: %s, want %s", r.Local, r.Zone, got, r.UTC)
		}
	}
}

// TestInstant compares Instant with a search through every minute around the
// wall clock time.
func TestInstant(t *testing.T) {
	random := testenv.Random(t)
	for _, name := range []string{"America/New_York", "America/Sao_Paulo", "Pacific/Apia", "Australia/Lord_Howe",
		"Asia/Tokyo", "Africa/Casablanca", "Europe/Dublin", "America/St_Johns", "Antarctica/Troll", "Asia/Gaza",
		"UTC"} {
		loc := mustLoad(t, name)
		for range 40 {
			at := time.Date(1950+random.IntN(120), 1, 1+random.IntN(365), 0, 0, 0, 0, time.UTC)
			if _, change := at.In(loc).ZoneBounds(); !change.IsZero() && random.IntN(4) > 0 {
				at = change
			}
			wall := Wall(at.Add(time.Duration(random.IntN(300)-150)*time.Minute), loc).Truncate(time.Minute)
			if want := bruteForce(wall, loc); !want.Equal(Instant(wall, loc)) {
				t.Errorf("%s in %s: %s, want %s", wall, name, Instant(wall, loc), want)
			}
		}
	}
}

func bruteForce(wall time.Time, loc *time.Location) time.Time {
	first := wall.Add(-27 * time.Hour)
	_, offset := first.In(loc).Zone()
	for at := first; at.Before(wall.Add(27 * time.Hour)); at = at.Add(time.Minute) {
		shown := Wall(at, loc)
		if shown.Equal(wall) {
			return at
		}
		if shown.After(wall) && Wall(at.Add(-time.Minute), loc).Before(wall) {
			break // the clocks skip wall here
		}
		_, offset = at.In(loc).Zone()
	}
	return wall.Add(-time.Duration(offset) * time.Second)
}

func TestFind(t *testing.T) {
	for name, want := range map[string]string{
		"Asia/Tokyo": "Asia/Tokyo", "europe/LISBON": "Europe/Lisbon", "AFRICA/DAR_ES_SALAAM": "Africa/Dar_es_Salaam",
		"america/port-au-prince": "America/Port-au-Prince", "utc": "UTC", "est5edt": "EST5EDT",
		"Pacific Standard Time": "America/Los_Angeles", "Eastern": "America/New_York",
		"w. europe standard time":                               "Europe/Berlin",
		"/freeassociation.sourceforge.net/Tzfile/Europe/Lisbon": "Europe/Lisbon",
		"/mozilla.org/20050126_1/America/Indiana/Knox":          "America/Indiana/Knox",
		"/softwarestudio.org/Olson_20011030_5/America/New_York": "America/New_York", `"Europe/Paris"`: "Europe/Paris",
		"UTC+9": "UTC+09:00", "GMT-0330": "UTC-03:30", "+05:30": "UTC+05:30",
		"": "", "Local": "", "Mars/Base": "", "../../etc/passwd": "", "UTC+99": "", "Customized Time Zone": "",
	} {
		loc, ok := Find(name)
		if ok != (want != "") || ok && loc.String() != want {
			t.Errorf("%q: %v, want %q", name, loc, want)
		}
	}
	for line := range strings.Lines(strings.TrimPrefix(windowsZones, "\n")) {
		name, want, _ := strings.Cut(strings.TrimSpace(line), "=")
		if loc, ok := Find(strings.ToUpper(name)); !ok || loc.String() != want {
			t.Errorf("%q: %v, want %q", name, loc, want)
		}
	}
}

func FuzzInstant(f *testing.F) {
	f.Add(int64(1_700_000_000), "Europe/London")
	f.Add(int64(4_102_444_800), "America/New_York")
	f.Fuzz(func(t *testing.T, seconds int64, name string) {
		loc, ok := Find(name)
		if !ok {
			return
		}
		wall := time.Unix(seconds%(1<<37), 0).UTC()
		got := Instant(wall, loc)
		if again := Instant(Wall(got, loc), loc); !again.Equal(got) {
			t.Fatalf("%v in %s: %v, then %v", wall, name, got, again)
		}
	})
}

// TestLatestAndReached compares with a search of all minutes around changes of
// clocks.
func TestLatestAndReached(t *testing.T) {
	for _, name := range []string{"America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "America/Sao_Paulo",
		"Pacific/Apia", "Asia/Tokyo"} {
		loc, ok := Find(name)
		if !ok {
			t.Fatal(name)
		}
		for _, day := range []string{"2026-03-08", "2026-11-01", "2026-10-25", "2026-04-05", "2018-11-04",
			"2011-12-30"} {
			first, err := time.Parse(time.DateOnly, day)
			if err != nil {
				t.Fatal(err)
			}
			shown := map[time.Time]time.Time{} // the last instant of each wall clock time
			for at := first.Add(-40 * time.Hour); at.Before(first.Add(64 * time.Hour)); at = at.Add(time.Minute) {
				shown[Wall(at, loc)] = at
			}
			for wall := first; wall.Before(first.Add(24 * time.Hour)); wall = wall.Add(time.Minute) {
				last, isShown := shown[wall]
				if got := Latest(wall, loc); isShown && !got.Equal(last) {
					t.Errorf("%s: Latest(%v) = %v, want %v", name, wall, got, last)
				}
				got, skipped := Reached(wall, loc)
				if skipped == isShown || isShown && !got.Equal(Instant(wall, loc)) ||
					skipped && (!Wall(got, loc).After(wall) || Wall(got.Add(-time.Second), loc).After(wall)) {
					t.Errorf("%s: Reached(%v) = %v, %v", name, wall, got, skipped)
				}
			}
		}
	}
}
