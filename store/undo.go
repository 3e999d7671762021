package store

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"techo/store/kv"
)

// Limits of what is kept to take changes of files back. The oldest go first.
const (
	MaxFileEdits     = 500      // changes
	MaxFileEditBytes = 8 << 20  // of the ways back of one change
	maxAllEditBytes  = 32 << 20 // of all ways back
)

// Holds reports whether an entry of this name in the folder of a store must not
// be changed by anybody else, as a file.
func Holds(name string) bool { return kv.Holds(name) }

// FileEdit is a change of files, with what is needed to take it back.
type FileEdit struct {
	ID    uint64 // grows with each change
	Time  time.Time
	Dir   string // the working folder of who made it
	Tool  string
	Lost  bool // the ways back were too large to be kept
	Files []EditedFile
}

// EditedFile is one file of a FileEdit.
type EditedFile struct {
	Path   string `json:"path"`             // absolute
	Before string `json:"before,omitempty"` // hash of what it held, "" when it was not there
	After  string `json:"after,omitempty"`  // hash of what it holds since, "" when it was removed

	// Way makes what it held of what it holds. It belongs to the caller.
	Way []byte `json:"-"`

	Size int `json:"size"` // of Way, filled in by the store
}

// FileEditCounts are the numbers of the changes of files that are kept.
type FileEditCounts struct {
	Next  uint64 `json:"next"`
	Edits int    `json:"edits"`
	Bytes int64  `json:"bytes"` // of the ways back
}

type fileEditRecord struct {
	Time  int64        `json:"time"` // milliseconds since 1970
	Dir   string       `json:"dir"`
	Tool  string       `json:"tool"`
	Lost  bool         `json:"lost,omitempty"`
	Files []EditedFile `json:"files"`
}

var (
	editSpace     = []byte("ue")
	waySpace      = []byte("uw")
	editCountsKey = []byte("uc")
)

func editKey(id uint64) []byte { return binary.BigEndian.AppendUint64(slices.Clip(editSpace), id) }

func wayKey(id uint64, file int) []byte {
	key := binary.BigEndian.AppendUint64(slices.Clip(waySpace), id)
	return binary.BigEndian.AppendUint32(key, uint32(file))
}

// AddFileEdit keeps a change, so that it can be taken back, and returns it with
// its id and time. When the ways back are too large it fails with a LimitError.
func (s *Store) AddFileEdit(ctx context.Context, e FileEdit) (FileEdit, error) {
	e.Time = s.time()
	size := 0
	for i := range e.Files {
		e.Files[i].Size = len(e.Files[i].Way)
		size += e.Files[i].Size
	}
	if size > MaxFileEditBytes {
		return e, &LimitError{What: "bytes of a way back", Most: MaxFileEditBytes, Got: size}
	}
	err := s.update(ctx, func(tx kv.Tx) error {
		c, err := loadEditCounts(tx)
		if err != nil {
			return err
		}
		e.ID = c.Next
		c.Next++
		c.Edits++
		c.Bytes += int64(size)
		if err := dropOldEdits(tx, &c); err != nil {
			return err
		}
		for i, f := range e.Files {
			if err := tx.Put(wayKey(e.ID, i), f.Way); err != nil {
				return err
			}
		}
		if err := save(tx, editKey(e.ID), fileEditRecord{e.Time.UnixMilli(), e.Dir, e.Tool, e.Lost, e.Files}); err != nil {
			return err
		}
		return save(tx, editCountsKey, c)
	})
	return e, err
}

// dropOldEdits makes room for a change that is counted already.
func dropOldEdits(tx kv.Tx, c *FileEditCounts) error {
	var old []FileEdit
	edits, bytes := c.Edits, c.Bytes
	for item, err := range tx.Scan(kv.Range{Prefix: editSpace}) {
		if err != nil {
			return err
		}
		if edits <= MaxFileEdits && bytes <= maxAllEditBytes {
			break
		}
		e, err := loadFileEdit(tx, editID(item.Key))
		if err != nil {
			return err
		}
		edits--
		bytes -= e.size()
		old = append(old, e)
	}
	for _, e := range old {
		if err := dropEdit(tx, c, e); err != nil {
			return err
		}
	}
	return nil
}

// RemoveFileEdit forgets a change. One that is not there is no error.
func (s *Store) RemoveFileEdit(ctx context.Context, id uint64) error {
	return s.update(ctx, func(tx kv.Tx) error {
		e, err := loadFileEdit(tx, id)
		if errors.Is(err, kv.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		c, err := loadEditCounts(tx)
		if err != nil {
			return err
		}
		if err := dropEdit(tx, &c, e); err != nil {
			return err
		}
		return save(tx, editCountsKey, c)
	})
}

func dropEdit(tx kv.Tx, c *FileEditCounts, e FileEdit) error {
	c.Edits--
	c.Bytes -= e.size()
	for i := range e.Files {
		if err := tx.Delete(wayKey(e.ID, i)); err != nil {
			return err
		}
	}
	return tx.Delete(editKey(e.ID))
}

// LastFileEdit returns the last change that is like what is wanted, with its
// ways back, or fails with a NotFoundError.
func (s *Store) LastFileEdit(ctx context.Context, wanted func(FileEdit) bool) (FileEdit, error) {
	var found FileEdit
	err := s.view(ctx, func(tx kv.Tx) error {
		for item, err := range tx.Scan(kv.Range{Prefix: editSpace, Reverse: true}) {
			if err != nil {
				return err
			}
			e, err := loadFileEdit(tx, editID(item.Key))
			if err != nil {
				return err
			}
			if !wanted(e) {
				continue
			}
			for i := range e.Files {
				way, err := tx.Get(wayKey(e.ID, i))
				if err != nil {
					return err
				}
				e.Files[i].Way = slices.Clone(way)
			}
			found = e
			return nil
		}
		return &NotFoundError{Noun: "edit"}
	})
	return found, err
}

func editID(key []byte) uint64 { return binary.BigEndian.Uint64(key[len(editSpace):]) }

// size is that of all ways back, in bytes.
func (e FileEdit) size() (n int64) {
	for _, f := range e.Files {
		n += int64(f.Size)
	}
	return n
}

func loadFileEdit(tx kv.Tx, id uint64) (FileEdit, error) {
	var r fileEditRecord
	err := load(tx, editKey(id), &r)
	return r.edit(id), err
}

func (r fileEditRecord) edit(id uint64) FileEdit {
	return FileEdit{id, time.UnixMilli(r.Time), r.Dir, r.Tool, r.Lost, r.Files}
}

// FileEdits counts the changes of files that can be taken back.
func (s *Store) FileEdits(ctx context.Context) (c FileEditCounts, err error) {
	err = s.view(ctx, func(tx kv.Tx) (err error) {
		c, err = loadEditCounts(tx)
		return err
	})
	return c, err
}

func loadEditCounts(tx kv.Tx) (c FileEditCounts, err error) {
	if err = load(tx, editCountsKey, &c); errors.Is(err, kv.ErrNotFound) {
		err = nil
	}
	return c, err
}
