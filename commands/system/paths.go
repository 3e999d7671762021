package system

import (
	"path/filepath"
	"runtime"
	"strings"

	"techo/internal/confine"
)

// Data returns the folder for a person's data, "" if none is known.
func (w System) Data() string {
	dir, local := w.Getenv("XDG_DATA_HOME"), w.Getenv("LOCALAPPDATA")
	switch {
	case filepath.IsAbs(dir): // the XDG specification ignores relative paths
		return dir
	case runtime.GOOS == "windows" && filepath.IsAbs(local):
		return local
	case w.Home() != "":
		return filepath.Join(w.Home(), ".local", "share")
	}
	return ""
}

// State returns the folder for a person's state, "" if none is known.
func (w System) State() string {
	switch dir := w.Getenv("XDG_STATE_HOME"); {
	case filepath.IsAbs(dir):
		return dir
	case w.Home() != "":
		return filepath.Join(w.Home(), ".local", "state")
	}
	return ""
}

// Home returns the person's home folder, "" if none is known.
func (w System) Home() string {
	if home := w.Getenv("HOME"); home != "" {
		return home
	}
	return w.Getenv("USERPROFILE")
}

// Own returns a path in the home folder of the process's account, "" if it has none. No variable
// of the environment moves it. It fails if nothing shows which folder that is.
func (w System) Own(parts ...string) (string, error) {
	if w.Account == nil {
		return "", nil
	}
	home, err := w.Account()
	if home == "" || err != nil {
		return "", err
	}
	return filepath.Join(append([]string{home}, parts...)...), nil
}

// Config returns the folder for a person's settings, "" if none is known.
func (w System) Config() string {
	switch dir := w.Getenv("XDG_CONFIG_HOME"); {
	case filepath.IsAbs(dir):
		return dir
	case w.Home() != "":
		return filepath.Join(w.Home(), ".config")
	}
	return ""
}

// Cache returns the person's folder of techo for what can be made again, "" if none is known.
func (w System) Cache() string {
	switch dir := w.Getenv("XDG_CACHE_HOME"); {
	case filepath.IsAbs(dir):
		return filepath.Join(dir, "techo")
	case runtime.GOOS == "windows" && w.Getenv("LOCALAPPDATA") != "":
		return filepath.Join(w.Getenv("LOCALAPPDATA"), "techo", "cache")
	case w.Home() == "":
		return ""
	case runtime.GOOS == "darwin":
		return filepath.Join(w.Home(), "Library", "Caches", "techo")
	}
	return filepath.Join(w.Home(), ".cache", "techo")
}

// GitConfig returns the configuration files of git that apply to all repositories, in
// the order in which git reads them.
func (w System) GitConfig() (files []string) {
	switch skip := strings.ToLower(w.Getenv("GIT_CONFIG_NOSYSTEM")); {
	case skip != "" && skip != "0" && skip != "false" && skip != "no" && skip != "off":
	case w.Getenv("GIT_CONFIG_SYSTEM") != "":
		files = append(files, w.Getenv("GIT_CONFIG_SYSTEM"))
	default:
		files = append(files, "/etc/gitconfig")
	}
	if file := w.Getenv("GIT_CONFIG_GLOBAL"); file != "" {
		return append(files, w.Path(file))
	}
	if w.Config() != "" {
		files = append(files, filepath.Join(w.Config(), "git", "config"))
	}
	if w.Home() != "" {
		files = append(files, filepath.Join(w.Home(), ".gitconfig"))
	}
	return files
}

// Path returns a person's path as an absolute one.
func (w System) Path(path string) string {
	return filepath.Clean(confine.Under(w.Dir, path))
}
