package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// MakeFolders creates the missing folders of an absolute path or, with a root, of a path in it,
// and returns them, outermost first. If it fails, some of them may be there. Each is synced into
// its parent before it is used.
func MakeFolders(root *os.Root, folder string) (made []string, err error) {
	top := ""
	if root == nil { // the nearest existing folder is the root
		top = folder
		for _, err := os.Stat(top); errors.Is(err, fs.ErrNotExist) && top != filepath.Dir(top); _, err = os.Stat(top) {
			top = filepath.Dir(top)
		}
		if root, err = os.OpenRoot(top); err != nil {
			return nil, err
		}
		defer root.Close()
		if folder, err = filepath.Rel(top, folder); err != nil {
			return nil, err
		}
	}
	at := ""
	for step := range strings.SplitSeq(filepath.Clean(folder), string(filepath.Separator)) {
		parent := filepath.Join(".", at)
		at = filepath.Join(at, step)
		switch err := root.Mkdir(at, 0o777); {
		case errors.Is(err, fs.ErrExist), at == ".":
			continue
		case err != nil:
			return made, err
		}
		made = append(made, filepath.Join(top, at))
		dir, err := root.OpenRoot(parent)
		if err != nil {
			return made, err
		}
		err = SyncFolder(dir)
		dir.Close()
		if err != nil {
			return made, err
		}
	}
	return made, nil
}

// RemoveEmpty removes a folder if it is an empty one, and reports whether it did.
func RemoveEmpty(dir *os.Root, name string) bool {
	info, err := dir.Lstat(name)
	return err == nil && info.IsDir() && dir.Remove(name) == nil
}
