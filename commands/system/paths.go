package system

import (
	"path/filepath"
)

func (w System) Or(name, otherwise string) string {
	if v := w.Getenv(name); v != "" {
		return v
	}
	return otherwise
}

// State is the folder that programs keep a person's state in, "" when nothing
// says where.
func (w System) State() string {
	switch dir := w.Getenv("XDG_STATE_HOME"); {
	case filepath.IsAbs(dir):
		return dir
	case w.Home() != "":
		return filepath.Join(w.Home(), ".local", "state")
	}
	return ""
}

// Home is the person's own folder, "" when nobody says.
func (w System) Home() string {
	if home := w.Getenv("HOME"); home != "" {
		return home
	}
	return w.Getenv("USERPROFILE")
}

// Config is the folder that programs keep a person's settings in.
func (w System) Config() string {
	switch dir := w.Getenv("XDG_CONFIG_HOME"); {
	case filepath.IsAbs(dir):
		return dir
	case w.Home() != "":
		return filepath.Join(w.Home(), ".config")
	}
	return ""
}

// Path makes a path that a person gave absolute.
func (w System) Path(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(w.Dir, path)
}

func (w System) Either(name, other string) string {
	if v := w.Getenv(name); v != "" {
		return v
	}
	return w.Getenv(other)
}
