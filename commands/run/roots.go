package run

import (
	"os"
	"sync"
)

// folders opens the folders that confine the tools for files, each once: a
// folder that is later replaced by another one is not followed. They stay open
// until close, because a call may use one that no longer confines the next call.
type folders struct {
	mu     sync.Mutex
	opened map[string]*os.Root
}

// Open returns the roots of absolute paths without links, in their order.
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
		_ = root.Close() // nothing was written through it that is not closed
	}
	f.opened = nil
}
