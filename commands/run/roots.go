package run

import (
	"os"
	"sync"
)

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
