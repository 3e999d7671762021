package zone

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Find returns the time zone of a name. It understands
//
//   - a name of the time zone database in upper or lower case: "europe/lisbon"
//   - such a name behind the prefix of a program:
//     "/freeassociation.sourceforge.net/Europe/Lisbon"
//   - a Windows name: "Pacific Standard Time", "Eastern"
//   - an offset: "UTC+9"
//
// The Location has the name of the database or, for an offset, of [Fixed]. ok
// is false for an unknown name.
func Find(name string) (loc *time.Location, ok bool) {
	name = strings.Trim(strings.TrimSpace(name), `"'`)
	if name == "" || strings.EqualFold(name, "local") || len(name) > 100 {
		return nil, false
	}
	if loc, ok = Load(name); ok {
		return loc, true
	}
	if loc, ok = Load(fromWindows(name)); ok {
		return loc, true
	}
	steps := strings.Split(strings.Trim(name, "/"), "/")
	for n := min(3, len(steps)); n > 1; n-- {
		if loc, ok = Load(strings.Join(steps[len(steps)-n:], "/")); ok {
			return loc, true
		}
	}
	if strings.EqualFold(steps[len(steps)-1], "utc") { // tzone://Microsoft/Utc
		return time.UTC, true
	}
	return offsetZone(name)
}

// Load looks up a name of the time zone database, as given and then with the capitals of the database.
func Load(name string) (*time.Location, bool) {
	if name == "" || strings.ContainsAny(name, `\.`) || name[0] == '/' {
		return nil, false
	}
	for _, n := range []string{name, capitalize(name), strings.ToUpper(name)} {
		if loc, err := time.LoadLocation(n); err == nil && loc != time.Local {
			return loc, true
		}
	}
	return nil, false
}

// capitalize writes a name with the capitals of the database:
// Africa/Dar_es_Salaam.
func capitalize(name string) string {
	b := []byte(strings.ToLower(name))
	for i := 0; i < len(b); {
		end := i
		for end < len(b) && b[end] != '/' && b[end] != '_' && b[end] != '-' {
			end++
		}
		switch word := string(b[i:end]); word {
		case "of", "es", "au", "in":
		default:
			if end > i && b[i] >= 'a' && b[i] <= 'z' {
				b[i] -= 'a' - 'A'
			}
		}
		i = end + 1
	}
	return string(b)
}

// fromWindows returns the database's name of a zone with a Windows name, or "".
func fromWindows(name string) string {
	for _, n := range []string{name, name + " Standard Time", strings.TrimSuffix(name, " Time") + " Standard Time"} {
		n = "\n" + strings.ToLower(strings.ReplaceAll(n, "Daylight", "Standard")) + "="
		if i := strings.Index(strings.ToLower(windowsZones), n); i >= 0 {
			rest := windowsZones[i+len(n):]
			return rest[:strings.IndexByte(rest, '\n')]
		}
	}
	return ""
}

// offsetZone parses "UTC+9", "GMT-03:30", "+0900".
func offsetZone(name string) (*time.Location, bool) {
	digits := strings.TrimPrefix(strings.TrimPrefix(strings.ToUpper(name), "UTC"), "GMT")
	digits = strings.ReplaceAll(strings.TrimSpace(digits), ":", "")
	if len(digits) < 2 || len(digits) > 5 || digits[0] != '+' && digits[0] != '-' {
		return nil, false
	}
	n, err := strconv.Atoi(digits[1:])
	if err != nil || n < 0 {
		return nil, false
	}
	hours, minutes := n, 0
	if len(digits) > 3 {
		hours, minutes = n/100, n%100
	}
	if hours > 15 || minutes > 59 {
		return nil, false
	}
	seconds := hours*3600 + minutes*60
	if digits[0] == '-' {
		seconds = -seconds
	}
	return Fixed(seconds), true
}

// Fixed returns the zone that is always the given seconds ahead of UTC. [Find]
// understands its name.
func Fixed(seconds int) *time.Location {
	sign, n := '+', seconds
	if n < 0 {
		sign, n = '-', -n
	}
	if n%60 != 0 { // offsets with seconds ended in the nineteenth century
		return time.FixedZone("", seconds)
	}
	return time.FixedZone(fmt.Sprintf("UTC%c%02d:%02d", sign, n/3600, n/60%60), seconds)
}
