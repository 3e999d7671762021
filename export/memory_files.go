package export

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"techo/internal/atomicfile"
	"techo/internal/confine"
	"techo/store"
	"techo/store/ledger"
	"techo/store/memfile"
)

// # Memory files
//
// The files of the memory tool keep their paths and their bytes. In a subfolder a file is written
// only if all folders above it are real: a planted link there is an error, as is a file that would
// replace the manifest.

const memoryFilesKind = "memory_files"

// MemoryFiles updates a folder of the memory files of a user.
func MemoryFiles(ctx context.Context, st *store.Store, dir confine.Place, user string) (Mirrored, error) {
	id, err := store.IDOf(ctx, st.Ledger)
	if err != nil {
		return Mirrored{}, err
	}
	files, err := memfile.Of(st.Ledger).All(ctx, user)
	if err != nil {
		return Mirrored{}, err
	}
	return mirrorFiles(ctx, dir, source{memoryFilesKind, id, ledger.NormalUser(user)}, files)
}

func mirrorFiles(ctx context.Context, dir confine.Place, of source, files []memfile.File) (Mirrored, error) {
	return update(ctx, dir, "", of, func(m *mirror) error {
		for _, f := range files {
			if f.Folder {
				continue
			}
			name, ok := memoryFileName(f.Path)
			if !ok {
				return &ForeignError{Name: name}
			}
			if err := leads(m, name); err != nil {
				return err
			}
			changed, err := m.file(name, []byte(f.Text))
			if err != nil {
				return err
			}
			m.count(changed)
		}
		return nil
	})
}

// memoryFileName returns the name below the folder for a path, and whether it may have one.
func memoryFileName(at string) (name string, ok bool) {
	clean, err := memfile.Clean(at)
	name, below := strings.CutPrefix(clean, memfile.Root+"/")
	first, _, _ := strings.Cut(name, "/")
	return name, err == nil && below && clean == at && !OwnName(first)
}

// OwnName reports whether a name in a folder of an export is of a file that keeps the export, such as
// its manifest.
func OwnName(name string) bool { return name == manifestName || isStage(name) }

// leads checks that a name in subfolders leads through no link, and through no file of others. It
// lets a file pass that the run removes: it is in the manifest, and a folder comes in its place.
func leads(m *mirror, name string) error {
	for at := path.Dir(name); at != "."; at = path.Dir(at) {
		st, err := m.root.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), err == nil && st.IsDir():
		case err != nil:
			return err
		case m.before[at] == nil || !st.Mode().IsRegular():
			return &ForeignError{Name: at}
		}
	}
	return nil
}

// foldersOf returns the folders below which a manifest has files.
func foldersOf(all versions) map[string]bool {
	folders := map[string]bool{}
	for name := range all {
		for at := path.Dir(name); at != "."; at = path.Dir(at) {
			folders[at] = true
		}
	}
	return folders
}

// lstat is Lstat in a folder. A name below a file is missing, and so is a folder that earlier runs
// made: a file may take its place.
func lstat(f *folder, name string) (fs.FileInfo, error) {
	st, err := f.root.Lstat(name)
	if errors.Is(err, syscall.ENOTDIR) || err == nil && st.IsDir() && f.leaving[name] {
		return nil, fs.ErrNotExist
	}
	return st, err
}

func makeParents(root *os.Root, name string) error {
	if above := path.Dir(name); above != "." {
		return root.MkdirAll(above, 0o700)
	}
	return nil
}

// removeParents removes the folders above a removed file that are empty now.
func removeParents(root *os.Root, name string) {
	for at := path.Dir(name); at != "." && root.Remove(at) == nil; at = path.Dir(at) {
	}
}

// syncParents makes the names of the written files durable.
func syncParents(root *os.Root, names []string) error {
	done := map[string]bool{}
	for _, name := range names {
		if !strings.Contains(name, "/") {
			continue
		}
		for at := path.Dir(name); !done[at]; at = path.Dir(at) {
			done[at] = true
			if err := syncFolder(root, at); err != nil {
				return err
			}
		}
	}
	return nil
}

func syncFolder(root *os.Root, name string) error {
	dir, err := root.OpenRoot(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	return atomicfile.SyncFolder(dir)
}
