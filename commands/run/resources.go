package run

import (
	"context"
	"os"
	"sync"
	"time"

	"techo/store"
	"techo/tools"
)

// Resources are the open store and the open roots of a run. Each is opened on
// first use and stays open until close. A store that is open for reading is
// opened a second time for writing. The requests to a server share the
// resources.
type Resources struct {
	mu             sync.Mutex
	reader, writer *store.Store
	personal       *store.Store // the person's own, beside a workspace
	Folders        folders
	turns          tools.Turns
}

func (r *Resources) open(write bool, opening func() (*store.Store, error)) (*store.Store, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.writer != nil:
		return r.writer, nil
	case r.reader != nil && !write:
		return r.reader, nil
	}
	st, err := opening()
	if err != nil {
		return nil, err
	}
	if write {
		r.writer = st
	} else {
		r.reader = st
	}
	return st, nil
}

// Writer returns the store if it is open for writing, else nil.
func (r *Resources) Writer() *store.Store {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.writer
}

// close closes everything that is open. It ignores errors: reported results are
// durable already.
func (r *Resources) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, st := range []*store.Store{r.reader, r.writer, r.personal} {
		if st != nil {
			_ = st.Close()
		}
	}
	r.Folders.close()
	r.reader, r.writer, r.personal = nil, nil, nil
}

// folders are the open folders that confine the file tools. Each is opened once,
// so that a folder that is replaced later is not followed. They stay open until
// close: a call may still use a folder that no longer confines the next call.
type folders struct {
	mu     sync.Mutex
	opened map[string]*os.Root
}

// Open opens absolute paths without links, and returns their roots in order.
func (f *folders) Open(paths []string) ([]*os.Root, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var roots []*os.Root
	for _, path := range paths {
		root := f.opened[path]
		if root == nil {
			var err error
			if root, err = os.OpenRoot(path); err != nil {
				return nil, err
			}
			if f.opened == nil {
				f.opened = map[string]*os.Root{}
			}
			f.opened[path] = root
		}
		roots = append(roots, root)
	}
	return roots, nil
}

func (f *folders) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, root := range f.opened {
		_ = root.Close() // no files written through it are open
	}
	f.opened = nil
}

// Watch notices changes of the store of a run by any process.
type Watch struct {
	run *Run

	mu    sync.Mutex
	asked time.Time
	mark  any // of a database; nil before the first answer
}

// askEvery is the time between two questions to a database, of all who watch.
const askEvery = 2 * time.Second

// NewWatch returns a watch of the store of a run.
func NewWatch(s *Run) *Watch { return &Watch{run: s} }

// Mark returns a value that differs from earlier ones after the store at a path has changed.
// It may be called several times a second.
func (w *Watch) Mark(ctx context.Context, path string) any {
	if !store.InDatabase(path) {
		return store.Mark(path)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Since(w.asked) < askEvery {
		return w.mark
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), askEvery)
	defer stop()
	st, err := w.run.Open(ctx, false)
	mark := ""
	if err == nil {
		mark, err = store.DatabaseMark(ctx, st)
	}
	if err == nil { // a database that does not answer now may have changed when it does
		w.mark = mark
	}
	w.asked = time.Now()
	return w.mark
}
