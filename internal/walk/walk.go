// Package walk goes through a tree of folders with many workers, smallest path
// first: what is yet to be done lies in one stack in the order of the paths, and
// each worker takes the smallest of it. So the first results in path order come
// early, and a walk may be stopped behind the last that is wanted, with the same
// outcome on every run.
//
// Paths are ordered element by element: exec/a before exec.go. Links are never
// followed, and every step goes through the folder that was opened before, by
// one name: a walk cannot leave its tree, whatever is put into it meanwhile.
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

// Kind is what stands in a folder.
type Kind uint8

// The kinds.
const (
	Other  Kind = iota // a device, a socket, a pipe
	File               // a regular file
	Dir                // a folder
	Link               // a symbolic link
	unseen             // the folder does not say
)

// Entry is one name in a folder.
type Entry struct {
	at   uint32 // of the name, in Folder.names
	size uint16
	Kind Kind
	Mark uint8 // for Enter: a folder hands its own on to what is in it
}

// Folder is a folder that was read.
type Folder struct {
	Path    string  // below the start, with slashes; "" is the start
	Entries []Entry // by name; Enter may drop some
	Data    any     // for Enter: at first that of the folder above
	Mark    uint8

	handle
	names []byte // each with a NUL behind it
	next  int    // the first entry that nobody took
	users atomic.Int32
}

// Name returns the name of an entry. It must not be changed.
func (f *Folder) Name(e Entry) []byte { return f.names[e.at : int(e.at)+int(e.size)] }

// Join returns the path of an entry below the start.
func (f *Folder) Join(e Entry) string {
	if f.Path == "" {
		return string(f.Name(e))
	}
	return f.Path + "/" + string(f.Name(e))
}

// release gives a use of the folder back. The last one closes it.
func (f *Folder) release() {
	if f.users.Add(-1) == 0 {
		f.close()
	}
}

// Compare orders paths element by element.
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

// Options are what a walk does.
type Options struct {
	Workers int // at most: a small walk starts fewer

	// Enter is given each folder before anything in it is visited. It may
	// drop entries; folders among those that stay are entered in their turn.
	// Many folders are entered at once.
	Enter func(f *Folder)

	// Visit is given each file that stayed. The worker, from 0, is at one
	// visit at a time.
	Visit func(worker int, f *Folder, e Entry)

	// Failed is told of each folder that could not be read.
	Failed func(path string, err error)

	// Lasting, unless it is nil, is called when the walk goes on for longer
	// than a moment, which most do not.
	Lasting func()
}

// Walk is one walk.
type Walk struct {
	o     Options
	limit atomic.Pointer[string]

	mu      sync.Mutex
	changed sync.Cond
	stack   []*Folder // the smallest pending path is in the last
	listing int       // workers that may yet bring a folder
	stopped bool

	workers sync.WaitGroup // without the first, who is the caller
	started int            // workers, the first included
	taken   int
	begun   time.Time
	lasts   bool

	panicked any
}

// New prepares a walk.
func New(o Options) *Walk {
	w := &Walk{o: o}
	w.changed.L = &w.mu
	return w
}

// Limit stops the walk behind a path. What is before it is still done. It may
// be called at any time, and the smallest path counts.
func (w *Walk) Limit(path string) {
	for {
		old := w.limit.Load()
		if old != nil && Compare(*old, path) <= 0 || w.limit.CompareAndSwap(old, &path) {
			return
		}
	}
}

// Run walks through a folder. It returns when all is done, or the context is.
// That the start cannot be read is told to Failed with the path "".
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

// caught ends the walk when a worker panicked. Run panics in its place, where
// the caller can recover.
func (w *Walk) caught() {
	if r := recover(); r != nil {
		w.mu.Lock()
		w.panicked, w.stopped = r, true
		w.mu.Unlock()
		w.changed.Broadcast()
	}
}

// batch is how many files a worker takes at a time.
const batch = 4

// A thread costs as much as a few files, so workers start when there is enough
// for them to do: as many as there are processors when the first has taken a
// little, all when the walk lasts, since some then wait for a disk.
const (
	littleTaken = 8
	lasting     = 2 * time.Millisecond
)

// startMore starts further workers when they are worth it. mu is held.
func (w *Walk) startMore() {
	w.taken++
	want := w.started
	switch {
	case w.lasts:
		return
	case time.Since(w.begun) > lasting:
		w.lasts, want = true, w.o.Workers
		if w.o.Lasting != nil {
			w.o.Lasting()
		}
	case w.taken > littleTaken:
		want = max(want, min(w.o.Workers, runtime.GOMAXPROCS(0)))
	}
	for ; w.started < want; w.started++ {
		worker := w.started
		w.workers.Go(func() { w.work(worker, &lister{}) })
	}
}

// work does what is pending, until there is nothing left.
func (w *Walk) work(worker int, l *lister) {
	defer w.caught()
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

// take takes the smallest that is pending: a folder, or some files that stand
// next to each other. It waits while others may bring more.
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

// behindLimit reports whether nothing that is pending is wanted.
func (w *Walk) behindLimit() bool {
	limit := w.limit.Load()
	if limit == nil {
		return false
	}
	f := w.stack[len(w.stack)-1]
	return Compare(f.Join(f.Entries[f.next]), *limit) > 0
}

// list reads a folder in another and adds it to what is pending.
func (w *Walk) list(f *Folder, e Entry, l *lister) {
	sub := &Folder{Path: f.Join(e), Data: f.Data, Mark: e.Mark}
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

// read reads what is in a folder and has it entered. After an error the folder
// holds what could be read.
func (w *Walk) read(f *Folder, l *lister) error {
	err := l.list(f)
	slices.SortFunc(f.Entries, func(a, b Entry) int { return bytes.Compare(f.Name(a), f.Name(b)) })
	for i := range f.Entries {
		f.Entries[i].Mark = f.Mark
	}
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

// insert puts a folder where its path belongs: below those with smaller ones.
// Folders that are above it in the tree are below it in the stack.
func (w *Walk) insert(f *Folder) {
	at := len(w.stack)
	for at > 0 && before(w.stack[at-1], f) {
		at--
	}
	w.stack = slices.Insert(w.stack, at, f)
}

// before reports whether all that is pending in a comes before what is in b.
func before(a, b *Folder) bool {
	if inside := a.Path == "" || strings.HasPrefix(b.Path, a.Path) && len(b.Path) > len(a.Path) && b.Path[len(a.Path)] == '/'; inside {
		return false
	}
	return Compare(a.Path, b.Path) < 0
}
