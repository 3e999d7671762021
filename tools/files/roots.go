package files

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"techo/store"
	"techo/tools"
)

// # Confinement
//
// A path that a caller gives is turned into a place before anything else: the
// folder that confines it, if any, and the path inside. The links of the path
// are followed first, so that a link into a root is as good as the folder
// itself, and what lies outside is refused in one way, whether it is there or
// not. That alone would be a race: whoever may write in the root can put a
// link there afterwards. So what is then opened is opened through the os.Root,
// which never leaves its folder whatever the links are by then.
//
// Without roots a place has none, and its path is absolute.

// place is where a path leads.
type place struct {
	root  *os.Root // nil when nothing confines
	path  string   // in root, "." for the root itself; without root absolute; its links were followed
	shown string   // as the caller wrote it, for results and messages
}

// locate finds the place of a path, or refuses it with forbidden. What is not
// there has a place too.
func locate(env *tools.Env, path string) (place, error) {
	p := place{shown: path}
	if strings.ContainsRune(path, 0) {
		return p, invalid(env, "/path", tools.Say{EN: "must not hold NUL", JA: "NUL を含められません"})
	}
	full := path
	if !filepath.IsAbs(full) {
		full = env.Dir + string(filepath.Separator) + path // not joined: .. behind a link is for follow
	}
	var roots []*os.Root
	if env.Roots != nil {
		var err error
		if roots, err = env.Roots(); err != nil {
			return p, fault(env, path, err)
		}
	}
	real, err := follow(full)
	if len(roots) == 0 {
		p.path = real
		if err != nil {
			return p, fault(env, path, err)
		}
		return p, nil
	}
	for _, root := range roots {
		inside, e := filepath.Rel(root.Name(), real)
		if err == nil && e == nil && filepath.IsLocal(inside) {
			p.root, p.path = root, inside
			return p, nil
		}
	}
	return p, outside(env, path)
}

// forbiddenPath refuses an input of the family, valid or not, whose path leads
// out of the roots. It is the Forbidden of its tools.
func forbiddenPath(env *tools.Env, input []byte) *tools.Error {
	type named struct {
		Path any `json:"path"`
	}
	var in struct {
		named
		Batch []named `json:"batch"`
	}
	_ = json.Unmarshal(input, &in) // what is wrong with it is told otherwise
	for _, n := range append(in.Batch, in.named) {
		path, ok := n.Path.(string)
		if !ok || path == "" {
			continue
		}
		_, err := locate(env, path)
		if e := new(tools.Error); errors.As(err, &e) && e.Code == tools.Forbidden {
			return e
		}
	}
	return nil
}

// maxMissing is how many steps of a path may be missing.
const maxMissing = 100

// follow returns the path with its links followed as far as it is there; the
// rest stands as it was written.
func follow(path string) (string, error) {
	rest := ""
	for range maxMissing {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return "", err
		}
		path = strings.TrimRight(path, string(filepath.Separator))
		cut := strings.LastIndexByte(path, filepath.Separator)
		if cut < 0 {
			return "", err
		}
		rest = filepath.Join(path[cut+1:], rest)
		path = path[:cut+1]
	}
	return "", fs.ErrNotExist
}

// full is the absolute path of the place.
func (p place) full() string {
	if p.root == nil {
		return p.path
	}
	return filepath.Join(p.root.Name(), p.path)
}

// open opens what is at the place, a folder or a file, to be read.
func (p place) open() (*os.File, error) {
	if p.root == nil {
		return os.OpenFile(p.path, os.O_RDONLY|noWait, 0)
	}
	return p.root.OpenFile(p.path, os.O_RDONLY|noWait, 0)
}

// parent opens the folder that the place is in, and names the place in it.
// What is then done in that folder stays there, confined or not.
func (p place) parent() (dir *os.Root, name string, err error) {
	folder, name := filepath.Split(p.path)
	if p.root == nil {
		dir, err = os.OpenRoot(folder)
	} else {
		dir, err = p.root.OpenRoot(filepath.Join(".", folder))
	}
	return dir, name, notFolder(folder, err)
}

// notFolder puts into the system's words what package os says of a root in its
// own: that it is no folder.
func notFolder(folder string, err error) error {
	if err != nil && strings.HasSuffix(err.Error(), "not a directory") {
		return &fs.PathError{Op: "open", Path: folder, Err: syscall.ENOTDIR}
	}
	return err
}

// inStore reports whether the place is one of the files of the store. Others may
// lie in its folder.
func (p place) inStore(env *tools.Env) bool {
	if env.Where == nil {
		return false
	}
	where, err := env.Where()
	if err == nil {
		where, err = filepath.EvalSymlinks(where)
	}
	if err != nil {
		return false // there is none yet, or none that is a folder
	}
	inside, err := filepath.Rel(where, p.full())
	name, _, _ := strings.Cut(inside, string(filepath.Separator))
	return err == nil && filepath.IsLocal(inside) && store.Holds(name)
}

// ofStore refuses to change what is the store's: to write over it would be to
// lose what is in it.
func ofStore(env *tools.Env, path string) *tools.Error {
	return env.Fail(tools.Forbidden, tools.Say{EN: "%s belongs to the store of techo, which only its own commands change", JA: "%s は techo のストアの一部で、ファイルとしては変更できません"}, path).
		WithHint(env.Say(tools.Say{EN: "Use the commands for memos, memories and events; techo store backup makes a copy", JA: "メモ・記憶・予定のコマンドを使ってください。複製は techo store backup で作れます"}))
}

// outside refuses a path that leads out of the roots.
func outside(env *tools.Env, path string) *tools.Error {
	return env.Fail(tools.Forbidden, tools.Say{EN: "%s is outside of the folders that are allowed here", JA: "%s は許可されたフォルダの外です"}, path).
		WithHint(env.Say(tools.Say{EN: "Use a path within the folders of --root", JA: "--root のフォルダ内のパスを使ってください"}))
}

// invalid refuses one field of an input.
func invalid(env *tools.Env, field string, message tools.Say, args ...any) *tools.Error {
	d := tools.Detail{Path: field, Message: env.Say(message, args...)}
	return faults(env, []tools.Detail{d})
}

// fault says what the system has against a path. What it does not know comes
// back as it is.
func fault(env *tools.Env, path string, err error) error {
	switch {
	case err == nil, errors.As(err, new(*tools.Error)):
		return err
	case escapes(err):
		return outside(env, path)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return env.Fail(tools.NotFound, tools.Say{EN: "File not found: %s", JA: "ファイルが見つかりません: %s"}, path)
	case errors.Is(err, fs.ErrPermission):
		return env.Fail(tools.Forbidden, tools.Say{EN: "No permission for %s: %v", JA: "%s へのアクセス権がありません: %v"}, path, cause(err))
	case errors.Is(err, syscall.ETXTBSY):
		return env.Fail(tools.Conflict, tools.Say{EN: "%s is a program that is running", JA: "%s は実行中のプログラムです"}, path)
	case errors.Is(err, syscall.EROFS):
		return env.Fail(tools.Forbidden, tools.Say{EN: "%s lies on a disk that is read-only", JA: "%s は読み取り専用のディスク上にあります"}, path)
	case isFull(err):
		return env.Fail(tools.NoSpace, tools.Say{EN: "The disk is full; %s was not changed", JA: "ディスクがいっぱいです。%s は変更していません"}, path).
			WithHint(env.Say(tools.Say{EN: "Free some space and run it again", JA: "空き容量を確保してから再実行してください"}))
	case errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.ENAMETOOLONG), strings.Contains(err.Error(), "too many links"):
		return invalid(env, "/path", tools.Say{EN: "does not lead anywhere: %v", JA: "たどれません: %v"}, cause(err))
	}
	return err
}

// escapes reports whether an os.Root refused to be left, for which package os
// has no name.
func escapes(err error) bool {
	return err != nil && strings.HasSuffix(err.Error(), "path escapes from parent")
}

// cause is what the system said, without the path, which may be another one
// than the caller's.
func cause(err error) error {
	if e := new(fs.PathError); errors.As(err, &e) {
		return e.Err
	}
	if e := new(os.LinkError); errors.As(err, &e) {
		return e.Err
	}
	return err
}
