package export

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"techo/internal/confine"
	"techo/store"
	"techo/store/ledger"
	"techo/store/memory"
)

// Selection selects memories and their format.
type Selection struct {
	User     string                 // "" writes a folder for each user
	Since    time.Time              // skip older memories that the folder does not have yet
	Time     func(time.Time) string // formats a time
	Progress func(done, total int64)
}

// Memories updates a folder of memories.
func Memories(ctx context.Context, st *store.Store, dir confine.Place, s Selection) (all Mirrored, err error) {
	root, err := openRoot(dir)
	if err != nil {
		return all, err
	}
	id, err := store.IDOf(ctx, st.Ledger)
	if err != nil {
		root.Close()
		return all, err
	}
	if s.User != "" {
		return mirrorUser(ctx, st, root, source{"memories", id, ledger.NormalUser(s.User)}, s)
	}
	defer root.Close()
	users, err := st.MemoryUsers(ctx)
	if err != nil {
		return all, err
	}
	folders := userFolders(users)
	if all.Removed, err = dropDeparted(ctx, root, id, folders); err != nil {
		return all, err
	}
	for _, user := range users {
		name := folders[user]
		sub, err := openSub(root, name)
		if err != nil {
			return all, err
		}
		done, err := mirrorUser(ctx, st, sub, source{"memories", id, user}, s)
		if err != nil {
			return all, inFolder(name, err)
		}
		all.Written += done.Written
		all.Unchanged += done.Unchanged
		all.Removed += done.Removed
	}
	return all, nil
}

// FolderUser returns the user whose memories were exported to a folder, "" if that is
// unknown.
func FolderUser(dir confine.Place) string {
	root, err := dir.OpenRoot()
	if err != nil {
		return ""
	}
	defer root.Close()
	from, _, err := (&folder{root: root}).manifest()
	if err != nil || from.kind != "memories" {
		return ""
	}
	return from.user
}

// userFolders returns the name of the folder of each user. Names that differ in case
// only are equal on some systems: then the one in lower case remains as it is, and
// the others get a digest.
func userFolders(users []string) map[string]string {
	same := map[string]int{}
	for _, user := range users {
		same[strings.ToLower(safeName(user))]++
	}
	folders := map[string]string{}
	for _, user := range users {
		name := safeName(user)
		if same[strings.ToLower(name)] > 1 && name != strings.ToLower(name) {
			name = digestName(user)
		}
		folders[user] = name
	}
	return folders
}

func openSub(root *os.Root, name string) (*os.Root, error) {
	if err := root.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return root.OpenRoot(name)
}

// inFolder adds the folder to an error about a file in it.
func inFolder(name string, err error) error {
	if foreign := new(ForeignError); errors.As(err, &foreign) {
		return &ForeignError{filepath.Join(name, foreign.Name), foreign.Changed}
	}
	return err
}

// dropDeparted empties the folders of users of this store that have another folder
// or no memories now, and returns the number of removed files.
func dropDeparted(ctx context.Context, root *os.Root, id string, folders map[string]string) (removed int, err error) {
	old, err := fs.Glob(root.FS(), "*/"+manifestName)
	if err != nil {
		return 0, err
	}
	for _, manifest := range old {
		name := filepath.Dir(manifest)
		n, err := dropFolder(ctx, root, name, id, folders)
		if err != nil {
			return removed, inFolder(name, err)
		}
		removed += n
	}
	return removed, nil
}

// dropFolder empties one folder if its user departed.
func dropFolder(ctx context.Context, root *os.Root, name, id string, folders map[string]string) (int, error) {
	if st, err := root.Lstat(name); err != nil || !st.IsDir() {
		return 0, err
	}
	sub, err := root.OpenRoot(name)
	if err != nil {
		return 0, err
	}
	m, err := openMirror(ctx, sub, source{})
	if err != nil {
		return 0, err
	}
	defer m.close()
	from := m.source
	if from.kind != "memories" || from.store != id || sameFolder(root, folders[from.user], name) {
		return 0, nil
	}
	m.source = source{}
	err = m.finish(ctx, memoryTitle)
	return m.done.Removed, err
}

// sameFolder reports whether two names mean the same existing folder.
func sameFolder(root *os.Root, a, b string) bool {
	if a == "" {
		return false
	}
	one, err := root.Lstat(a)
	if err != nil {
		return false
	}
	other, err := root.Lstat(b)
	return err == nil && os.SameFile(one, other)
}

// mirrorUser updates the folder of one user.
func mirrorUser(ctx context.Context, st *store.Store, root *os.Root, from source, s Selection) (Mirrored, error) {
	user := from.user
	m, err := openMirror(ctx, root, from)
	if err != nil {
		return Mirrored{}, err
	}
	defer m.close()
	total, err := st.CountMemories(ctx, user)
	if err != nil {
		return Mirrored{}, err
	}
	err = eachBatch(ctx, func(ctx context.Context, use func(Document) error) error {
		return st.EachMemory(ctx, user, time.Time{}, func(mem memory.Memory) error {
			d, err := memoryDocument(mem, s.Time)
			if err != nil {
				return err
			}
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
