// Package memfile has the files that a model keeps with the memory tool: texts with paths below
// /memories, of each user apart, with search. A folder exists while something is in it, or until it
// is deleted if it was made on the way to a file.
package memfile

import (
	"context"
	"errors"
	"time"

	"techo/store/kv"
	"techo/store/ledger"
)

// Limits of the files of one user.
const (
	MaxFile  = 1 << 20  // bytes of a text
	MaxAll   = 16 << 20 // bytes of all texts
	MaxFiles = 1000     // files and folders
	MaxPath  = 512      // bytes of a path

	maxName = 255 // bytes of a name in a path
)

// File is a file, or a folder that was made.
type File struct {
	User      string
	Path      string // as Clean returns it
	Text      string
	Folder    bool
	CreatedAt time.Time
	UpdatedAt time.Time

	num uint32 // in the search index
}

// Files are the memory files of a store.
type Files struct{ *ledger.Ledger }

// Of returns the memory files of a store.
func Of(l *ledger.Ledger) Files { return Files{l} }

// InsideError reports that a folder would move into itself.
type InsideError struct{ Path string }

func (e *InsideError) Error() string { return "memory file " + e.Path + ": is inside of itself" }

// RootError reports a change of the root.
type RootError struct{}

func (e *RootError) Error() string { return "memory file " + Root + ": is the root" }

func missing(path string) error {
	return &ledger.NotFoundError{Kind: ledger.KindMemoryFile, Name: path}
}

func taken(path string) error { return &ledger.TakenError{Kind: ledger.KindMemoryFile, Name: path} }

// File returns a file. It fails with a NotFoundError, also for a folder.
func (s Files) File(ctx context.Context, user, path string) (f File, err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		f, err = file(tx, ledger.NormalUser(user), path)
		return err
	})
	return f, err
}

func file(tx *ledger.Tx, user, path string) (File, error) {
	f, err := table.Load(tx, Key(user, path))
	if errors.Is(err, kv.ErrNotFound) || err == nil && f.Folder {
		err = missing(path)
	}
	return f, err
}

// Tree returns the files and folders of a user.
func (s Files) Tree(ctx context.Context, user string) (t Tree, err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		t, err = readTree(tx, ledger.NormalUser(user))
		return err
	})
	return t, err
}

// All returns the files of a user with their texts, and their folders, in the order of
// their paths.
func (s Files) All(ctx context.Context, user string) (all []File, err error) {
	user = ledger.NormalUser(user)
	err = s.View(ctx, func(tx *ledger.Tx) error {
		tree, err := readTree(tx, user)
		if err == nil {
			all, err = table.LoadMany(tx, tree.keys(user, Root))
		}
		return err
	})
	return all, err
}

// Create creates a file and the folders above it. It fails with a TakenError for a path in
// use, also if a file is where a folder would be, and with a LimitError.
func (s Files) Create(ctx context.Context, user, path, text string) error {
	return s.change(ctx, user, func(c *changing) error {
		if c.tree.Has(path) {
			return taken(path)
		}
		return c.add(File{User: c.user, Path: path, Text: text, CreatedAt: c.now, UpdatedAt: c.now})
	})
}

// Import creates files, each with the folders above it, and returns whether it did: a file that
// exists with the same text stays. The error of a file is a DiffersError, a TakenError for a
// file above it, a LimitError or a PathError.
func (s Files) Import(ctx context.Context, user string, files []File) (results []Imported, err error) {
	err = s.change(ctx, user, func(c *changing) error {
		results = make([]Imported, len(files))
		for i, f := range files {
			if results[i], err = c.imported(f); err != nil {
				return err
			}
		}
		return nil
	})
	return results, err
}

// DiffersError reports an import of a file that exists with another text, or as a folder.
type DiffersError struct{ Path string }

func (e *DiffersError) Error() string { return "memory file " + e.Path + ": differs" }

// Imported is the result of importing a file.
type Imported struct {
	Created bool
	Err     error
}

func (c *changing) imported(f File) (done Imported, err error) {
	path, err := Clean(f.Path)
	switch {
	case err != nil:
		return Imported{Err: err}, nil
	case path == Root:
		return Imported{Err: &RootError{}}, nil
	}
	if c.tree.Has(path) {
		if old, err := table.Load(c.tx, Key(c.user, path)); err == nil && !old.Folder && old.Text == f.Text {
			return Imported{}, nil
		}
		return Imported{Err: &DiffersError{path}}, nil
	}
	err = c.add(File{User: c.user, Path: path, Text: f.Text, CreatedAt: c.now, UpdatedAt: c.now})
	if errors.As(err, new(*ledger.TakenError)) || errors.As(err, new(*ledger.LimitError)) {
		return Imported{Err: err}, nil
	}
	return Imported{Created: err == nil}, err
}

// Edit replaces the text of a file by the one that edit returns for it. It fails with a
// NotFoundError, a LimitError or the error of edit.
func (s Files) Edit(ctx context.Context, user, path string, edit func(text string) (string, error)) error {
	return s.change(ctx, user, func(c *changing) error {
		old, err := file(c.tx, c.user, path)
		if err != nil {
			return err
		}
		f := old
		if f.Text, err = edit(old.Text); err != nil || f.Text == old.Text {
			return err
		}
		f.UpdatedAt = c.now
		if err := c.tree.fits(len(f.Text), len(old.Text), 0); err != nil {
			return err
		}
		return c.Put(&old, &f)
	})
}

// Delete deletes a file, or a folder with all that is in it.
func (s Files) Delete(ctx context.Context, user, path string) error {
	return s.change(ctx, user, func(c *changing) error {
		all, err := c.at(path)
		if err != nil {
			return err
		}
		for i := range all {
			if err := c.Put(&all[i], nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// Rename moves a file, or a folder with all that is in it, and makes the folders above its
// new place. It fails with a NotFoundError, a TakenError for the new path, or an InsideError.
func (s Files) Rename(ctx context.Context, user, from, to string) error {
	return s.change(ctx, user, func(c *changing) error {
		all, err := c.at(from)
		switch {
		case err != nil:
			return err
		case c.tree.Has(to):
			return taken(to)
		case Below(to, from):
			return &InsideError{to}
		}
		for i := range all {
			if err := c.Put(&all[i], nil); err != nil {
				return err
			}
		}
		c.tree = c.tree.without(from)
		for _, f := range all {
			if f.Path = to + f.Path[len(from):]; len(f.Path) > MaxPath {
				return &PathError{f.Path, Long}
			}
			if err := c.add(f); err != nil {
				return err
			}
		}
		return nil
	})
}

// changing is a change of the files of a user.
type changing struct {
	*ledger.Batch[File, struct{}]
	tx   *ledger.Tx
	user string
	tree Tree
	now  time.Time
}

func (s Files) change(ctx context.Context, user string, fn func(*changing) error) error {
	user = ledger.NormalUser(user)
	if !ledger.UserName(user) {
		return &ledger.UserNameError{MaxBytes: ledger.MaxUserName}
	}
	return s.Update(ctx, func(tx *ledger.Tx) error {
		tx.SetOwner(user)
		tree, err := readTree(tx, user)
		if err != nil {
			return err
		}
		return table.Change(tx, func(b *ledger.Batch[File, struct{}]) error {
			return fn(&changing{b, tx, user, tree, s.Time()})
		})
	})
}

// add adds a file or a folder, and the folders above it that there are not.
func (c *changing) add(f File) error {
	var made []string
	above := Parent(f.Path)
	for ; !c.tree.Has(above); above = Parent(above) {
		made = append(made, above)
	}
	if !c.tree.IsFolder(above) {
		return taken(above)
	}
	if err := c.tree.fits(len(f.Text), 0, 1+len(made)); err != nil {
		return err
	}
	for _, path := range made {
		folder := File{User: c.user, Path: path, Folder: true, CreatedAt: c.now, UpdatedAt: c.now}
		if err := c.put(folder); err != nil {
			return err
		}
	}
	return c.put(f)
}

func (c *changing) put(f File) error {
	c.tree = c.tree.with(Entry{f.Path, len(f.Text), f.Folder})
	return c.Put(nil, &f)
}

// at returns a file, or a folder that was made and all that is in a folder.
func (c *changing) at(path string) (all []File, err error) {
	switch {
	case path == Root:
		return nil, &RootError{}
	case !c.tree.Has(path):
		return nil, missing(path)
	}
	return table.LoadMany(c.tx, c.tree.keys(c.user, path))
}
