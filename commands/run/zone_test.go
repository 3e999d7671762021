package run

import (
	"testing"
	"time"

	"techo/commands/system"
)

// TestRemoteZone: a server finds the zone of a client by the name that it is sent, with the
// same times.
func TestRemoteZone(t *testing.T) {
	rules := func(tz string) *time.Location {
		loc, err := systemZone(tz)
		if err != nil {
			t.Fatal(err)
		}
		return loc
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	none := system.System{Getenv: func(string) string { return "" }}
	for _, test := range []struct {
		zone *time.Location
		want string
	}{
		{berlin, "Europe/Berlin"},
		{time.UTC, "UTC"},
		{rules("JST-9"), "UTC+09:00"},
		{rules("<-0330>3:30"), "UTC-03:30"},
		{rules("CET-1CEST,M3.5.0,M10.5.0/3"), "Europe/Berlin"},
		{time.FixedZone("Local", 9*3600), "UTC+09:00"},
		{time.FixedZone("", 9*3600+1), ""},
	} {
		s := &Run{System: none, Resources: &Resources{}, Options: Options{zone: test.zone, Clock: time.Now}}
		name, ok := s.remoteZone()
		if name != test.want || ok != (test.want != "") {
			t.Errorf("%v: %q, want %q", test.zone, name, test.want)
			continue
		}
		if e := s.checkZone(); (e == nil) != ok {
			t.Errorf("%v: %v", test.zone, e)
		}
		if !ok {
			continue
		}
		found, problems := Parse(none, Given{Settings: map[string]string{"tz": name}})
		at := time.Date(2026, 7, 1, 10, 0, 0, 0, time.UTC)
		if len(problems) > 0 || !sameTime(at, found.zone, test.zone) {
			t.Errorf("%v: the server finds %v, %v", test.zone, found.zone, problems)
		}
	}
}

// sameTime reports whether the clocks of two zones agree.
func sameTime(at time.Time, a, b *time.Location) bool {
	_, x := at.In(a).Zone()
	_, y := at.In(b).Zone()
	return x == y
}
