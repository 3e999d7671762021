package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"techo/internal/confine"
	"techo/internal/private"
	"techo/internal/regular"
	"techo/store/kv"
)

// All files of a store are opened here. Opening fails with a private.Error when
// the store's folder or one of its entries belongs to another user, is writable by
// others or is a symbolic link.

// OpenEntry opens a file below the folder of a store.
func OpenEntry(how int, dir string, names ...string) (*os.File, error) {
	return EntryOf(private.Open(dir, how, names...))
}

// OpenNamed opens a file that the user named, such as a backup. It refuses pipes,
// on which a read would block.
func OpenNamed(at confine.Place) (*os.File, error) {
	f, _, err := at.OpenRegular()
	if errors.Is(err, regular.ErrNotFile) || errors.Is(err, syscall.EISDIR) {
		err = kv.Corrupt(at.Full(), kv.NotFile)
	}
	return f, err
}

// EntryOf turns the error for an entry that is not a regular file into a
// CorruptError.
func EntryOf(f *os.File, err error) (*os.File, error) {
	if other := new(private.NotFileError); errors.As(err, &other) {
		return nil, kv.Corrupt(other.Path, kv.NotFile)
	}
	return f, err
}

// CheckOwner checks that the store's folder and its entries belong to this user alone.
// A missing folder passes.
func CheckOwner(dir string) error {
	err := private.Check(dir, JournalName, JournalKeysName, IDName, LockName, QueueName, TablesName, CacheName,
		IgnoreName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// SweepFolder removes the files for which ours returns true, except those in keep.
// Errors are ignored.
func SweepFolder(in *private.Folder, ours func(name string) bool, keep map[string]bool) {
	entries, err := in.Entries()
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.Type().IsRegular() && ours(e.Name()) && !keep[e.Name()] {
			_ = Current.Remove(in, e.Name())
		}
	}
}

// RemoveStore removes an unused store: the files with names that techo generates,
// and then the empty folders.
func RemoveStore(dir string) {
	in, err := private.OpenFolderItself(dir)
	if err != nil {
		return
	}
	for name, ours := range map[string]func(string) bool{TablesName: IsTableName, CacheName: IsCacheName} {
		below, err := in.Folder(name)
		if err != nil {
			continue
		}
		SweepFolder(below, ours, nil)
		below.Close()
		_ = in.Remove(name)
	}
	SweepFolder(in, IsOurs, nil)
	in.Close() // some systems do not remove an open folder
	_ = os.Remove(filepath.Clean(dir))
}
