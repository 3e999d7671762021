// Package buildstamp reads the commit that the running program was built from.
package buildstamp

import "runtime/debug"

// Stamp identifies a build. Its fields are empty in a build without version
// control, for example of a test.
type Stamp struct {
	Commit string // the first 12 digits of the hash, then "+dirty" if files were changed
	Date   string // the day of the commit in UTC, YYYY-MM-DD
}

// Read returns the stamp that the Go toolchain wrote into the program.
func Read() Stamp {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Stamp{}
	}
	return fromSettings(info.Settings)
}

func fromSettings(settings []debug.BuildSetting) (s Stamp) {
	modified := false
	for _, setting := range settings {
		switch setting.Key {
		case "vcs.revision":
			s.Commit = setting.Value[:min(12, len(setting.Value))]
		case "vcs.time":
			s.Date = setting.Value[:min(len("2006-01-02"), len(setting.Value))]
		case "vcs.modified":
			modified = setting.Value == "true"
		}
	}
	if modified && s.Commit != "" {
		s.Commit += "+dirty"
	}
	return s
}

// String returns "commit, date", or "" without a commit.
func (s Stamp) String() string {
	if s.Commit == "" {
		return ""
	}
	return s.Commit + ", " + s.Date
}
