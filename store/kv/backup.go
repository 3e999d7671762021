package kv

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// # A backup
//
// A backup is one consistent state of a key space, in one stream. Numbers are
// big-endian.
//
//	head     "techo backup\n\x00\x00\x00" version(4)
//	chunk    length(4) sum(4) operations, as in the journal; all are puts, in key order
//	end      zero(4) records(8) SHA-256(32) of all that stands before the digest
//
// What follows the end, or lacks it, is damage.
const (
	backupMagic   = "techo backup\n\x00\x00\x00"
	backupVersion = 1
	chunkSize     = 256 << 10
)

// WriteBackup writes the state of an engine, as it is at one moment, and
// returns how many records that are.
func WriteBackup(ctx context.Context, e Engine, to io.Writer) (records int64, err error) {
	digest := sha256.New()
	out := bufio.NewWriterSize(io.MultiWriter(to, digest), 1<<20)
	if _, err := out.Write(binary.BigEndian.AppendUint32([]byte(backupMagic), backupVersion)); err != nil {
		return 0, err
	}
	var chunk []byte
	flush := func() error {
		head := binary.BigEndian.AppendUint32(nil, uint32(len(chunk)))
		_, err := out.Write(append(binary.BigEndian.AppendUint32(head, sum(chunk)), chunk...))
		chunk = chunk[:0]
		return err
	}
	err = e.Snapshot(ctx, func(tx Tx) error {
		for item, err := range tx.Scan(Range{}) {
			if err != nil {
				return err
			}
			value, err := item.Value()
			if err != nil {
				return err
			}
			chunk = appendPut(chunk, item.Key, value)
			records++
			if len(chunk) < chunkSize {
				continue
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := flush(); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && len(chunk) > 0 {
		err = flush()
	}
	if err != nil {
		return 0, err
	}
	end := binary.BigEndian.AppendUint64(make([]byte, 4), uint64(records))
	if _, err := out.Write(end); err != nil {
		return 0, err
	}
	if err := out.Flush(); err != nil {
		return 0, err
	}
	_, err = to.Write(digest.Sum(nil))
	return records, err
}

// errDamaged says that a backup is not as it was written.
var errDamaged = errors.New("the backup is damaged")

// ReadBackup hands the records of a backup to put, and returns how many there
// were. An error may come after records were handed out: a caller that must
// not act on a damaged backup reads it twice.
func ReadBackup(from io.Reader, name string, put func(key, value []byte) error) (records int64, err error) {
	r := &backupReader{name: name, in: bufio.NewReaderSize(from, 1<<20), digest: sha256.New()}
	records, err = r.read(put)
	if errors.Is(err, errDamaged) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = &CorruptError{Path: name, Reason: fmt.Sprintf("no whole backup: %v", err)}
	}
	return records, err
}

type backupReader struct {
	name   string
	in     *bufio.Reader
	digest hash.Hash
}

// next reads so many bytes, which the digest covers.
func (r *backupReader) next(n int) ([]byte, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(r.in, b); err != nil {
		return nil, err
	}
	r.digest.Write(b)
	return b, nil
}

func (r *backupReader) read(put func(key, value []byte) error) (records int64, err error) {
	head, err := r.next(len(backupMagic) + 4)
	if err != nil {
		return 0, err
	}
	if string(head[:len(backupMagic)]) != backupMagic {
		return 0, errDamaged
	}
	if v := int(binary.BigEndian.Uint32(head[len(backupMagic):])); v > backupVersion {
		return 0, &VersionError{Path: r.name, Found: v, Known: backupVersion}
	} else if v < backupVersion {
		return 0, errDamaged
	}
	for {
		length, err := r.next(4)
		if err != nil {
			return 0, err
		}
		n := binary.BigEndian.Uint32(length)
		if n == 0 {
			return records, r.end(records)
		}
		if n > chunkSize+MaxValue+MaxKey+64 {
			return 0, errDamaged
		}
		body, err := r.next(int(n) + 4)
		if err != nil {
			return 0, err
		}
		if sum(body[4:]) != binary.BigEndian.Uint32(body) {
			return 0, errDamaged
		}
		ok := operations(body[4:], func(op byte, key, value []byte) {
			if err == nil && op == opPut {
				records++
				err = put(key, value)
			}
		})
		if err != nil {
			return 0, err
		}
		if !ok {
			return 0, errDamaged
		}
	}
}

func (r *backupReader) end(records int64) error {
	count, err := r.next(8)
	if err != nil {
		return err
	}
	want := r.digest.Sum(nil)
	got, err := r.next(len(want))
	if err != nil {
		return err
	}
	if _, err := r.in.ReadByte(); err == nil {
		return errDamaged // more than there was
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	if !bytes.Equal(got, want) || int64(binary.BigEndian.Uint64(count)) != records {
		return errDamaged
	}
	return nil
}

// NotEmptyError says that a folder holds something that a restore would hide.
type NotEmptyError struct {
	Path  string
	Alien string // what is in it that is no store's, "" for a store
}

func (e *NotEmptyError) Error() string { return e.Path + ": not empty" }

// Restored tells what a restore did.
type Restored struct {
	Records int64
	Aside   string // where the old store is kept, "" when it held nothing
}

// Restore puts a backup in the place of the store in dir. The backup is read
// wholly before anything is changed; then a new store is made beside the old
// one and takes its place at once. An old one that is not empty is refused,
// unless force keeps it beside the new one; a folder that is no store is
// refused always.
func Restore(ctx context.Context, dir, backup string, force bool, holder string) (r Restored, err error) {
	from, err := openRegular(backup, os.O_RDONLY)
	if err != nil {
		return r, err
	}
	defer from.Close()
	dir = resolved(dir)
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

// resolved is the folder that a path leads to: the store moves, not a link to it.
func resolved(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

// beside names a folder next to a store.
func beside(dir, what string) string {
	const most = 255 // bytes of a name
	name := filepath.Base(dir)
	return filepath.Join(filepath.Dir(dir), name[:min(len(name), most-1-len(what))]+"."+what)
}

// freshBeside names a folder for a store that is to take the place of another,
// and removes what others that were killed long ago have left of such.
func freshBeside(dir string) string {
	const long = time.Hour
	names, _ := os.ReadDir(filepath.Dir(dir))
	for _, n := range names {
		if !isFresh(beside(dir, ""), n.Name()) {
			continue
		}
		path := filepath.Join(filepath.Dir(dir), n.Name())
		if st, err := os.Stat(filepath.Join(path, journalName)); err == nil && time.Since(st.ModTime()) > long {
			removeStore(path)
		}
	}
	return beside(dir, fmt.Sprintf("new-%d-%d", os.Getpid(), time.Now().UnixNano()))
}

// isFresh reports whether a name is one that freshBeside gives.
func isFresh(prefix, name string) bool {
	rest, ok := strings.CutPrefix(name, filepath.Base(prefix)+"new-")
	pid, nanos, two := strings.Cut(rest, "-")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	return ok && two && digits(pid) && digits(nanos) && len(nanos) > 15
}

// replace lets fresh take the place of the store in dir, or removes it.
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
	h, err := lockFolder(ctx, dir, true, holder, nil)
	if err != nil {
		return "", err
	}
	defer h.release()
	// Others may have written since. They cannot now.
	empty := replaceable(ctx, dir, false, true) == nil
	if err := replaceable(ctx, dir, force, true); err != nil {
		return "", err
	}
	if err := keepIgnore(dir, fresh); err != nil {
		return "", err
	}
	ready = true
	if aside, err = putAside(dir, fresh, "before"); err != nil || !empty {
		return aside, err
	}
	removeStore(aside)
	return "", nil
}

// putAside exchanges a store for a fresh one, and keeps it beside it under a
// name of its own. An error means that nothing has changed, unless aside says
// where the old store is now. The caller has the store's lock.
func putAside(dir, fresh, why string) (aside string, err error) {
	// The name comes first: under that of a fresh store, which is litter once
	// its maker was killed, the old one is never to be found.
	if aside, err = moveAside(dir, fresh, why); err != nil {
		removeStore(fresh)
		return "", err
	}
	// Whoever finds the fresh store waits until it is certain that it stays.
	h, err := lockFolder(context.Background(), aside, true, "", nil)
	if err == nil {
		defer h.release()
		err = exchange(aside, dir)
	}
	if err != nil {
		removeStore(aside)
		return "", err
	}
	if err := syncFolder(dir); err != nil {
		if back := exchange(aside, dir); back != nil {
			return aside, errors.Join(err, back)
		}
		removeStore(aside)
		return "", err
	}
	return aside, nil
}

// moveAside gives a fresh store the first free name that says why.
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

// keepIgnore takes a workspace's .gitignore over.
func keepIgnore(from, to string) error {
	text, err := os.ReadFile(filepath.Join(from, ignoreName))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return writeDurably(filepath.Join(to, ignoreName), text)
}

const ignoreName = ".gitignore"

// cacheName is a folder for files that can be made anew, and belong to nobody
// in particular.
const cacheName = "web"

// isOurs reports whether a store's folder may hold an entry of this name.
func isOurs(name string) bool {
	switch name {
	case journalName, lockName, queueName, ignoreName, tablesName, cacheName:
		return true
	}
	return false
}

// Holds reports whether an entry of this name in a store's folder holds what the
// store would not be whole without.
func Holds(name string) bool {
	return isOurs(name) && name != ignoreName && name != cacheName
}

// removeStore removes a store that nobody needs, and nothing else.
func removeStore(dir string) {
	names, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, n := range names {
		if isOurs(n.Name()) {
			_ = os.RemoveAll(filepath.Join(dir, n.Name()))
		}
	}
	_ = os.Remove(dir)
}

// replaceable fails when a restore may not replace what is in dir. locked says
// that the caller has the store's lock.
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

// isEmpty reports whether nothing would be lost with a store. One that cannot
// be read may hold something.
func isEmpty(ctx context.Context, dir string, locked bool) bool {
	l, err := Open(dir, Options{})
	if err != nil {
		return false
	}
	defer l.Close()
	if l.journal.file == nil {
		return l.journal.unborn() == nil
	}
	if locked {
		if l.refresh(false) != nil {
			return false
		}
		l.leave()
		return l.over.keys.Len() == 0 && l.journal.generation <= 1
	}
	empty := true
	err = l.View(ctx, func(tx Tx) error {
		for _, err := range tx.Scan(Range{}) {
			empty = false
			return err
		}
		return nil
	})
	return empty && err == nil
}

// fill makes a store out of a backup.
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
	return records, syncFolder(filepath.Clean(dir))
}

// swap exchanges two folders by renaming. An error means that it was undone;
// killed half way it leaves the old one under a name beside the new one.
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
