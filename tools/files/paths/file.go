package paths

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"techo/internal/charset"
	"techo/internal/confine"
	"techo/internal/nearest"
	"techo/internal/regular"
	"techo/tools"
)

// MaxFile is the largest file that can be changed, in bytes.
const MaxFile = 256 << 20

// File is a name in an open folder. Operations through the open folder stay there,
// even if the path leads elsewhere in the meantime.
type File struct {
	Place
	Dir    *os.Root
	Name   string      // in Dir
	Opened *os.File    // nil if the file is missing, or not to be opened
	Info   fs.FileInfo // from the time when it was opened
}

// OpenFile opens the file at a path. A missing file is not an error. If change is
// set, the file is locked against all writers that follow the same protocol, until
// close.
func OpenFile(ctx context.Context, env *tools.Env, path string, change bool) (*File, error) {
	p, err := Locate(env, path)
	if err != nil {
		return nil, err
	}
	return p.OpenFile(ctx, env, change)
}

func (p Place) OpenFile(ctx context.Context, env *tools.Env, change bool) (*File, error) {
	return p.OpenAs(ctx, env, change, change)
}

// OpenAs is OpenFile for a change, if lock is set, of the content, if write is set.
func (p Place) OpenAs(ctx context.Context, env *tools.Env, lock, write bool) (*File, error) {
	if lock && p.IsStoreFile(env) {
		return nil, BelongsToStore(env, p.Shown)
	}
	dir, name, err := p.Parent()
	if errors.Is(err, fs.ErrNotExist) {
		if p.Slash {
			return nil, namesFolder(env, p)
		}
		return &File{Place: p}, nil
	}
	if err != nil {
		return nil, Error(env, p.Shown, err)
	}
	f := &File{Place: p, Dir: dir, Name: name}
	// Another process may replace the file while this one waits for the lock. Then the
	// new file must be locked.
	for {
		if err = f.open(env, write); err == nil && lock && f.Opened != nil {
			err = f.lock(ctx, env)
		}
		if err != nil || f.Opened == nil || !lock || f.StillNamed() {
			break
		}
		f.Opened.Close()
	}
	if err != nil {
		f.Close()
		return nil, Error(env, p.Shown, err)
	}
	return f, nil
}

// open opens the file if it exists and is a regular file.
func (f *File) open(env *tools.Env, write bool) error {
	f.Opened = nil
	if f.Name == "" {
		return refuse(env, f, fs.ModeDir)
	}
	info, err := f.Dir.Lstat(f.Name)
	switch {
	case f.Slash && (errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir()):
		return namesFolder(env, f.Place)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0: // Locate resolved all links that lead somewhere
		return dangling(env, f)
	case !info.Mode().IsRegular():
		return refuse(env, f, info.Mode())
	}
	flags := os.O_RDONLY
	if write {
		if info.Mode()&0o222 == 0 {
			return env.Fail(tools.Forbidden, "%s is read-only", f.Shown).
				WithHint(env.Hint("To change it anyway, run chmod u+w first"))
		}
		flags = os.O_RDWR
	}
	opened, err := f.Dir.OpenFile(f.Name, flags|regular.NoWait, 0)
	if err != nil {
		return err
	}
	if f.Info, err = opened.Stat(); err == nil && !f.Info.Mode().IsRegular() { // it was replaced after Lstat
		err = refuse(env, f, f.Info.Mode())
	}
	if err != nil {
		opened.Close()
		return err
	}
	f.Opened = opened
	return nil
}

// dangling returns the error for a link to a missing file or to a file outside of
// the roots.
func dangling(env *tools.Env, f *File) error {
	if f.Root != nil {
		if _, err := f.Root.Stat(f.Path); confine.Escapes(err) {
			return tools.Outside(env, f.Shown)
		}
	}
	return env.Fail(tools.NotFound, "File not found: %s is a link that leads nowhere", f.Shown).
		WithHint(env.Hint("Name the file itself, or remove the link"))
}

// namesFolder returns the error for a path with a slash at its end that is no folder.
func namesFolder(env *tools.Env, p Place) error {
	return tools.InvalidField(env, "/path", "names a folder, because it ends in a slash: %s", p.Shown).
		WithHint(env.Hint("Name the file in it, or leave out the slash"))
}

// refuse returns the error for an entry that is not a regular file.
func refuse(env *tools.Env, f *File, mode fs.FileMode) error {
	if mode.IsDir() {
		e := tools.InvalidField(env, "/path", "is a folder, not a file: %s", f.Shown)
		if !Offers(env, "glob") {
			return e.WithHint(env.Hint("Name a file in it"))
		}
		return e.WithHint(env.Hint("List its content with %s", tools.Use("fs glob")))
	}
	return env.Fail(tools.Forbidden, "%s is a device, a pipe or a socket, not a regular file", f.Shown).
		WithHint(env.Hint("Name a regular file"))
}

// StillNamed reports whether the name still belongs to the open file.
func (f *File) StillNamed() bool {
	info, err := f.Dir.Lstat(f.Name)
	return err == nil && os.SameFile(info, f.Info)
}

// lockTimeout limits the wait for another process that changes the file.
const lockTimeout = 10 * time.Second

// lock locks the file. It blocks in the system call instead of polling, because
// the system serves waiting processes in turn.
func (f *File) lock(ctx context.Context, env *tools.Env) error {
	free, err := TryLock(f.Opened)
	if !free && err == nil {
		locked, file := make(chan error, 1), f.Opened
		go func() { locked <- waitLock(file) }()
		select {
		case err = <-locked:
		case <-ctx.Done():
			f.abandon(locked)
			return context.Cause(ctx)
		case <-time.After(lockTimeout):
			f.abandon(locked)
			return env.Fail(tools.Busy, "%s is being changed by another process", f.Shown)
		}
	}
	if err == nil { // the previous holder may have written to the file
		f.Info, err = f.Opened.Stat()
	}
	return err
}

// abandon gives up waiting for the lock, and closes the file once it is granted.
func (f *File) abandon(locked <-chan error) {
	file := f.Opened
	f.Opened = nil
	go func() {
		<-locked
		file.Close()
	}()
}

// Read reads the whole file.
func (f *File) Read(env *tools.Env) ([]byte, error) {
	if f.Info.Size() > MaxFile {
		return nil, env.Fail(tools.LimitExceeded, "%s has %d bytes; the limit for changes is %d", f.Shown,
			f.Info.Size(),
			MaxFile)
	}
	b := make([]byte, f.Info.Size())
	n, err := io.ReadFull(f.Opened, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) { // the file shrank
		return b[:n], nil
	}
	if err != nil {
		return nil, Error(env, f.Shown, err)
	}
	more, err := io.ReadAll(f.Opened) // the file grew, or has no size, as in /proc
	return append(b, more...), Error(env, f.Shown, err)
}

// Missing returns the error for a missing file, with similar names in the folder
// as a hint.
func (f *File) Missing(env *tools.Env) error {
	err := Error(env, f.Shown, fs.ErrNotExist)
	if e := new(tools.Error); f.Dir != nil && errors.As(err, &e) {
		if near := nearest.Of(f.Name, f.namesBeside()); len(near) > 0 {
			folder, _ := filepath.Split(f.Shown)
			for i := range near {
				near[i] = folder + near[i]
			}
			e.Hint = withDifference(env, env.DidYouMean(near), f.Name, filepath.Base(near[0]))
		}
	}
	return err
}

// withDifference adds to a hint the first characters in which two names differ, unless both are of ASCII, which looks
// like nothing else.
func withDifference(env *tools.Env, hint, given, found string) string {
	a, b := []rune(given), []rune(found)
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	if charset.IsASCII(string(a[i:min(i+1, len(a))])) && charset.IsASCII(string(b[i:min(i+1, len(b))])) {
		return hint
	}
	code := func(name []rune) string {
		if i == len(name) {
			return env.Localize("its end")
		}
		return fmt.Sprintf("U+%04X", name[i])
	}
	return env.Localize("%s It has %s where your path has %s", hint, code(b), code(a))
}

// namesBeside returns up to 3000 names in the file's folder, sorted.
func (f *File) namesBeside() []string {
	d, err := f.Dir.Open(".")
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(3000)
	slices.Sort(names)
	return names
}

func (f *File) Close() {
	if f.Opened != nil {
		f.Opened.Close()
	}
	if f.Dir != nil {
		f.Dir.Close()
	}
}

// Hash returns the SHA-256 of a content in hexadecimal, for comparison with
// expected_hash.
func Hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// BelongsToStore refuses to change a file of the store. Overwriting it would
// destroy data.
func BelongsToStore(env *tools.Env, path string) *tools.Error {
	return env.Fail(tools.Forbidden, "%s belongs to techo's store, which only techo's own commands may change", path).
		WithHint(env.Hint("Use the commands for memos, memories and events; %s makes a copy",
			tools.Use("store backup")))
}

// Offers reports whether the caller has a tool. A shell has all.
func Offers(env *tools.Env, name string) bool {
	return env.Naming == nil || slices.ContainsFunc(env.Tools, func(t *tools.Tool) bool {
		return t.Name == name && (t.When == nil || t.When(env) == nil)
	})
}

// LookForIt returns the hint for a missing path.
func LookForIt(env *tools.Env) string {
	if Offers(env, "glob") {
		return env.Hint("Look for it with %s", tools.Use("fs glob"))
	}
	return env.Hint("Check the path; a relative one begins in the working folder")
}

// Error converts a system error about a path to a tools.Error. It returns
// unknown errors unchanged.
func Error(env *tools.Env, path string, err error) error {
	switch {
	case err == nil, errors.As(err, new(*tools.Error)):
		return err
	case confine.Escapes(err):
		return tools.Outside(env, path)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), isInvalidName(err):
		return env.Fail(tools.NotFound, "File not found: %s", path).
			WithHint(LookForIt(env))
	case errors.Is(err, fs.ErrPermission):
		return env.Fail(tools.Forbidden, "No permission for %s: %v", path, cause(err))
	case isInUse(err):
		return env.Fail(tools.Busy, "%s is being changed by another process", path)
	case errors.Is(err, syscall.ETXTBSY):
		return env.Fail(tools.Conflict, "%s is a running program", path)
	case errors.Is(err, syscall.EROFS):
		return env.Fail(tools.Forbidden, "%s is on a read-only file system", path)
	case IsFull(err):
		return env.Fail(tools.NoSpace, "The disk is full; %s was not changed", path).
			WithHint(env.Hint("Free some space and run it again"))
	case errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.ENAMETOOLONG),
		strings.Contains(err.Error(), "too many links"):
		return tools.InvalidField(env, "/path", "cannot be resolved: %v", cause(err))
	}
	return err
}

// cause returns the system error without its path, which may differ from the
// caller's.
func cause(err error) error {
	if e := new(fs.PathError); errors.As(err, &e) {
		return e.Err
	}
	if e := new(os.LinkError); errors.As(err, &e) {
		return e.Err
	}
	return err
}
