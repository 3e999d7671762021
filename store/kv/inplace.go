package kv

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"techo/internal/private"
)

// replaceInPlace replaces the files in dir by the files of the fresh store at
// aside, and leaves the old files at aside. It serves file systems that cannot
// rename the folder: overlayfs returns EXDEV for a folder of a lower layer. The
// caller has the store's lock.
//
// The old store is completely copied to aside before anything changes. When the
// process is killed after that, dir has no journal and is reported as corrupt
// until it is restored again. An error means that nothing has changed, unless
// aside is returned as well.
func replaceInPlace(dir, aside string) (string, error) {
	fresh := freshBeside(dir)
	if err := os.Rename(aside, fresh); err != nil {
		return "", err
	}
	defer removeStore(fresh)
	draft := freshBeside(dir)
	err := copyStore(dir, draft)
	if err == nil {
		err = os.Rename(draft, aside)
	}
	if err == nil {
		err = disk.syncFolder(aside)
	}
	if err != nil {
		removeStore(draft)
		return "", err
	}
	return aside, refill(dir, fresh)
}

// copyStore copies a store without its cache, and syncs the copy.
func copyStore(from, to string) error {
	if err := os.Mkdir(to, 0o700); err != nil {
		return err
	}
	for _, name := range []string{queueName, ignoreName, journalKeysName, journalName} {
		if err := copyEntry(from, to, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := copyTables(from, to); err != nil {
		return err
	}
	return disk.syncFolder(filepath.Join(to, journalName))
}

// copyTables copies the folder of the tables, and syncs the copy.
func copyTables(from, to string) error {
	in, err := openTablesFolder(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
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
		if err := copyEntry(from, to, tablesName, e.Name()); err != nil {
			return err
		}
	}
	return disk.syncFolder(filepath.Join(to, tablesName, manifestName))
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
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}

// refill replaces the files of a store by the files of a fresh one. The journal is
// removed first and added last, so that it never refers to other tables.
func refill(dir, fresh string) error {
	path := filepath.Join(dir, journalName)
	if err := (&journal{path: path}).markCreated(); err != nil { // so that the missing journal is reported
		return err
	}
	for _, name := range []string{journalName, journalKeysName} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := disk.syncFolder(path); err != nil {
		return err
	}
	if in, err := openTablesFolder(dir); err == nil {
		sweepFolder(in, isTableName, nil)
		in.Close()
	}
	if err := copyTables(fresh, dir); err != nil {
		return err
	}
	if err := copyEntry(fresh, dir, journalKeysName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := writeFirstHeader(fresh); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(fresh, journalName), path); err != nil {
		return err
	}
	return disk.syncFolder(path)
}

// writeFirstHeader writes the header of a journal that was never written to: an
// empty journal counts as missing where a store has been created before.
func writeFirstHeader(dir string) error {
	j, err := openJournal(filepath.Join(dir, journalName), true)
	if err != nil {
		return err
	}
	defer j.close()
	if st, err := j.file.Stat(); err != nil || st.Size() > 0 {
		return err
	}
	return j.begin(1)
}
