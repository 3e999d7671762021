// Package walk visits the files of a directory tree in parallel, smallest path
// first. Pending folders are kept in one stack, ordered by path, and each worker
// takes the smallest. The first results in path order therefore arrive early, and
// a walk that is stopped after the last wanted path gives the same result on every
// run.
//
// Paths are ordered element by element: exec/a comes before exec.go. Links are
// never followed, and every step opens one name relative to the open parent
// folder, so a walk cannot leave its tree even if the tree changes meanwhile.
package walk

import (
	"bytes"
	"context"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Kind is the type of a directory entry.
type Kind uint8

// The kinds.
const (
	Other  Kind = iota // a device, socket or FIFO
	File               // a regular file
	Dir                // a folder
	Link               // a symbolic link
	unseen             // not recorded in the folder; needs a stat
)

// Entry is a directory entry.
type Entry struct {
	at   uint32 // offset of the name in Folder.names
	size uint16
	Kind Kind
}

// Folder is a folder whose entries were read.
type Folder struct {
	Path    string  // relative to the start, with slashes; "" for the start
	Entries []Entry // sorted by name; Enter may remove some
	Data    any     // for use by Enter; initially the parent's

	handle
	names []byte // NUL-terminated
	next  int    // index of the first pending entry
	users atomic.Int32
}

// Name returns the name of an entry. Callers must not modify it.
func (f *Folder) Name(e Entry) []byte { return f.names[e.at : int(e.at)+int(e.size)] }

// Join returns the path of an entry relative to the start.
func (f *Folder) Join(e Entry) string {
	if f.Path == "" {
		return string(f.Name(e))
	}
	return f.Path + "/" + string(f.Name(e))
}

// release drops a reference to the folder. The last one closes it.
func (f *Folder) release() {
	if f.users.Add(-1) == 0 {
		f.close()
	}
}

// Compare compares paths element by element.
func Compare(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			switch {
			case a[i] == '/':
				return -1
			case b[i] == '/':
				return 1
			}
			return int(a[i]) - int(b[i])
		}
	}
	return len(a) - len(b)
}

// Options configure a walk.
type Options struct {
	Workers int // upper bound; small walks start fewer

	// Enter is called for each folder before its entries are visited. It may remove
	// entries; the remaining folders are entered in turn. Calls for different folders
	// run concurrently.
	Enter func(f *Folder)

	// Visit is called for each remaining file. Calls with the same worker number, from
	// 0, never overlap.
	Visit func(worker int, f *Folder, e Entry)

	// Failed is called for each folder that could not be read.
	Failed func(path string, err error)

	// OnSlow, if not nil, is called once if the walk takes longer than a moment.
	OnSlow func()
}

// Walk is the state of one walk.
type Walk struct {
	o     Options
	limit atomic.Pointer[string]

	mu      sync.Mutex
	changed sync.Cond
	stack   []*Folder // the last folder has the smallest pending path
	listing int       // workers that are reading a folder
	stopped bool

	workers sync.WaitGroup // without the caller, which is the first worker
	started int            // number of workers, including the caller
	taken   int
	begun   time.Time
	slow    bool

	panicked any
}

// New returns a walk that Run starts.
func New(o Options) *Walk {
	w := &Walk{o: o}
	w.changed.L = &w.mu
	return w
}

// Limit stops the walk after a path; smaller paths are still visited. It may be
// called at any time. With several calls the smallest path applies.
func (w *Walk) Limit(path string) {
	for {
		old := w.limit.Load()
		if old != nil && Compare(*old, path) <= 0 || w.limit.CompareAndSwap(old, &path) {
			return
		}
	}
}

// Run walks a folder and returns when the walk is complete or the context ends. If
// the start cannot be read, it calls Failed with the path "".
func (w *Walk) Run(ctx context.Context, root *os.Root) {
	stop := context.AfterFunc(ctx, func() {
		w.mu.Lock()
		w.stopped = true
		w.mu.Unlock()
		w.changed.Broadcast()
	})
	defer stop()
	start := &Folder{}
	if err := start.openRoot(root); err != nil {
		w.o.Failed("", err)
		return
	}
	start.users.Store(1)
	w.started, w.begun = 1, time.Now()
	buffers := &lister{}
	if err := w.read(start, buffers); err != nil {
		w.o.Failed("", err)
	}
	w.push(start)
	w.work(0, buffers)
	w.workers.Wait()
	for _, f := range w.stack {
		f.release()
	}
	if w.panicked != nil {
		panic(w.panicked)
	}
}

// recoverPanic ends the walk after a worker panicked. Run repeats the panic in the
// caller's goroutine, where it can be recovered.
func (w *Walk) recoverPanic() {
	if r := recover(); r != nil {
		w.mu.Lock()
		w.panicked, w.stopped = r, true
		w.mu.Unlock()
		w.changed.Broadcast()
	}
}

// batch is the number of files that a worker takes at once.
const batch = 4

// Starting a thread costs as much as visiting a few files. So workers start only
// when they pay off: one per processor after the first files, and all of them if
// the walk is slow, because some then wait for the disk.
const (
	fewFiles  = 8
	slowAfter = 2 * time.Millisecond
)

// startMore starts further workers if they pay off. The caller holds mu.
func (w *Walk) startMore() {
	w.taken++
	want := w.started
	switch {
	case w.slow:
		return
	case time.Since(w.begun) > slowAfter:
		w.slow, want = true, w.o.Workers
		if w.o.OnSlow != nil {
			w.o.OnSlow()
		}
	case w.taken > fewFiles:
		want = max(want, min(w.o.Workers, runtime.GOMAXPROCS(0)))
	}
	for ; w.started < want; w.started++ {
		worker := w.started
		w.workers.Go(func() { w.work(worker, &lister{}) })
	}
}

// work processes pending entries until none are left.
func (w *Walk) work(worker int, l *lister) {
	defer w.recoverPanic()
	for {
		f, todo := w.take()
		switch {
		case f == nil:
			return
		case todo[0].Kind == Dir:
			w.list(f, todo[0], l)
		default:
			for _, e := range todo {
				w.o.Visit(worker, f, e)
			}
		}
		f.release()
	}
}

// take returns the smallest pending item: a folder, or a few adjacent files. It
// blocks while other workers may still add items.
func (w *Walk) take() (*Folder, []Entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for !w.stopped {
		if len(w.stack) > 0 && w.behindLimit() {
			for _, f := range w.stack {
				f.release()
			}
			w.stack = w.stack[:0]
		}
		if len(w.stack) == 0 {
			if w.listing == 0 {
				break
			}
			w.changed.Wait()
			continue
		}
		f := w.stack[len(w.stack)-1]
		n := 1
		if f.Entries[f.next].Kind == Dir {
			w.listing++
		} else {
			for n < batch && f.next+n < len(f.Entries) && f.Entries[f.next+n].Kind != Dir {
				n++
			}
		}
		w.startMore()
		todo := f.Entries[f.next : f.next+n]
		f.next += n
		f.users.Add(1)
		if f.next == len(f.Entries) {
			w.stack = w.stack[:len(w.stack)-1]
			f.release()
		}
		return f, todo
	}
	w.changed.Broadcast()
	return nil, nil
}

// behindLimit reports whether all pending paths are beyond the limit.
func (w *Walk) behindLimit() bool {
	limit := w.limit.Load()
	if limit == nil {
		return false
	}
	f := w.stack[len(w.stack)-1]
	return Compare(f.Join(f.Entries[f.next]), *limit) > 0
}

// list reads a subfolder and adds it to the stack.
func (w *Walk) list(f *Folder, e Entry, l *lister) {
	sub := &Folder{Path: f.Join(e), Data: f.Data}
	err := sub.open(f, e)
	if err == nil {
		sub.users.Store(1)
		err = w.read(sub, l)
	}
	if err != nil {
		w.o.Failed(sub.Path, err)
	}
	w.mu.Lock()
	w.listing--
	pushed := len(sub.Entries) > 0
	if pushed {
		w.insert(sub)
	}
	if pushed || w.listing == 0 {
		w.changed.Broadcast()
	}
	w.mu.Unlock()
	if !pushed && sub.users.Load() > 0 {
		sub.release()
	}
}

// read reads the entries of a folder and calls Enter. After an error the folder
// contains the entries that could be read.
func (w *Walk) read(f *Folder, l *lister) error {
	err := l.list(f)
	slices.SortFunc(f.Entries, func(a, b Entry) int { return bytes.Compare(f.Name(a), f.Name(b)) })
	w.o.Enter(f)
	return err
}

func (w *Walk) push(f *Folder) {
	if len(f.Entries) == 0 {
		f.release()
		return
	}
	w.insert(f)
}

// insert adds a folder to the stack at the place of its path. A parent folder is
// below its subfolders in the stack.
func (w *Walk) insert(f *Folder) {
	at := len(w.stack)
	for at > 0 && before(w.stack[at-1], f) {
		at--
	}
	w.stack = slices.Insert(w.stack, at, f)
}

// before reports whether all pending paths of a are smaller than those in b.
func before(a, b *Folder) bool {
	if inside := a.Path == "" || strings.HasPrefix(b.Path, a.Path) && len(b.Path) > len(a.Path) &&
		b.Path[len(a.Path)] == '/'; inside {
		return false
	}
	return Compare(a.Path, b.Path) < 0
}
