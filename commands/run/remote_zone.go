package run

import (
	"time"

	"techo/internal/zone"
	"techo/tools"
)

// localName is the name of a zone of this machine that has none elsewhere.
const localName = "Local"

// remoteZone returns the name by which a server finds the zone of a run. A zone without a
// name, as of a rule in TZ or a file, is named like one with the same clock changes or, without
// any, by its offset.
func remoteZone(s *Run) (name string, ok bool) {
	z, now := s.Options.zone, s.Options.Clock()
	if name := z.String(); name != "" && name != localName {
		if _, err := namedZone(name); err == nil {
			return name, true
		}
	}
	if like, ok := zone.Like(z); ok {
		return like.String(), true
	}
	_, offset := now.In(z).Zone()
	for month := range 12 {
		if _, other := now.AddDate(0, month, 0).In(z).Zone(); other != offset {
			return "", false
		}
	}
	name = zone.Fixed(offset).String()
	return name, name != ""
}

// checkZone returns an error if a server cannot find the zone of a run: it would read times
// in its own.
func checkZone(s *Run) *tools.Error {
	if _, ok := remoteZone(s); ok {
		return nil
	}
	env := s.Env()
	return env.Fail(tools.InvalidInput, "The server does not know the time zone of this machine").
		WithHint(env.Hint("Name one, e.g. --tz Asia/Tokyo"))
}

// offsetZone returns the zone with a name such as UTC+09:00.
func offsetZone(name string) (*time.Location, bool) {
	loc, ok := zone.Find(name)
	return loc, ok && loc.String() == name
}
