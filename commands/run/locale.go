package run

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"techo/commands/system"
	"techo/internal/zone"
	"techo/tools"
	"time"
	_ "time/tzdata"
)

// findLanguage finds the language: what was said, else the locale. A locale that is
// neither English nor Japanese is English; ok is false for such a value that
// was said.
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
			break
		}
	}
	return tools.English, true
}

// mainLanguage is the language of a locale: "ja" of "ja_JP.UTF-8" and "JA-jp".
func mainLanguage(locale string) string {
	if i := strings.IndexAny(locale, "_-.@"); i >= 0 {
		locale = locale[:i]
	}
	return strings.ToLower(locale)
}

// namedZone finds the zone of --tz and TECHO_TZ, which is a name of the time
// zone database.
func namedZone(name string) (*time.Location, error) {
	if strings.EqualFold(name, "local") {
		return nil, fmt.Errorf("not a zone's name: %s", name)
	}
	return time.LoadLocation(name)
}

// systemZone finds the zone of TZ, which holds a name, the path of a file of the
// time zone database, or a rule as POSIX has it.
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

// localZone is the file that names the system's zone.
const localZone = "/etc/localtime"

// defaultZone is the system's zone, else the one that the language suggests.
func defaultZone(lang tools.Lang) *time.Location {
	if filepath.Separator != '/' {
		return time.Local
	}
	if loc, err := zoneFile(localZone); err == nil {
		return loc
	}
	if lang == tools.Japanese {
		if loc, err := time.LoadLocation("Asia/Tokyo"); err == nil {
			return loc
		}
	}
	return time.UTC
}

// zoneFile reads a zone from a file of the time zone database. Its name is what
// follows zoneinfo/ in the path, also after links. A file elsewhere has no name:
// with summer time it stands for a zone with the same clocks, otherwise events
// are kept with its offset.
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
	f, err := os.Open(real)
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
