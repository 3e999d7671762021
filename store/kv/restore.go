package kv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// NotEmptyError is returned when a restore would replace data.
type NotEmptyError struct {
	Path  string
	Alien string // an entry that does not belong to a store, "" for a store
}

func (e *NotEmptyError) Error() string { return e.Path + ": not empty" }

// Restored is the result of a restore.
type Restored struct {
	Records int64
	Aside   string // folder of the replaced store, "" when it was empty
}

// Restore replaces the store in dir by a backup. It reads the whole backup before
// it changes anything, fills a new store beside the old one, and exchanges the
// two. A store that is not empty is refused unless force is set; then it is kept
// beside the new one. A folder that is not a store is always refused.
func Restore(ctx context.Context, dir, backup string, force bool, holder string) (r Restored, err error) {
	from, err := openNamed(backup)
	if err != nil {
		return r, err
	}
	defer from.Close()
	dir = resolved(dir)
	if err := guard(dir); err != nil {
		return r, err
	}
	if err := replaceable(ctx, dir, force, false); err != nil {
		return r, err
	}
	if _, err := ReadBackup(from, backup, func([]byte, []byte) error { return nil }); err != nil {
		return r, err
	}
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return r, err
	}
	fresh := freshBeside(dir)
	if r.Records, err = fill(ctx, fresh, from, backup); err != nil {
		removeStore(fresh)
		return r, noSpace(err)
	}
	r.Aside, err = replace(ctx, dir, fresh, force, holder)
	return r, noSpace(err)
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
		if st, err := os.Lstat(filepath.Join(path, journalName)); err == nil && time.Since(st.ModTime()) > long {
			removeStore(path)
		}
	}
	return beside(dir, fmt.Sprintf("new-%d-%d", os.Getpid(), time.Now().UnixNano()))
}

// isFresh reports whether freshBeside generates this name.
func isFresh(prefix, name string) bool {
	rest, ok := strings.CutPrefix(name, filepath.Base(prefix)+"new-")
	pid, nanos, two := strings.Cut(rest, "-")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	return ok && two && digits(pid) && digits(nanos) && len(nanos) > 15
}

// replace puts fresh in the place of the store in dir, or removes it.
func replace(ctx context.Context, dir, fresh string, force bool, holder string) (aside string, err error) {
	ready := false
	defer func() {
		if !ready {
			removeStore(fresh)
		}
	}()
	if err := makeFolder(dir); err != nil {
		return "", err
	}
	h, err := lockStore(ctx, dir, true, holder, nil)
	if err != nil {
		return "", err
	}
	defer h.release()
	// Other processes may have written since the first check.
	empty := replaceable(ctx, dir, false, true) == nil
	if err := replaceable(ctx, dir, force, true); err != nil {
		return "", err
	}
	if err := copyNotes(dir, fresh); err != nil {
		return "", err
	}
	ready = true
	if aside, err = putAside(dir, fresh, "before"); err != nil || !empty {
		return aside, err
	}
	removeStore(aside)
	return "", nil
}

// putAside exchanges a store with a fresh one, and keeps the old one under a name
// of its own. An error means that nothing has changed, unless aside is set to the
// old store's name. The caller has the store's lock.
func putAside(dir, fresh, why string) (aside string, err error) {
	// Rename first: a fresh name is swept once its process was killed, so the old
	// store must never have one.
	if aside, err = moveAside(dir, fresh, why); err != nil {
		removeStore(fresh)
		return "", err
	}
	// Other processes that open the fresh store wait until it is final.
	h, err := lockStore(context.Background(), aside, true, "", nil)
	if err == nil {
		defer h.release()
		err = exchange(aside, dir)
	}
	if errors.Is(err, syscall.EXDEV) {
		return replaceInPlace(dir, aside)
	}
	if err != nil {
		removeStore(aside)
		return "", err
	}
	if err := disk.syncFolder(dir); err != nil {
		if back := exchange(aside, dir); back != nil {
			return aside, errors.Join(err, back)
		}
		removeStore(aside)
		return "", err
	}
	return aside, nil
}

// moveAside renames a fresh store to the first free name for the reason why.
func moveAside(dir, fresh, why string) (aside string, err error) {
	for n := 1; ; n++ {
		aside = beside(dir, fmt.Sprintf("%s-%d", why, n))
		switch _, err := os.Lstat(aside); {
		case errors.Is(err, os.ErrNotExist):
			return aside, os.Rename(fresh, aside)
		case err != nil:
			return "", err
		}
	}
}

// copyNotes copies the id and a workspace's .gitignore to another store.
func copyNotes(from, to string) error {
	return errors.Join(copyID(from, to), copyIgnore(from, to))
}

// copyIgnore copies a workspace's .gitignore.
func copyIgnore(from, to string) error {
	f, err := openEntry(from, ignoreName, os.O_RDONLY)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	return writeDurably(text, to, ignoreName)
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
		if !isOurs(n.Name()) {
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
	look := func(tx Tx) error {
		for _, err := range tx.Scan(Range{}) {
			empty = false
			return err
		}
		return nil
	}
	if !locked {
		err = l.View(ctx, look)
	} else {
		err = l.viewLocked(look)
	}
	return empty && err == nil
}

// viewLocked is View for a caller that has the store's lock.
func (l *Local) viewLocked(fn func(Tx) error) error {
	if there, err := l.present(); err != nil || !there {
		return err
	}
	if err := l.refresh(nil, false); err != nil {
		return err
	}
	defer l.leave()
	return l.read(true, fn)
}

// fill creates a store from a backup.
func fill(ctx context.Context, dir string, from io.Reader, name string) (records int64, err error) {
	l, err := Open(dir, Options{Write: true})
	if err != nil {
		return 0, err
	}
	defer l.Close()
	var payload []byte
	keep := func() error {
		err := l.Update(ctx, func(tx Tx) (err error) {
			operations(payload, func(_ byte, key, value []byte) {
				if err == nil {
					err = tx.Put(key, value)
				}
			})
			return err
		})
		payload = nil
		return err
	}
	records, err = ReadBackup(from, name, func(key, value []byte) error {
		payload = appendPut(payload, key, value)
		if len(payload) < 4<<20 {
			return nil
		}
		return keep()
	})
	if err == nil {
		err = keep()
	}
	if err != nil {
		return 0, err
	}
	return records, disk.syncFolder(filepath.Clean(dir))
}

// swap exchanges two folders by renaming. On an error the renames are undone. A
// process that is killed in it leaves the old folder under a name beside the new
// one.
func swap(a, b string) error {
	middle := a + ".old"
	steps := [][2]string{{b, middle}, {a, b}, {middle, a}}
	for i, s := range steps {
		err := os.Rename(s[0], s[1])
		if err == nil {
			continue
		}
		for i--; i >= 0; i-- {
			err = errors.Join(err, os.Rename(steps[i][1], steps[i][0]))
		}
		return err
	}
	return nil
}
