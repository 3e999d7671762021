package kv

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"techo/internal/private"
)

// copyAside copies a store beside itself, under the first free name for the reason
// why.
func copyAside(dir, why string) (aside string, err error) {
	draft := freshBeside(dir)
	if err := copyStore(dir, draft); err != nil {
		removeStore(draft)
		return "", err
	}
	for n := 1; ; n++ {
		aside = beside(dir, fmt.Sprintf("%s-%d", why, n))
		_, err := os.Lstat(aside)
		if err == nil {
			continue
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = os.Rename(draft, aside)
		}
		if err == nil {
			err = disk.syncFolder(aside)
		}
		if err != nil {
			removeStore(draft)
			removeStore(aside)
			return "", err
		}
		return aside, nil
	}
}

// copyStore copies a store without its cache, and syncs the copy.
func copyStore(from, to string) error {
	if err := os.Mkdir(to, 0o700); err != nil {
		return err
	}
	for _, name := range []string{idName, queueName, ignoreName, journalKeysName, journalName} {
		err := copyEntry(from, to, name)
		if name == journalName && err != nil && !missing(err) && !isNoSpace(err) {
			// The file cannot be read whole.
			_ = os.Remove(filepath.Join(to, name)) // the link fails if a part remains
			err = linkEntry(from, to, name)
		}
		if err != nil && !missing(err) {
			return err
		}
	}
	if err := copyTables(from, to); err != nil {
		return err
	}
	return disk.syncFolder(filepath.Join(to, journalName))
}

// missing reports whether an entry of a store is missing, or is not a file.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || isCorruption(err)
}

// copyTables links or copies the files of the tables, and syncs the copy.
func copyTables(from, to string) error {
	st, err := os.Lstat(filepath.Join(from, tablesName))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !st.IsDir() {
		return nil
	}
	in, err := openTablesFolder(from)
	if err != nil {
		return err
	}
	defer in.Close()
	entries, err := in.Entries()
	if err != nil {
		return err
	}
	made, err := makeTables(to)
	if err != nil {
		return err
	}
	made.Close()
	for _, e := range entries {
		if !e.Type().IsRegular() || !isTableName(e.Name()) {
			continue
		}
		if linkEntry(from, to, tablesName, e.Name()) == nil {
			continue
		}
		if err := copyEntry(from, to, tablesName, e.Name()); err != nil { // no hard links here
			return err
		}
	}
	return disk.syncFolder(filepath.Join(to, tablesName, manifestName))
}

// linkEntry gives a file of a store a second name in another store.
func linkEntry(from, to string, names ...string) error {
	path := filepath.Join(names...)
	return os.Link(filepath.Join(from, path), filepath.Join(to, path))
}

// copyEntry copies a file of a store into another store and syncs it. The caller
// syncs the folder.
func copyEntry(from, to string, names ...string) error {
	in, err := entryOf(private.Open(from, os.O_RDONLY, names...))
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := disk.open(os.O_WRONLY|os.O_CREATE|os.O_TRUNC, to, names...)
	if err != nil {
		return err
	}
	_, err = io.Copy(struct{ io.Writer }{out}, in) // by plain writes, which tests can record
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}
