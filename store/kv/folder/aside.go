package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/sst"
)

// copyAside copies a store beside itself, under the first free name for the reason
// why. With linked, both have the same journal, because it cannot be read whole.
func copyAside(dir, why string) (aside string, linked bool, err error) {
	draft := freshBeside(dir)
	if linked, err = copyStore(dir, draft); err != nil {
		disk.RemoveStore(draft)
		return "", false, err
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
			err = disk.Current.SyncFolder(aside)
		}
		if err != nil {
			disk.RemoveStore(draft)
			disk.RemoveStore(aside)
			return "", false, err
		}
		return aside, linked, nil
	}
}

// copyStore copies a store without its cache, and syncs the copy. It links a journal
// that cannot be read whole.
func copyStore(from, to string) (linked bool, err error) {
	if err := os.Mkdir(to, 0o700); err != nil {
		return false, err
	}
	names := []string{disk.IDName, disk.QueueName, disk.IgnoreName, disk.JournalKeysName, disk.JournalName}
	for _, name := range names {
		err := copyEntry(from, to, name)
		if name == disk.JournalName && errors.As(err, new(*unreadableError)) {
			_ = os.Remove(filepath.Join(to, name)) // the link fails if a part remains
			err, linked = linkEntry(from, to, name), true
		}
		if err != nil && !missing(err) {
			return false, err
		}
	}
	if err := copyTables(from, to); err != nil {
		return false, err
	}
	return linked, disk.Current.SyncFolder(filepath.Join(to, disk.JournalName))
}

// missing reports whether an entry of a store is missing, or is not a file.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || kv.IsCorrupt(err)
}

// copyTables links or copies the files of the tables, and syncs the copy.
func copyTables(from, to string) error {
	st, err := os.Lstat(filepath.Join(from, disk.TablesName))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !st.IsDir() {
		return nil
	}
	in, err := sst.OpenFolder(from)
	if err != nil {
		return err
	}
	defer in.Close()
	entries, err := in.Entries()
	if err != nil {
		return err
	}
	made, err := sst.MakeFolder(to)
	if err != nil {
		return err
	}
	made.Close()
	for _, e := range entries {
		if !e.Type().IsRegular() || !disk.IsTableName(e.Name()) {
			continue
		}
		if linkEntry(from, to, disk.TablesName, e.Name()) == nil {
			continue
		}
		if err := copyEntry(from, to, disk.TablesName, e.Name()); err != nil { // no hard links here
			return err
		}
	}
	return disk.Current.SyncFolder(filepath.Join(to, disk.TablesName, disk.ManifestName))
}

// linkEntry gives a file of a store a second name in another store.
func linkEntry(from, to string, names ...string) error {
	path := filepath.Join(names...)
	return os.Link(filepath.Join(from, path), filepath.Join(to, path))
}

// copyEntry copies a file of a store into another store and syncs it. The caller
// syncs the folder.
func copyEntry(from, to string, names ...string) error {
	in, err := disk.Current.Open(os.O_RDONLY, from, names...)
	if err != nil {
		return err
	}
	defer in.Close()
	st, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := disk.Current.Open(os.O_WRONLY|os.O_CREATE|os.O_TRUNC, to, names...)
	if err != nil {
		return err
	}
	whole := markedReader{io.NewSectionReader(in, 0, st.Size())}
	_, err = io.Copy(struct{ io.Writer }{out}, whole) // by plain writes, which tests can record
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}

// unreadableError is returned when a file cannot be read whole.
type unreadableError struct{ err error }

func (e *unreadableError) Error() string { return e.err.Error() }

// Unwrap returns the cause.
func (e *unreadableError) Unwrap() error { return e.err }

// markedReader returns an unreadableError for each error of a reader except io.EOF.
type markedReader struct{ from io.Reader }

func (r markedReader) Read(b []byte) (int, error) {
	n, err := r.from.Read(b)
	if err != nil && err != io.EOF {
		err = &unreadableError{err}
	}
	return n, err
}
