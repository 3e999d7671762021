package zone

import (
	"encoding/binary"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// POSIX returns the zone of a TZ value in the form of POSIX.1 §8.3: "JST-9",
// "<+0330>-3:30" or "EST5EDT,M3.2.0,M11.1.0". Offsets count west of Greenwich,
// so "UTC+3" is three hours behind UTC.
//
// The result for a zone without summer time comes from [Fixed]. Other programs
// do not understand rules for summer time, so POSIX returns the zone of the
// database that changes its clocks at the same instants. ok is false for a
// value of another form, for offsets with seconds, and for rules without such a
// zone.
func POSIX(tz string) (loc *time.Location, ok bool) {
	m := posixForm().FindStringSubmatch(tz)
	if m == nil {
		return nil, false
	}
	seconds, ok := posixTime(m[2], 15)
	if !ok || seconds%60 != 0 {
		return nil, false
	}
	if m[3] == "" {
		if seconds == 0 {
			return time.UTC, m[5] == ""
		}
		return Fixed(-seconds), m[5] == ""
	}
	summer, ok := posixTime(m[4], 15)
	if !ok || summer%60 != 0 {
		return nil, false
	}
	rules := m[5]
	if rules == "" {
		rules = ",M3.2.0,M11.1.0" // as in the C libraries
	}
	for rule := range strings.SplitSeq(rules[1:], ",") {
		if !posixRule(rule) {
			return nil, false
		}
	}
	loc, err := time.LoadLocationFromTZData("", zoneFile(m[1]+m[2]+m[3]+m[4]+rules, -seconds))
	if err != nil {
		return nil, false
	}
	return Like(loc)
}

// posixForm matches the standard name and offset, the summer name and offset,
// and the rules.
var posixForm = sync.OnceValue(func() *regexp.Regexp {
	const name, offset = `([A-Za-z]{3,20}|<[A-Za-z0-9+-]{3,20}>)`, `([+-]?\d{1,2}(?::\d{2}){0,2})`
	return regexp.MustCompile(`^` + name + offset + `(?:` + name + offset + `?)?(,[^,]{1,30},[^,]{1,30})?$`)
})

// posixTime parses [+-]hh[:mm[:ss]] as seconds. "" is zero.
func posixTime(text string, maxHours int) (seconds int, ok bool) {
	digits := strings.TrimLeft(text, "+-")
	for i, part := range strings.Split(digits, ":") {
		n, err := strconv.Atoi(part)
		if text != "" && (err != nil || n < 0 || i == 0 && n > maxHours || i > 0 && n > 59 || i > 2) {
			return 0, false
		}
		seconds = seconds*60 + n
	}
	for range 2 - strings.Count(digits, ":") {
		seconds *= 60
	}
	if strings.HasPrefix(text, "-") {
		seconds = -seconds
	}
	return seconds, len(text)-len(digits) <= 1
}

// posixRule reports whether a rule is Jn, n or Mm.w.d, with an optional /time.
func posixRule(rule string) bool {
	day, clock, timed := strings.Cut(rule, "/")
	if _, ok := posixTime(clock, 167); !ok || timed && clock == "" {
		return false
	}
	within := func(text string, low, high int) bool {
		n, err := strconv.Atoi(text)
		return err == nil && text[0] != '+' && low <= n && n <= high
	}
	if rest, ok := strings.CutPrefix(day, "M"); ok {
		part := strings.Split(rest, ".")
		return len(part) == 3 && within(part[0], 1, 12) && within(part[1], 1, 5) && within(part[2], 0, 6)
	}
	if rest, ok := strings.CutPrefix(day, "J"); ok {
		return within(rest, 1, 365)
	}
	return within(day, 0, 365)
}

// summerZones lists one zone of the database for each set of summer time rules
// in use.
const summerZones = `America/New_York America/Chicago America/Denver America/Los_Angeles America/Anchorage America/Adak
America/Halifax America/St_Johns America/Havana America/Nuuk America/Santiago America/Miquelon Atlantic/Azores
Europe/London Europe/Dublin Europe/Lisbon Europe/Berlin Europe/Helsinki Europe/Chisinau
Asia/Jerusalem Asia/Beirut Africa/Cairo Australia/Sydney Australia/Adelaide Australia/Lord_Howe
Pacific/Norfolk Pacific/Auckland Pacific/Chatham Pacific/Easter Antarctica/Troll`

// Like returns the zone of the database whose clocks agree with rules, a zone
// with summer time and without a name. It prefers a zone with the same
// abbreviations. ok is false if no zone agrees.
func Like(rules *time.Location) (named *time.Location, ok bool) {
	_, january := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).In(rules).Zone()
	_, july := time.Date(2025, 7, 1, 0, 0, 0, 0, time.UTC).In(rules).Zone()
	if january == july { // the usual case; loading all zones takes milliseconds
		return nil, false
	}
	for _, names := range []bool{true, false} {
		for _, name := range strings.Fields(summerZones) {
			if loc, ok := Load(name); ok && changeAlike(rules, loc, names) {
				return loc, true
			}
		}
	}
	return nil, false
}

// changeAlike reports whether clocks in rules and in named agree in the years
// 2025 to 2027: every week, and on both sides of each change in named. It does
// not use the changes in rules, because package time reports the end of each
// year as a change there.
func changeAlike(rules, named *time.Location, names bool) bool {
	same := func(at time.Time) bool {
		nameA, offsetA := at.In(rules).Zone()
		nameB, offsetB := at.In(named).Zone()
		return offsetA == offsetB && (nameA == nameB || !names)
	}
	at := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	for end := at.AddDate(3, 0, 0); at.Before(end); {
		week := at.AddDate(0, 0, 7)
		_, next := at.In(named).ZoneBounds()
		if !next.After(at) || next.After(week) {
			next = week
		}
		if !same(at) || !same(next.Add(-time.Second)) {
			return false
		}
		at = next
	}
	return true
}

// zoneFile returns a TZif file (RFC 8536) that has only a POSIX value. Package
// time cannot read such a value in another way.
func zoneFile(posix string, standard int) []byte {
	var b []byte
	for range 2 { // the block of version 1, then the same for version 2
		b = append(append(b, "TZif2"...), make([]byte, 15)...)
		for _, count := range []uint32{0, 0, 0, 0, 1, 4} { // one local time type, four bytes of names
			b = binary.BigEndian.AppendUint32(b, count)
		}
		b = binary.BigEndian.AppendUint32(b, uint32(int32(standard)))
		b = append(b, 0, 0, 's', 't', 'd', 0)
	}
	return append(b, "\n"+posix+"\n"...)
}
