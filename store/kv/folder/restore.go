package folder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"techo/internal/confine"
	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/journal"
	"techo/store/kv/lock"
)

// NotEmptyError is returned when a restore or a copy would replace data.
type NotEmptyError struct {
	Path  string // or the address of a database
	Alien string // an entry that does not belong to a store, "" for a store
}

func (e *NotEmptyError) Error() string { return e.Path + ": not empty" }

// Restored is the result of a restore.
type Restored struct {
	Records int64
	Aside   string // folder of the replaced store, "" when it was empty
}

// Restore replaces the store in dir by a backup. It reads the whole backup before
// it changes anything, fills a fresh store beside the old one, and replaces the old
// records. A store that is not empty is refused unless force is set; then a copy is
// kept beside it. A folder that is not a store is always refused.
func Restore(ctx context.Context, dir string, backup confine.Place, force bool, holder string) (r Restored, err error) {
	from, err := disk.OpenNamed(backup)
	if err != nil {
		return r, err
	}
	defer from.Close()
	dir = resolved(dir)
	if err := disk.CheckOwner(dir); err != nil {
		return r, err
	}
	if err := replaceable(ctx, dir, force, false); err != nil {
		return r, err
	}
	if _, err := ReadBackup(from, backup.Full(), func([]byte, []byte) error { return nil }); err != nil {
		return r, err
	}
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return r, err
	}
	r.Aside, err = refill(ctx, dir, force, holder, func(put func(key, value []byte) error) (err error) {
		r.Records, err = ReadBackup(from, backup.Full(), put)
		return err
	})
	return r, err
}

// Fill puts records into an empty store, all of them or none. A store that is not empty, or no
// longer when the records have been read, is refused with a [NotEmptyError].
func Fill(ctx context.Context, dir, holder string, records func(put func(key, value []byte) error) error) error {
	dir = resolved(dir)
	if err := disk.CheckOwner(dir); err != nil {
		return err
	}
	if err := replaceable(ctx, dir, false, false); err != nil {
		return err
	}
	_, err := refill(ctx, dir, false, holder, records)
	return err
}

// refill fills a fresh store beside the one in dir, and then replaces the records of that one
// by its records.
func refill(ctx context.Context, dir string, force bool, holder string,
	records func(put func(key, value []byte) error) error) (aside string, err error) {
	fresh := freshBeside(dir)
	if err := fill(ctx, fresh, records); err != nil {
		disk.RemoveStore(fresh)
		return "", disk.NoSpace(err)
	}
	aside, err = replace(ctx, dir, fresh, force, holder)
	return aside, disk.NoSpace(err)
}

// resolved follows symbolic links, so that the store is moved and not a link to
// it.
func resolved(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

// beside returns a name next to a store.
func beside(dir, what string) string {
	const most = 255 // bytes of a name
	name := filepath.Base(dir)
	return filepath.Join(filepath.Dir(dir), name[:min(len(name), most-1-len(what))]+"."+what)
}

// freshBeside returns the name for a new store that is to replace another one, and
// removes abandoned ones of killed processes.
func freshBeside(dir string) string {
	const long = time.Hour
	names, _ := os.ReadDir(filepath.Dir(dir))
	for _, n := range names {
		if !n.IsDir() || !isFresh(beside(dir, ""), n.Name()) {
			continue
		}
		path := filepath.Join(filepath.Dir(dir), n.Name())
		if st, err := os.Lstat(filepath.Join(path, disk.JournalName)); err == nil && time.Since(st.ModTime()) > long {
			disk.RemoveStore(path)
		}
	}
	return beside(dir, fmt.Sprintf("new-%d-%d", os.Getpid(), time.Now().UnixNano()))
}

func isFresh(prefix, name string) bool {
	rest, ok := strings.CutPrefix(name, filepath.Base(prefix)+"new-")
	pid, nanos, two := strings.Cut(rest, "-")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	return ok && two && digits(pid) && digits(nanos) && len(nanos) > 15
}

// replace replaces the records of the store in dir by the records of fresh, which it
// removes.
func replace(ctx context.Context, dir, fresh string, force bool, holder string) (aside string, err error) {
	defer disk.RemoveStore(fresh)
	if err := makeFolder(dir); err != nil {
		return "", err
	}
	h, err := lock.Acquire(ctx, dir, false, holder, nil)
	if err != nil {
		return "", err
	}
	defer h.Release()
	why := "before"
	// Other processes may have written since the first check.
	if replaceable(ctx, dir, false, true) == nil {
		why = "" // there is nothing to keep
	} else if err := replaceable(ctx, dir, force, true); err != nil {
		return "", err
	}
	return replaceRecords(ctx, dir, fresh, why, h)
}

// replaceable fails when a restore may not replace dir. locked means that the
// caller has the store's lock.
func replaceable(ctx context.Context, dir string, force, locked bool) error {
	names, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, n := range names {
		if !disk.IsOurs(n.Name()) {
			return &NotEmptyError{Path: dir, Alien: n.Name()}
		}
	}
	if force || isEmpty(ctx, dir, locked) {
		return nil
	}
	return &NotEmptyError{Path: dir}
}

// isEmpty reports whether a store has no records. A store that cannot be read is
// not empty.
func isEmpty(ctx context.Context, dir string, locked bool) bool {
	l, err := Open(dir, Options{})
	if err != nil {
		return false
	}
	defer l.Close()
	empty := true
	look := func(tx kv.Tx) error {
		for _, err := range tx.Scan(kv.Range{}) {
			empty = false
			return err
		}
		return nil
	}
	if !locked {
		err = l.View(ctx, look)
	} else {
		err = l.viewLocked(ctx, look)
	}
	return empty && err == nil
}

// viewLocked is View for a caller that has the store's lock.
func (l *Engine) viewLocked(ctx context.Context, fn func(kv.Tx) error) error {
	tx, err := l.observeWith(ctx, func() (*lock.Lock, error) { return &lock.Lock{}, nil })
	if err != nil {
		return err
	}
	return tx.run(fn)
}

func fill(ctx context.Context, dir string, records func(put func(key, value []byte) error) error) error {
	l, err := Open(dir, Options{Write: true})
	if err != nil {
		return err
	}
	defer l.Close()
	w := &bulkWriter{ctx: ctx, to: l}
	err = records(func(key, value []byte) error { return w.write(journal.OpPut, key, value) })
	if err == nil {
		err = w.flush()
	}
	if err != nil {
		return err
	}
	return disk.Current.SyncFolder(filepath.Clean(dir))
}
