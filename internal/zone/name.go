package zone

import (
	"strconv"
	"strings"
	"time"
)

// Find returns the zone that a name stands for, by its name in the time zone
// database: a name of the database in any case, with a prefix as some programs
// write it ("/freeassociation.sourceforge.net/Europe/Lisbon"), Windows' name
// ("Pacific Standard Time", "Eastern") or an offset ("UTC+9"). Only the first
// part of what it takes for a name may be trusted to be exact; ok is false for
// a name that means nothing.
func Find(name string) (loc *time.Location, ok bool) {
	name = strings.Trim(strings.TrimSpace(name), `"'`)
	if name == "" || strings.EqualFold(name, "local") || len(name) > 100 {
		return nil, false
	}
	if loc, ok = load(name); ok {
		return loc, true
	}
	if loc, ok = load(windowsName(name)); ok {
		return loc, true
	}
	steps := strings.Split(strings.Trim(name, "/"), "/")
	for n := min(3, len(steps)); n > 1; n-- {
		if loc, ok = load(strings.Join(steps[len(steps)-n:], "/")); ok {
			return loc, true
		}
	}
	return offsetZone(name)
}

// load looks a name up as it is, then spelt as the database spells names.
func load(name string) (*time.Location, bool) {
	if name == "" || strings.ContainsAny(name, `\.`) || name[0] == '/' {
		return nil, false
	}
	for _, n := range []string{name, spell(name), strings.ToUpper(name)} {
		if loc, err := time.LoadLocation(n); err == nil && loc != time.Local {
			return loc, true
		}
	}
	return nil, false
}

// spell writes a name with the capitals of the database: Africa/Dar_es_Salaam.
func spell(name string) string {
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

// windowsName is the database's name for one of Windows.
func windowsName(name string) string {
	for _, n := range []string{name, name + " Standard Time", strings.TrimSuffix(name, " Time") + " Standard Time"} {
		n = "\n" + strings.ToLower(strings.ReplaceAll(n, "Daylight", "Standard")) + "="
		if i := strings.Index(lowerWindows(), n); i >= 0 {
			rest := windowsZones[i+len(n):]
			return rest[:strings.IndexByte(rest, '\n')]
		}
	}
	return ""
}

func lowerWindows() string { return strings.ToLower(windowsZones) }

// offsetZone reads "UTC+9", "GMT-03:30", "+0900".
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

// Fixed is the zone that is always so many seconds ahead of UTC. Its name is
// one that Find understands.
func Fixed(seconds int) *time.Location {
	sign, n := '+', seconds
	if n < 0 {
		sign, n = '-', -n
	}
	if n%60 != 0 { // such offsets are of the nineteenth century
		return time.FixedZone("", seconds)
	}
	b := append([]byte("UTC"), byte(sign))
	b = append(b, byte('0'+n/36000), byte('0'+n/3600%10), ':', byte('0'+n/600%6), byte('0'+n/60%10))
	return time.FixedZone(string(b), seconds)
}
