package run

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"techo/commands/system"
)

// WorkspaceFolder is the name of a store's folder in a workspace.
const WorkspaceFolder = ".techo"

// errNoHome reports that no location for a store is known.
var errNoHome = errors.New("neither TECHO_STORE, XDG_DATA_HOME nor HOME is set")

// FindStore returns the path of the named store, or else of the nearest workspace, or
// else of the person's own store. found reports a workspace, which others may
// have created.
func FindStore(w system.System, said string) (path string, found bool, err error) {
	if said != "" {
		if strings.Contains(said, "://") {
			return said, false, nil
		}
		return w.Path(said), false, nil
	}
	if path := NearestWorkspace(w); path != "" {
		return path, true, nil
	}
	if w.Data() == "" {
		return "", false, errNoHome
	}
	return filepath.Join(w.Data(), "techo"), false, nil
}

// NearestWorkspace returns the path of the nearest workspace's store, "" without one. It
// also returns a link, which is refused later.
func NearestWorkspace(w system.System) string {
	for dir := w.Dir; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, WorkspaceFolder)
		if st, err := os.Lstat(path); err == nil && (st.IsDir() || st.Mode()&os.ModeSymlink != 0) {
			return path
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}
