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

// maxFile is how large a file may be that is changed, in bytes.
const maxFile = 256 << 20

// file is one that is read or changed: a name in a folder that was opened, so
// that what is done to it is done there whatever its path leads to by now.
type file struct {
	place
	dir  *os.Root
	name string      // in dir
	file *os.File    // nil when it is not there
	info fs.FileInfo // of file, when it was opened
}

// openFile opens the file at a path. To be changed, it is locked against all
// others who would change it by the same rule, and closing unlocks it. A file
// that is not there is no error.
func openFile(ctx context.Context, env *tools.Env, path string, change bool) (*file, error) {
	p, err := locate(env, path)
	if err != nil {
		return nil, err
	}
	return p.openFile(ctx, env, change)
}

func (p place) openFile(ctx context.Context, env *tools.Env, change bool) (*file, error) {
	if change && p.inStore(env) {
		return nil, ofStore(env, p.shown)
	}
	dir, name, err := p.parent()
	if errors.Is(err, fs.ErrNotExist) {
		return &file{place: p}, nil
	}
	if err != nil {
		return nil, fault(env, p.shown, err)
	}
	f := &file{place: p, dir: dir, name: name}
	// A file may be replaced while one waits for its lock: then it is the new
	// one that must be locked.
	for {
		if err = f.open(env, change); err == nil && change && f.file != nil {
			err = f.lock(ctx, env)
		}
		if err != nil || f.file == nil || !change || f.current() {
			break
		}
		f.file.Close()
	}
	if err != nil {
		f.close()
		return nil, fault(env, p.shown, err)
	}
	return f, nil
}

// open opens the file when it is there and is one.
func (f *file) open(env *tools.Env, change bool) error {
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
	case info.Mode()&fs.ModeSymlink != 0: // the others were followed
		return f.dangling(env)
	case !info.Mode().IsRegular():
		return f.refuse(env, info.Mode())
	}
	flags := os.O_RDONLY
	if change {
		if info.Mode()&0o222 == 0 {
			return env.Fail(tools.Forbidden, tools.Say{EN: "%s is read-only", JA: "%s は読み取り専用です"}, f.shown).
				WithHint(env.Say(tools.Say{EN: "If it is to be changed all the same: chmod u+w", JA: "それでも変更する場合: chmod u+w"}))
		}
		flags = os.O_RDWR
	}
	opened, err := f.dir.OpenFile(f.name, flags|noWait, 0)
	if err != nil {
		return err
	}
	if f.info, err = opened.Stat(); err == nil && !f.info.Mode().IsRegular() { // it was exchanged just now
		err = f.refuse(env, f.info.Mode())
	}
	if err != nil {
		opened.Close()
		return err
	}
	f.file = opened
	return nil
}

// dangling refuses a link to what is not there, or is outside.
func (f *file) dangling(env *tools.Env) error {
	if f.root != nil {
		if _, err := f.root.Stat(f.path); escapes(err) {
			return outside(env, f.shown)
		}
	}
	return env.Fail(tools.NotFound, tools.Say{EN: "File not found: %s is a link that leads nowhere", JA: "ファイルが見つかりません: %s のリンク先がありません"}, f.shown)
}

// refuse refuses what is no regular file.
func (f *file) refuse(env *tools.Env, mode fs.FileMode) error {
	if mode.IsDir() {
		e := invalid(env, "/path", tools.Say{EN: "is a folder, not a file: %s", JA: "ファイルではなくフォルダです: %s"}, f.shown)
		return e.WithHint(env.Say(tools.Say{EN: "See what is in it with techo glob", JA: "techo glob で中のファイルを確認してください"}))
	}
	return env.Fail(tools.Forbidden, tools.Say{EN: "%s is no regular file but a device, a pipe or a socket", JA: "%s は通常のファイルではありません（デバイス、パイプ、ソケットなど）"}, f.shown)
}

// current reports whether the name still stands for the file.
func (f *file) current() bool {
	info, err := f.dir.Lstat(f.name)
	return err == nil && os.SameFile(info, f.info)
}

// patience is how long one waits for who else changes a file.
const patience = 10 * time.Second

// lock waits until nobody else changes the file. The system lets those who wait
// in by turns, which asking again and again would not.
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
		case <-time.After(patience):
			f.abandon(locked)
			return env.Fail(tools.Busy, tools.Say{EN: "%s is being changed by another process", JA: "%s は別のプロセスが変更中です"}, f.shown)
		}
	}
	if err == nil { // who had it may have written the file
		f.info, err = f.file.Stat()
	}
	return err
}

// abandon closes the file when its turn comes, for nobody waits any more.
func (f *file) abandon(locked <-chan error) {
	file := f.file
	f.file = nil
	go func() {
		<-locked
		file.Close()
	}()
}

// read reads the file whole.
func (f *file) read(env *tools.Env) ([]byte, error) {
	if f.info.Size() > maxFile {
		return nil, env.Fail(tools.LimitExceeded, tools.Say{EN: "%s has %d bytes; at most %d can be changed", JA: "%s は %d バイトです（変更できるのは最大 %d バイト）"}, f.shown, f.info.Size(), maxFile)
	}
	b := make([]byte, f.info.Size())
	n, err := io.ReadFull(f.file, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) { // it became shorter
		return b[:n], nil
	}
	if err != nil {
		return nil, fault(env, f.shown, err)
	}
	more, err := io.ReadAll(f.file) // it became longer, or has no size, as in /proc
	return append(b, more...), fault(env, f.shown, err)
}

// missing is the error of a file that is not there. It asks about files of the
// folder that are called nearly so.
func (f *file) missing(env *tools.Env) error {
	err := fault(env, f.shown, fs.ErrNotExist)
	if e := new(tools.Error); f.dir != nil && errors.As(err, &e) {
		if near := nearest.Of(f.name, f.siblings()); len(near) > 0 {
			folder, _ := filepath.Split(f.shown)
			for i := range near {
				near[i] = folder + near[i]
			}
			e.Hint = env.DidYouMean(near)
		}
	}
	return err
}

// siblings are the first few thousand names in the file's folder.
func (f *file) siblings() []string {
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

// hashOf is what expected_hash is compared with: SHA-256, in hexadecimal.
func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
