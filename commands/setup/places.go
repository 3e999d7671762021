package setup

import (
	"path/filepath"

	"techo/commands/system"
)

// machine is what the places of a client's files depend on.
type machine struct {
	system.System
	os string // as runtime.GOOS
}

// location returns the path of a file, "" if it is unknown.
type location func(m machine) string

// atHome is a path below the home folder.
func atHome(path ...string) location { return moved("", nil, path...) }

// moved is a path below the folder that a variable of the environment names, or below
// a folder in the home folder.
func moved(variable string, folder []string, path ...string) location {
	return func(m machine) string {
		if variable != "" {
			if dir := m.Getenv(variable); dir != "" {
				return filepath.Join(append([]string{m.Path(dir)}, path...)...)
			}
		}
		if m.Home() == "" {
			return ""
		}
		return filepath.Join(append(append([]string{m.Home()}, folder...), path...)...)
	}
}

// inProject is a path below the folder of a project.
func inProject(path ...string) location {
	return func(m machine) string { return filepath.Join(append([]string{m.Dir}, path...)...) }
}

// inConfig is a path below the folder for settings of the system. On macOS and Windows
// most clients use folders of their own.
func inConfig(mac, windows location, path ...string) location {
	return func(m machine) string {
		switch {
		case m.os == "darwin" && mac != nil:
			return mac(m)
		case m.os == "windows" && windows != nil:
			return windows(m)
		case m.Config() == "":
			return ""
		}
		return filepath.Join(append([]string{m.Config()}, path...)...)
	}
}

// inAppData is a path below the folder for the settings of programs on Windows.
func inAppData(path ...string) location {
	return moved("APPDATA", []string{"AppData", "Roaming"}, path...)
}

// firstOf is the first of some files that exists, or else the first.
func firstOf(all ...location) location {
	return func(m machine) string {
		for _, l := range all {
			if path := l(m); path != "" && exists(path) {
				return path
			}
		}
		return all[0](m)
	}
}

// joined is filepath.Join for a folder that may be unknown.
func joined(folder string, path ...string) string {
	if folder == "" {
		return ""
	}
	return filepath.Join(append([]string{folder}, path...)...)
}
