package export

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"techo/store"
)

// Selection selects memories and their format.
type Selection struct {
	User     string                 // "" writes a folder for each user
	Since    time.Time              // skip older memories that the folder does not have yet
	Time     func(time.Time) string // formats a time
	Progress func(done, total int64)
}

// Memories updates a folder of memories.
func Memories(ctx context.Context, st *store.Store, dir string, s Selection) (all Mirrored, err error) {
	root, err := openRoot(dir)
	if err != nil {
		return all, err
	}
	if s.User != "" {
		return mirrorUser(ctx, st, root, s.User, s)
	}
	defer root.Close()
	users, err := st.MemoryUsers(ctx)
	if err != nil {
		return all, err
	}
	folders, names := map[string]string{}, distinct{}
	for _, user := range users {
		folders[names.of(user)] = user
	}
	// The folder of a user without memories is emptied.
	old, err := fs.Glob(root.FS(), "*/"+manifestName)
	if err != nil {
		return all, err
	}
	for _, name := range old {
		if name = filepath.Dir(name); folders[name] == "" {
			folders[name] = ""
		}
	}
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		if err := root.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return all, err
		}
		sub, err := root.OpenRoot(name)
		if err != nil {
			return all, err
		}
		done, err := mirrorUser(ctx, st, sub, folders[name], s)
		if foreign := new(ForeignError); errors.As(err, &foreign) {
			return all, &ForeignError{filepath.Join(name, foreign.Name), foreign.Changed}
		}
		if err != nil {
			return all, err
		}
		all.Written += done.Written
		all.Unchanged += done.Unchanged
		all.Removed += done.Removed
	}
	return all, nil
}

// mirrorUser updates the folder of one user. User "" has no memories.
func mirrorUser(ctx context.Context, st *store.Store, root *os.Root, user string, s Selection) (Mirrored, error) {
	m, err := openMirror(ctx, root)
	if err != nil {
		return Mirrored{}, err
	}
	defer m.close()
	total, err := st.CountMemories(ctx, user)
	if err != nil {
		return Mirrored{}, err
	}
	err = eachBatch(ctx, func(ctx context.Context, use func(Document) error) error {
		return st.EachMemory(ctx, user, time.Time{}, func(mem store.Memory) error {
			d := Document{mem.ID, mem.Caption, s.Time(mem.CreatedAt), mem.FullText}
			if mem.CreatedAt.Before(s.Since) && !m.has(d) {
				return nil
			}
			return use(d)
		})
	}, func(docs []Document) error {
		for _, d := range docs {
			if err := m.add(d); err != nil {
				return err
			}
		}
		s.Progress(int64(len(m.lines)), int64(total))
		return nil
	})
	if err == nil {
		err = m.finish(ctx, memoryTitle)
	}
	return m.done, err
}

// eachBatch processes documents in batches while it reads the next ones.
func eachBatch(ctx context.Context, read func(context.Context, func(Document) error) error,
	use func([]Document) error) error {
	const together, ahead = 256, 4
	ctx, stop := context.WithCancel(ctx)
	batches, done := make(chan []Document, ahead), make(chan error, 1)
	go func() {
		defer close(batches)
		var batch []Document
		send := func() error {
			select {
			case batches <- batch:
				batch = nil
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		err := read(ctx, func(d Document) error {
			if batch = append(batch, d); len(batch) < together {
				return nil
			}
			return send()
		})
		if err == nil && len(batch) > 0 {
			err = send()
		}
		done <- err
	}()
	var err error
	for batch := range batches {
		if err == nil {
			if err = use(batch); err != nil {
				stop()
			}
		}
	}
	stop()
	return cmp.Or(err, <-done)
}
