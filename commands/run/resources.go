package run

import (
	"sync"

	"techo/store"
	"techo/tools/memory"
)

// Resources are the open store and the open roots of a run. Each is opened on
// first use and stays open until close. A store that is open for reading is
// opened a second time for writing. The requests to a server share the
// resources.
type Resources struct {
	mu             sync.Mutex
	reader, writer *store.Store
	Folders        folders
	turns          memory.Turns
}

// open returns the open store, or the one that opening returns.
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

// close closes everything that is open. It ignores errors: reported results are
// durable already.
func (r *Resources) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, st := range []*store.Store{r.reader, r.writer} {
		if st != nil {
			_ = st.Close()
		}
	}
	r.Folders.close()
	r.reader, r.writer = nil, nil
}
