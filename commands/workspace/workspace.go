// Package workspace finds the store of a project and records which stores the person
// trusts.
package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"techo/commands/system"
)

// Name is the name of a store's folder in a workspace.
const Name = ".techo"

// ErrNoHome reports that no location for a store is known.
var ErrNoHome = errors.New("neither TECHO_STORE, XDG_DATA_HOME nor HOME is set")

// Path returns the path of the store as Find does.
func Path(w system.System, said string) (string, error) {
	path, _, err := Find(w, said)
	return path, err
}

// Find returns the path of the named store, or else of the nearest workspace, or
// else of the person's own store. found reports a workspace, which others may
// have created.
func Find(w system.System, said string) (path string, found bool, err error) {
	if said != "" {
		if strings.Contains(said, "://") {
			return said, false, nil
		}
		return w.Path(said), false, nil
	}
	if path := Nearest(w); path != "" {
		return path, true, nil
	}
	if w.Data() == "" {
		return "", false, ErrNoHome
	}
	return filepath.Join(w.Data(), "techo"), false, nil
}

// Nearest returns the path of the nearest workspace's store, "" without one. It
// also returns a link, which is refused later.
func Nearest(w system.System) string {
	for dir := w.Dir; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, Name)
		if st, err := os.Lstat(path); err == nil && (st.IsDir() || st.Mode()&os.ModeSymlink != 0) {
			return path
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}
