package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"techo/internal/nearest"
	"techo/tools"
)

// maxFile is the largest file that can be changed, in bytes.
const maxFile = 256 << 20

// file is a name in an open folder. Operations through the open folder stay there,
// even if the path leads elsewhere in the meantime.
type file struct {
	place
	dir  *os.Root
	name string      // in dir
	file *os.File    // nil if the file is missing
	info fs.FileInfo // of file, when it was opened
}

// openFile opens the file at a path. A missing file is not an error. If change is
// set, the file is locked against all writers that follow the same protocol, until
// close.
func openFile(ctx context.Context, env *tools.Env, path string, change bool) (*file, error) {
	p, err := locate(env, path)
	if err != nil {
		return nil, err
	}
	return p.openFile(ctx, env, change)
}

func (p place) openFile(ctx context.Context, env *tools.Env, change bool) (*file, error) {
	return p.openAs(ctx, env, change, change)
}

// openAs is openFile for a change, if lock is set, of the content, if write is set.
func (p place) openAs(ctx context.Context, env *tools.Env, lock, write bool) (*file, error) {
	if lock && p.isStoreFile(env) {
		return nil, belongsToStore(env, p.shown)
	}
	dir, name, err := p.parent()
	if errors.Is(err, fs.ErrNotExist) {
		return &file{place: p}, nil
	}
	if err != nil {
		return nil, pathError(env, p.shown, err)
	}
	f := &file{place: p, dir: dir, name: name}
	// Another process may replace the file while this one waits for the lock. Then the
	// new file must be locked.
	for {
		if err = f.open(env, write); err == nil && lock && f.file != nil {
			err = f.lock(ctx, env)
		}
		if err != nil || f.file == nil || !lock || f.stillNamed() {
			break
		}
		f.file.Close()
	}
	if err != nil {
		f.close()
		return nil, pathError(env, p.shown, err)
	}
	return f, nil
}

// open opens the file if it exists and is a regular file.
func (f *file) open(env *tools.Env, write bool) error {
	f.file = nil
	if f.name == "" {
		return f.refuse(env, fs.ModeDir)
	}
	info, err := f.dir.Lstat(f.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0: // locate resolved all links that lead somewhere
		return f.dangling(env)
	case !info.Mode().IsRegular():
		return f.refuse(env, info.Mode())
	}
	flags := os.O_RDONLY
	if write {
		if info.Mode()&0o222 == 0 {
			return env.Fail(tools.Forbidden, "%s is read-only", f.shown).
				WithHint(env.Hint("To change it anyway, run chmod u+w first"))
		}
		flags = os.O_RDWR
	}
	opened, err := f.dir.OpenFile(f.name, flags|nonBlocking, 0)
	if err != nil {
		return err
	}
	if f.info, err = opened.Stat(); err == nil && !f.info.Mode().IsRegular() { // it was replaced after Lstat
		err = f.refuse(env, f.info.Mode())
	}
	if err != nil {
		opened.Close()
		return err
	}
	f.file = opened
	return nil
}

// dangling returns the error for a link to a missing file or to a file outside of
// the roots.
func (f *file) dangling(env *tools.Env) error {
	if f.root != nil {
		if _, err := f.root.Stat(f.path); escapes(err) {
			return outsideRoots(env, f.shown)
		}
	}
	return env.Fail(tools.NotFound, "File not found: %s is a link that leads nowhere", f.shown).
		WithHint(env.Hint("Name the file itself, or remove the link"))
}

// refuse returns the error for an entry that is not a regular file.
func (f *file) refuse(env *tools.Env, mode fs.FileMode) error {
	if mode.IsDir() {
		e := tools.InvalidField(env, "/path", "is a folder, not a file: %s", f.shown)
		if !offers(env, "glob") {
			return e.WithHint(env.Hint("Name a file in it"))
		}
		return e.WithHint(env.Hint("List its content with techo fs glob"))
	}
	return env.Fail(tools.Forbidden, "%s is a device, a pipe or a socket, not a regular file", f.shown).
		WithHint(env.Hint("Name a regular file"))
}

// stillNamed reports whether the name still belongs to the open file.
func (f *file) stillNamed() bool {
	info, err := f.dir.Lstat(f.name)
	return err == nil && os.SameFile(info, f.info)
}

// lockTimeout limits the wait for another process that changes the file.
const lockTimeout = 10 * time.Second

// lock locks the file. It blocks in the system call instead of polling, because
// the system serves waiting processes in turn.
func (f *file) lock(ctx context.Context, env *tools.Env) error {
	free, err := tryLock(f.file)
	if !free && err == nil {
		locked, file := make(chan error, 1), f.file
		go func() { locked <- waitLock(file) }()
		select {
		case err = <-locked:
		case <-ctx.Done():
			f.abandon(locked)
			return context.Cause(ctx)
		case <-time.After(lockTimeout):
			f.abandon(locked)
			return env.Fail(tools.Busy, "%s is being changed by another process", f.shown)
		}
	}
	if err == nil { // the previous holder may have written to the file
		f.info, err = f.file.Stat()
	}
	return err
}

// abandon gives up waiting for the lock, and closes the file once it is granted.
func (f *file) abandon(locked <-chan error) {
	file := f.file
	f.file = nil
	go func() {
		<-locked
		file.Close()
	}()
}

// read reads the whole file.
func (f *file) read(env *tools.Env) ([]byte, error) {
	if f.info.Size() > maxFile {
		return nil, env.Fail(tools.LimitExceeded, "%s has %d bytes; the limit for changes is %d", f.shown,
			f.info.Size(),
			maxFile)
	}
	b := make([]byte, f.info.Size())
	n, err := io.ReadFull(f.file, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) { // the file shrank
		return b[:n], nil
	}
	if err != nil {
		return nil, pathError(env, f.shown, err)
	}
	more, err := io.ReadAll(f.file) // the file grew, or has no size, as in /proc
	return append(b, more...), pathError(env, f.shown, err)
}

// missing returns the error for a missing file, with similar names in the folder
// as a hint.
func (f *file) missing(env *tools.Env) error {
	err := pathError(env, f.shown, fs.ErrNotExist)
	if e := new(tools.Error); f.dir != nil && errors.As(err, &e) {
		if near := nearest.Of(f.name, f.names()); len(near) > 0 {
			folder, _ := filepath.Split(f.shown)
			for i := range near {
				near[i] = folder + near[i]
			}
			e.Hint = env.DidYouMean(near)
		}
	}
	return err
}

// names returns up to 3000 names in the file's folder, sorted.
func (f *file) names() []string {
	d, err := f.dir.Open(".")
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(3000)
	slices.Sort(names)
	return names
}

func (f *file) close() {
	if f.file != nil {
		f.file.Close()
	}
	if f.dir != nil {
		f.dir.Close()
	}
}

// hashOf returns the SHA-256 of a content in hexadecimal, for comparison with
// expected_hash.
func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
