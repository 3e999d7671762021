package change

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"techo/internal/atomicfile"
	"techo/internal/regular"
	"techo/tools"
	"techo/tools/files/paths"
)

// # Copies
//
// A write in place that is killed halfway leaves a mixture of the old and the new
// content. Therefore the old content is kept in a copy until the write is complete.
// The name of the copy contains the hash of the old content, so undo finds it. It is
// beside the file or, if nothing can be created there, in the folder of the store.

// copiesFolder is the folder in the store for copies of files in read-only folders.
const copiesFolder = "copies"

// keptCopy is a copy of the content of a file before a write in place.
type keptCopy struct {
	dir  *os.Root
	name string

	temporary bool // dir has nothing else
}

// copyName returns the name of the copy of a content of a file, beside the file.
func copyName(name, hash string) string {
	return "." + atomicfile.TempPrefix(name) + "copy-" + hash[:12]
}

func keepCopy(env *tools.Env, f *paths.File, content []byte) (*keptCopy, error) {
	hash := paths.Hash(content)
	k := &keptCopy{dir: f.Dir, name: copyName(f.Name, hash)}
	err := atomicfile.Write(k.dir, k.name, content, atomicfile.Options{})
	if !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
		return k, err
	}
	if k, err = copyInStore(env, f, hash, true); err != nil {
		return nil, err
	}
	return k, atomicfile.Write(k.dir, k.name, content, atomicfile.Options{})
}

// copyInStore returns the place of a copy in the folder of the store or, without a
// store, in a new temporary folder.
func copyInStore(env *tools.Env, f *paths.File, hash string, create bool) (*keptCopy, error) {
	where := ""
	if env.Where != nil {
		where, _ = env.Where()
	}
	var err error
	k := &keptCopy{name: copyName(paths.Hash([]byte(f.Full()))[:12], hash)}
	switch info, missing := os.Stat(where); {
	case missing == nil && info.IsDir():
		if where = filepath.Join(where, copiesFolder); create {
			err = os.Mkdir(where, 0o700)
		}
	case create:
		k.temporary = true
		where, err = os.MkdirTemp("", "techo-"+copiesFolder+"-")
	default:
		return nil, fs.ErrNotExist
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	k.dir, err = os.OpenRoot(where)
	return k, err
}

// TakeCopy plans to restore the content with a hash from the copy that a killed write left. It
// reports whether there is one.
func (c *Change) TakeCopy(env *tools.Env, hash string) bool {
	if c.Dir == nil || len(hash) != len(paths.Hash(nil)) {
		return false
	}
	places := []*keptCopy{{dir: c.Dir, name: copyName(c.Name, hash)}}
	if k, err := copyInStore(env, c.File, hash, false); err == nil {
		places = append(places, k)
	}
	for _, k := range places {
		if content := k.read(); content != nil && paths.Hash(content) == hash {
			c.After, c.leftover = content, k
			return true
		}
	}
	return false
}

// read returns the content of the copy, or nil if it is not a file that techo wrote.
func (k *keptCopy) read() []byte {
	info, err := k.dir.Lstat(k.name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > paths.MaxFile {
		return nil
	}
	o, err := k.dir.OpenFile(k.name, os.O_RDONLY|regular.NoWait, 0)
	if err != nil {
		return nil
	}
	defer o.Close()
	content, err := io.ReadAll(io.LimitReader(o, paths.MaxFile))
	if err != nil {
		return nil
	}
	return content
}

// remove removes the copy. If that fails, it stays as a file that is not needed.
func (k *keptCopy) remove() {
	if k == nil {
		return
	}
	_ = k.dir.Remove(k.name)
	if k.temporary {
		_ = os.Remove(k.dir.Name())
	}
}
