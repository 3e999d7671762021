package walk

import (
	"errors"
	"io"
	"os"
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// handle is a folder's descriptor. The system is called directly: package os
// needs a few calls and allocations more for every file, which is a third of
// what a search costs.
type handle struct{ fd int }

// noFollow opens what is there and nothing behind it, and waits for nobody.
const noFollow = syscall.O_RDONLY | syscall.O_CLOEXEC | syscall.O_NOFOLLOW | syscall.O_NONBLOCK

func (h *handle) openRoot(root *os.Root) error {
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	h.fd, err = unix.FcntlInt(dir.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	return err
}

func (h *handle) open(above *Folder, e Entry) (err error) {
	h.fd, err = openat(above, e, noFollow|syscall.O_DIRECTORY)
	return err
}

func (h *handle) close() { syscall.Close(h.fd) }

// openat opens an entry by its name, which has its NUL behind it.
func openat(f *Folder, e Entry, flags int) (int, error) {
	for {
		fd, _, errno := syscall.Syscall6(syscall.SYS_OPENAT, uintptr(f.fd), uintptr(unsafe.Pointer(&f.names[e.at])), uintptr(flags), 0, 0, 0)
		switch errno {
		case 0:
			return int(fd), nil
		case syscall.EINTR:
			continue
		}
		return -1, errno
	}
}

// Opened is an open file.
type Opened struct{ fd int }

// Open opens a file of the folder to be read.
func (f *Folder) Open(e Entry) (Opened, error) {
	fd, err := openat(f, e, noFollow)
	return Opened{fd}, err
}

// Read reads as io.Reader does.
func (o Opened) Read(b []byte) (int, error) {
	for {
		n, _, errno := syscall.Syscall(syscall.SYS_READ, uintptr(o.fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
		switch {
		case errno == syscall.EINTR:
			continue
		case errno != 0:
			return 0, errno
		case n == 0 && len(b) > 0:
			return 0, io.EOF
		}
		return int(n), nil
	}
}

// Close closes the file. That takes no time that others could use, so the
// scheduler need not know.
func (o Opened) Close() { syscall.RawSyscall(syscall.SYS_CLOSE, uintptr(o.fd), 0, 0) }

// lister holds what the system writes names into, and what is read of it until
// all of a folder is.
type lister struct {
	buf     []byte
	entries []Entry
	names   []byte
}

// listBuffer is enough for nearly all folders at once, in bytes.
const listBuffer = 32 << 10

// The place of the fields of a directory entry, by getdents64(2).
const (
	entrySize = 16
	entryType = 18
	entryName = 19
)

// list reads the names in a folder.
func (l *lister) list(f *Folder) error {
	if l.buf == nil {
		l.buf = make([]byte, listBuffer)
	}
	l.entries, l.names = l.entries[:0], l.names[:0]
	var err error
	for {
		var n int
		if n, err = syscall.ReadDirent(f.fd, l.buf); errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil || n <= 0 {
			break
		}
		l.parse(n)
	}
	f.Entries, f.names = slices.Clone(l.entries), slices.Clone(l.names)
	for i := range f.Entries {
		if f.Entries[i].Kind == unseen {
			f.Entries[i].Kind = look(f, f.Entries[i])
		}
	}
	return err
}

// parse takes entries from the first n bytes of the buffer.
func (l *lister) parse(n int) {
	for rest := l.buf[:n]; len(rest) > entryName; {
		size := int(*(*uint16)(unsafe.Pointer(&rest[entrySize])))
		name := rest[entryName:size]
		end := 0
		for name[end] != 0 {
			end++
		}
		if string(name[:end]) != "." && string(name[:end]) != ".." {
			l.entries = append(l.entries, Entry{at: uint32(len(l.names)), size: uint16(end), Kind: kindOf(rest[entryType])})
			l.names = append(l.names, name[:end+1]...)
		}
		rest = rest[size:]
	}
}

func kindOf(t byte) Kind {
	switch t {
	case syscall.DT_REG:
		return File
	case syscall.DT_DIR:
		return Dir
	case syscall.DT_LNK:
		return Link
	case syscall.DT_UNKNOWN:
		return unseen
	}
	return Other
}

// Modified returns when an entry was last changed, in nanoseconds since 1970.
func (f *Folder) Modified(e Entry) (int64, error) {
	var st unix.Stat_t
	err := unix.Fstatat(f.fd, string(f.Name(e)), &st, unix.AT_SYMLINK_NOFOLLOW)
	return st.Mtim.Nano(), err
}

// look asks what an entry is, where the folder does not say.
func look(f *Folder, e Entry) Kind {
	var st unix.Stat_t
	if unix.Fstatat(f.fd, string(f.Name(e)), &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return Other
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return File
	case unix.S_IFDIR:
		return Dir
	case unix.S_IFLNK:
		return Link
	}
	return Other
}
