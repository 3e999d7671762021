package run

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
	_ "time/tzdata"

	"techo/commands/system"
	"techo/internal/regular"
	"techo/internal/zone"
	"techo/tools"
)

// findLanguage returns the language of the setting, or of the locale. A locale in
// another language is English. ok is false for a setting in another language.
func findLanguage(w system.System, said string) (lang tools.Lang, ok bool) {
	japanese := func(tag string) bool { return mainLanguage(tag) == "ja" }
	if said != "" {
		if japanese(said) {
			return tools.Japanese, true
		}
		return tools.English, mainLanguage(said) == "en"
	}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := w.Getenv(name); v != "" {
			if japanese(v) {
				return tools.Japanese, true
			}
			return tools.English, true
		}
	}
	if japanese(system.Language()) {
		return tools.Japanese, true
	}
	return tools.English, true
}

// InLanguage returns a copy of a run in the language that the header of a request names.
func (s *Run) InLanguage(header http.Header) *Run {
	own := *s
	if name := header.Get(FindSetting("lang").Header); name != "" {
		var known bool
		if own.Options.lang, known = findLanguage(s.System, name); !known { // which the call reports
			own.Options.lang, _ = findLanguage(s.System, "")
		}
	}
	return &own
}

// mainLanguage returns the language of a locale, such as "ja" for "ja_JP.UTF-8"
// and "JA-jp".
func mainLanguage(locale string) string {
	if i := strings.IndexAny(locale, "_-.@"); i >= 0 {
		locale = locale[:i]
	}
	return strings.ToLower(locale)
}

// namedZone returns the zone of --tz and TECHO_TZ, a name in the time zone
// database or an offset such as UTC+09:00.
func namedZone(name string) (*time.Location, error) {
	if strings.EqualFold(name, localName) {
		return nil, fmt.Errorf("not a zone's name: %s", name)
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		if loc, ok := offsetZone(name); ok {
			return loc, nil
		}
	}
	return loc, err
}

// systemZone returns the zone of TZ: a name, the path of a time zone file, or a
// POSIX rule.
func systemZone(tz string) (*time.Location, error) {
	tz = strings.TrimPrefix(tz, ":")
	if filepath.IsAbs(tz) {
		return zoneFile(tz)
	}
	if loc, err := namedZone(tz); err == nil {
		return loc, nil
	}
	if loc, ok := zone.POSIX(tz); ok {
		return loc, nil
	}
	return nil, fmt.Errorf("not a time zone: %s", tz)
}

// localZone is the file of the system's zone.
const localZone = "/etc/localtime"

// hostZone returns the system's zone, nil if it is unknown. A server asks for it at each request, so
// a process reads it once.
var hostZone = sync.OnceValue(func() *time.Location {
	if name, windows := system.Zone(); windows {
		if loc, ok := zone.Find(name); ok {
			return loc
		}
		return time.Local
	}
	loc, err := zoneFile(localZone)
	if err != nil {
		return nil
	}
	return loc
})

// defaultZone returns the system's zone, or the usual zone of the language.
func defaultZone(lang tools.Lang) *time.Location {
	if loc := hostZone(); loc != nil {
		return loc
	}
	if lang == tools.Japanese {
		if loc, err := time.LoadLocation("Asia/Tokyo"); err == nil {
			return loc
		}
	}
	return time.UTC
}

// zoneFile reads a zone from a file. Its name is the part of the path after
// zoneinfo/, also after following links. For a file elsewhere, zoneFile returns a
// named zone with the same summer time rules, if there is one; otherwise events
// are stored with its offset.
func zoneFile(path string) (*time.Location, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	for _, p := range []string{path, real} {
		if _, name, ok := strings.Cut(filepath.ToSlash(p), "zoneinfo/"); ok {
			if loc, err := time.LoadLocation(strings.TrimPrefix(name, "posix/")); err == nil && name != "" {
				return loc, nil
			}
		}
	}
	st, err := os.Stat(real)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("not a file: %s", path)
	}
	f, _, err := regular.Open(real)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 1<<20))
	if err != nil {
		return nil, err
	}
	loc, err := time.LoadLocationFromTZData("Local", data)
	if err != nil {
		return nil, err
	}
	if named, ok := zone.Like(loc); ok {
		return named, nil
	}
	return loc, nil
}
