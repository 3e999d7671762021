package kv

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"techo/internal/private"
)

// All files of a store are opened here. Opening fails with a private.Error when
// the store's folder or one of its entries belongs to another user, is writable by
// others or is a symbolic link.

// openEntry opens a file in the folder of a store.
func openEntry(dir, name string, how int) (*os.File, error) {
	return entryOf(private.Open(dir, how, name))
}

// openTableEntry opens a file in the folder of the tables.
func openTableEntry(dir, name string, how int) (*os.File, error) {
	return entryOf(private.Open(dir, how, tablesName, name))
}

// openNamed opens a file that the user named, such as a backup. It refuses pipes,
// on which a read would block.
func openNamed(path string) (*os.File, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, corrupt(path, NotFile)
	}
	return os.Open(path)
}

// entryOf turns the error for an entry that is not a regular file into a
// CorruptError.
func entryOf(f *os.File, err error) (*os.File, error) {
	if other := new(private.NotFileError); errors.As(err, &other) {
		return nil, corrupt(other.Path, NotFile)
	}
	return f, err
}

// guard checks that the store's folder and its entries belong to this user alone.
// A missing folder passes.
func guard(dir string) error {
	err := private.Check(dir, journalName, journalKeysName, idName, lockName, queueName, tablesName, cacheName,
		ignoreName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// sweepFolder removes the files for which ours returns true, except those in keep.
// Errors are ignored.
func sweepFolder(in *private.Folder, ours func(name string) bool, keep map[string]bool) {
	entries, err := in.Entries()
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.Type().IsRegular() && ours(e.Name()) && !keep[e.Name()] {
			_ = disk.remove(in, e.Name())
		}
	}
}

// removeStore removes an unused store: the files with names that techo generates,
// and then the empty folders.
func removeStore(dir string) {
	in, err := private.OpenFolderItself(dir)
	if err != nil {
		return
	}
	for name, ours := range map[string]func(string) bool{tablesName: isTableName, cacheName: IsCacheName} {
		below, err := in.Folder(name)
		if err != nil {
			continue
		}
		sweepFolder(below, ours, nil)
		below.Close()
		_ = in.Remove(name)
	}
	sweepFolder(in, isOurs, nil)
	in.Close() // some systems do not remove an open folder
	_ = os.Remove(filepath.Clean(dir))
}
