//go:build linux && amd64

package proof

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// # Recording changes of a folder
//
// The recorder follows traced processes and records each change that they make below
// one folder: bytes written to files; entries created, renamed and removed;
// successful syncs and what they cover; and answers. disk_model_test.go computes the
// possible states of the disk after a power failure from it.

// effectKind is the kind of one effect.
type effectKind int

const (
	entries  effectKind = iota // of folders: created, linked, renamed, exchanged, removed
	written                    // bytes of a file
	resized                    // a file
	synced                     // a file or a folder
	syncedFS                   // the whole file system
	answered                   // bytes of an answer
)

// place is an entry of a folder.
type place struct {
	folder int // its node
	name   string
}

// effect is one change, in the order in which the system calls returned.
type effect struct {
	kind  effectKind
	node  int // file or folder concerned
	label string

	sets   map[place]int // entries: the node that a place now names, gone for none
	at     int64         // written: offset
	data   []byte        // written, answered
	size   int64         // resized
	mtime  time.Time     // written, resized: the file's time after it
	covers int           // synced: effects with a lower index were complete before the sync began
	call   int           // answered: which call of the scene
}

// gone is the node of an entry that does not exist.
const gone = -1

// node is a file or folder that existed at some time.
type node struct {
	folder bool
	data   []byte // before the recording
	mtime  time.Time
}

// recording is the list of changes to a folder. Node 0 is the folder itself.
type recording struct {
	nodes   []node
	before  map[place]int
	effects []effect
}

type inode struct{ device, number uint64 }

// recorder creates a recording.
type recorder struct {
	recording
	dir     string
	call    int // the number of the traced call
	now     map[place]int
	ids     map[inode]int
	pending map[int]*pendingCall // by thread
}

// pendingCall is a system call that has begun.
type pendingCall struct {
	nr     uint64
	args   [6]uint64
	data   []byte // of a write
	covers int    // effects before it
}

// newRecorder reads the initial content of a folder.
func newRecorder(dir string) (*recorder, error) {
	c := &recorder{dir: dir, now: map[place]int{}, ids: map[inode]int{}, pending: map[int]*pendingCall{}}
	c.before = map[place]int{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		n := node{folder: d.IsDir(), mtime: st.ModTime()}
		if !d.IsDir() {
			if n.data, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		id := c.add(n, st)
		if path != dir {
			at, ok := c.find(path)
			if !ok {
				return fmt.Errorf("%s: its folder was not seen", path)
			}
			c.now[at], c.before[at] = id, id
		}
		return nil
	})
	return c, err
}

func (c *recorder) add(n node, st fs.FileInfo) int {
	s := st.Sys().(*syscall.Stat_t)
	c.nodes = append(c.nodes, n)
	c.ids[inode{uint64(s.Dev), s.Ino}] = len(c.nodes) - 1
	return len(c.nodes) - 1
}

// find returns the place of a path, if its folder is below the recorded one.
func (c *recorder) find(path string) (place, bool) {
	rel, err := filepath.Rel(c.dir, path)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return place{}, false
	}
	folder := 0
	parts := strings.Split(rel, "/")
	for _, name := range parts[:len(parts)-1] {
		id, ok := c.now[place{folder, name}]
		if !ok || !c.nodes[id].folder {
			return place{}, false
		}
		folder = id
	}
	return place{folder, parts[len(parts)-1]}, true
}

// descriptor returns the node of an open file.
func (c *recorder) descriptor(r *tracer, fd uint64) (id int, st fs.FileInfo, ok bool) {
	st, err := os.Stat(fmt.Sprintf("/proc/%d/fd/%d", r.pid, int32(fd)))
	if err != nil {
		return 0, nil, false
	}
	s := st.Sys().(*syscall.Stat_t)
	id, ok = c.ids[inode{uint64(s.Dev), s.Ino}]
	return id, st, ok
}

// System calls without a name in package syscall.
const (
	sysSyncfs, sysRenameat2, sysCopyRange, sysPwritev2 = 306, 316, 326, 328
)

// see handles the entry to and the exit from a system call.
func (c *recorder) see(r *tracer, thread int, info callInfo) error {
	if info.op == 1 {
		return c.begin(r, thread, info)
	}
	p := c.pending[thread]
	delete(c.pending, thread)
	result := int64(info.nr) // of an exit: the first field
	if p == nil || result < 0 {
		return nil
	}
	return c.end(r, thread, p, result)
}

func (c *recorder) begin(r *tracer, thread int, info callInfo) error {
	p := &pendingCall{nr: info.nr, args: info.args, covers: len(c.effects)}
	c.pending[thread] = p
	switch info.nr {
	case syscall.SYS_WRITE, syscall.SYS_PWRITE64:
		_, _, mine := c.descriptor(r, p.args[0])
		answers := r.file(thread, fd0, p.args) == r.stdout
		if !mine && !answers {
			return nil
		}
		p.data = make([]byte, p.args[2])
		if err := readMemory(r.pid, p.data, p.args[1]); err != nil {
			return err
		}
		if answers { // the reader has the answer now
			c.note(effect{kind: answered, data: p.data, call: c.call, label: "answer"})
		}
	case syscall.SYS_MMAP:
		const writable, shared = syscall.PROT_WRITE, syscall.MAP_SHARED
		if p.args[2]&writable != 0 && p.args[3]&shared != 0 {
			return c.unknown(r, p.args[4], "a writable shared mapping")
		}
	case syscall.SYS_WRITEV, syscall.SYS_PWRITEV, sysPwritev2, syscall.SYS_SENDFILE:
		return c.unknown(r, p.args[0], "a vectored write")
	case sysCopyRange:
		return c.unknown(r, p.args[2], "copy_file_range")
	}
	return nil
}

// unknown returns an error for a change that the model does not cover.
func (c *recorder) unknown(r *tracer, fd uint64, what string) error {
	if _, st, mine := c.descriptor(r, fd); mine {
		return errors.New("the recorder does not know " + what + " of " + st.Name())
	}
	return nil
}

func readMemory(pid int, to []byte, at uint64) error {
	f, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.ReadAt(to, int64(at))
	return err
}

func (c *recorder) note(e effect) { c.effects = append(c.effects, e) }

// end records the effect of a successful call.
func (c *recorder) end(r *tracer, thread int, p *pendingCall, result int64) error {
	switch a := p.args; p.nr {
	case syscall.SYS_WRITE, syscall.SYS_PWRITE64:
		return c.wrote(r, p, result)
	case syscall.SYS_FTRUNCATE:
		c.resize(r, a[0], int64(a[1]))
	case syscall.SYS_FALLOCATE:
		if _, st, mine := c.descriptor(r, a[0]); mine && a[1] == 0 && int64(a[2]+a[3]) >= st.Size() {
			c.resize(r, a[0], int64(a[2]+a[3]))
		} else if mine && a[1] != 1 { // 1 keeps the size
			return errors.New("the recorder does not know this mode of fallocate")
		}
	case syscall.SYS_FSYNC, syscall.SYS_FDATASYNC, sysSyncfs:
		if id, _, mine := c.descriptor(r, a[0]); mine {
			kind := synced
			if p.nr == sysSyncfs {
				kind = syncedFS
			}
			c.note(effect{kind: kind, node: id, covers: p.covers, label: "sync " + c.nameOf(id)})
		}
	case syscall.SYS_OPENAT:
		return c.opened(r, thread, p, uint64(result))
	case syscall.SYS_MKDIRAT:
		return c.made(r.path(thread, a[0], a[1]), true)
	case syscall.SYS_UNLINKAT:
		c.set("remove", map[string]int{r.path(thread, a[0], a[1]): gone})
	case syscall.SYS_RENAMEAT:
		c.rename(r.path(thread, a[0], a[1]), r.path(thread, a[2], a[3]), false)
	case sysRenameat2:
		c.rename(r.path(thread, a[0], a[1]), r.path(thread, a[2], a[3]), a[4]&2 != 0)
	case syscall.SYS_LINKAT:
		if at, ok := c.find(r.path(thread, a[0], a[1])); ok {
			c.set("link", map[string]int{r.path(thread, a[2], a[3]): c.now[at]})
		}
	case syscall.SYS_SYMLINKAT, syscall.SYS_RENAME, syscall.SYS_UNLINK, syscall.SYS_MKDIR, syscall.SYS_TRUNCATE:
		return fmt.Errorf("the recorder does not support system call %d", p.nr)
	}
	return nil
}

// nameOf returns the path of a node below the folder, for messages.
func (c *recorder) nameOf(id int) string {
	if id == 0 {
		return "."
	}
	for at, n := range c.now {
		if n == id {
			return filepath.Join(c.nameOf(at.folder), at.name)
		}
	}
	return fmt.Sprintf("removed file %d", id)
}

func (c *recorder) wrote(r *tracer, p *pendingCall, n int64) error {
	id, st, mine := c.descriptor(r, p.args[0])
	if !mine || p.data == nil {
		return nil
	}
	at := int64(p.args[3])
	if p.nr == syscall.SYS_WRITE {
		info, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", r.pid, int32(p.args[0])))
		if err != nil {
			return err
		}
		if _, err := fmt.Sscanf(string(info), "pos: %d", &at); err != nil {
			return err
		}
		at -= n
	}
	label := fmt.Sprintf("write %s %d+%d", c.nameOf(id), at, n)
	c.note(effect{kind: written, node: id, at: at, data: p.data[:n], mtime: st.ModTime(), label: label})
	return nil
}

func (c *recorder) resize(r *tracer, fd uint64, size int64) {
	if id, st, mine := c.descriptor(r, fd); mine {
		label := fmt.Sprintf("resize %s %d", c.nameOf(id), size)
		c.note(effect{kind: resized, node: id, size: size, mtime: st.ModTime(), label: label})
	}
}

// opened records that an open created or truncated a file.
func (c *recorder) opened(r *tracer, thread int, p *pendingCall, fd uint64) error {
	const temporary = 0x400000 // O_TMPFILE without O_DIRECTORY
	if p.args[2]&(syscall.O_CREAT|syscall.O_TRUNC|temporary) == 0 {
		return nil
	}
	path := r.path(thread, p.args[0], p.args[1])
	at, below := c.find(path)
	if !below {
		return nil
	}
	if p.args[2]&temporary != 0 {
		return errors.New("the recorder does not know O_TMPFILE")
	}
	if id, ok := c.now[at]; !ok || id == gone {
		return c.made(path, false)
	}
	if p.args[2]&syscall.O_TRUNC != 0 {
		c.resize(r, fd, 0)
	}
	return nil
}

// made records a new file or folder.
func (c *recorder) made(path string, folder bool) error {
	if _, below := c.find(path); !below {
		return nil
	}
	st, err := os.Lstat(path)
	if err != nil {
		return err
	}
	c.set("make", map[string]int{path: c.add(node{folder: folder, mtime: st.ModTime()}, st)})
	return nil
}

func (c *recorder) rename(from, to string, exchange bool) {
	a, in := c.find(from)
	b, there := c.find(to)
	if !in || !there {
		return
	}
	other := gone
	if exchange {
		other = c.now[b]
	}
	c.set("rename", map[string]int{from: other, to: c.now[a]})
}

// set records an atomic change of folder entries.
func (c *recorder) set(what string, paths map[string]int) {
	e := effect{kind: entries, node: gone, sets: map[place]int{}, label: what}
	for path, id := range paths {
		at, below := c.find(path)
		if !below {
			continue
		}
		e.sets[at] = id
		e.label += " " + strings.TrimPrefix(path, c.dir+"/")
	}
	for at, id := range e.sets {
		if id == gone {
			delete(c.now, at)
		} else {
			c.now[at] = id
		}
	}
	if len(e.sets) > 0 {
		c.note(e)
	}
}
