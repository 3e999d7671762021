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

// Name is the folder that makes the folder around it a workspace.
const Name = ".techo"

// ErrNoHome says that nothing tells where a store could be.
var ErrNoHome = errors.New("neither TECHO_STORE, XDG_DATA_HOME nor HOME is set")

// Path is findStore for a caller that only needs to know where.
func Path(w system.System, said string) (string, error) {
	path, _, err := Find(w, said)
	return path, err
}

// Find finds the store: what was said, else the nearest workspace, else
// the person's own. found reports a workspace: others may have put it there.
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
	data := w.Getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(data) { // the specification of XDG has relative ones ignored
		home := w.Home()
		if home == "" {
			return "", false, ErrNoHome
		}
		data = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(data, "techo"), false, nil
}

// Nearest finds the nearest workspace's store, "" when there is none. A link
// counts, so that it is refused rather than passed over.
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
