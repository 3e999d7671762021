//go:build !linux

package walk

import (
	"io/fs"
	"os"

	"techo/internal/regular"
)

// handle is a folder whose entries cannot lead outside.
type handle struct{ root *os.Root }

func (h *handle) openRoot(root *os.Root) (err error) {
	h.root, err = root.OpenRoot(".")
	return err
}

func (h *handle) open(above *Folder, e Entry) (err error) {
	h.root, err = above.root.OpenRoot(string(above.Name(e)))
	return err
}

func (h *handle) close() { h.root.Close() }

// Opened is an open file.
type Opened struct{ file *os.File }

// Open opens a file of the folder for reading.
func (f *Folder) Open(e Entry) (Opened, error) {
	file, err := f.root.OpenFile(string(f.Name(e)), os.O_RDONLY|regular.NoWait, 0)
	return Opened{file}, err
}

// Read implements io.Reader.
func (o Opened) Read(b []byte) (int, error) { return o.file.Read(b) }

// Close closes the file.
func (o Opened) Close() { o.file.Close() }

// lister needs nothing here.
type lister struct{}

func (l *lister) list(f *Folder) error {
	dir, err := f.root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	all, err := dir.ReadDir(-1)
	for _, d := range all {
		f.Entries = append(f.Entries,
			Entry{at: uint32(len(f.names)), size: uint16(len(d.Name())), Kind: kindOf(d.Type())})
		f.names = append(append(f.names, d.Name()...), 0)
	}
	return err
}

// Modified returns when an entry was last changed, in nanoseconds since 1970.
func (f *Folder) Modified(e Entry) (int64, error) {
	st, err := f.root.Lstat(string(f.Name(e)))
	if err != nil {
		return 0, err
	}
	return st.ModTime().UnixNano(), nil
}

func kindOf(m fs.FileMode) Kind {
	switch {
	case m.IsRegular():
		return File
	case m.IsDir():
		return Dir
	case m&fs.ModeSymlink != 0:
		return Link
	}
	return Other
}
