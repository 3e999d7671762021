package store

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"techo/store/kv"
)

// Limits of the data to undo edits of files. The oldest edits are dropped first.
const (
	MaxFileEdits     = 500      // edits
	MaxFileEditBytes = 8 << 20  // undo data of one edit, in bytes
	maxAllEditBytes  = 32 << 20 // all undo data, in bytes
)

// IsStoreFile reports whether an entry of a store's folder belongs to the store,
// so that no tool may change it as a file.
func IsStoreFile(name string) bool { return kv.Holds(name) }

// FileEdit is an edit of one or more files, with the data to undo it.
type FileEdit struct {
	ID    uint64 // increases with each edit
	Time  time.Time
	Dir   string // working folder of the caller
	Tool  string
	Lost  bool // the undo data was too large to keep
	Files []EditedFile

	// Folders are absolute paths of folders that the edit created, outermost first.
	Folders []string

	Undoes uint64 // the change in the history that this edit undoes, or 0
	Redo   bool   // the change that it undoes undid another one
	Change uint64 // the change in the history that records this edit, or 0; set by the store
}

// EditedFile is one file of a FileEdit.
type EditedFile struct {
	Path   string `json:"path"`             // absolute
	Before string `json:"before,omitempty"` // hash of the content before, "" for a new file
	After  string `json:"after,omitempty"`  // hash of the content after, "" for a removed file

	// Way is the undo data, in a form of the caller's: it turns the content after into
	// the content before.
	Way []byte `json:"-"`

	Size int    `json:"size"`           // of Way in bytes; set by the store
	Mode uint32 `json:"mode,omitempty"` // permissions of a removed file, or before a change of them
}

// FileEditCounts counts the stored edits.
type FileEditCounts struct {
	Next  uint64 `json:"next"`
	Edits int    `json:"edits"`
	Bytes int64  `json:"bytes"` // of undo data
}

type fileEditRecord struct {
	Time  int64        `json:"time"` // milliseconds since 1970
	Dir   string       `json:"dir"`
	Tool  string       `json:"tool"`
	Lost  bool         `json:"lost,omitempty"`
	Files []EditedFile `json:"files"`

	Folders []string `json:"folders,omitempty"`

	Undoes uint64 `json:"undoes,omitempty"`
	Redo   bool   `json:"redo,omitempty"`
	Change uint64 `json:"change,omitempty"`
}

// AddFileEdit adds an edit and returns it with its id and time. It fails with a
// LimitError if the undo data is too large.
func (s *Store) AddFileEdit(ctx context.Context, e FileEdit) (FileEdit, error) {
	size := 0
	for i := range e.Files {
		e.Files[i].Size = len(e.Files[i].Way)
		size += e.Files[i].Size
	}
	if size > MaxFileEditBytes {
		return e, &LimitError{What: "bytes", Max: MaxFileEditBytes, Got: size}
	}
	err := s.update(ctx, func(tx *Tx) error {
		e.Time = s.time()
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
			if err := tx.Put(undoDataKey(e.ID, i), f.Way); err != nil {
				return err
			}
		}
		if e.Change, err = recordFileEdit(tx, &e); err != nil {
			return err
		}
		record := fileEditRecord{e.Time.UnixMilli(), e.Dir, e.Tool, e.Lost, e.Files, e.Folders, e.Undoes, e.Redo,
			e.Change}
		if err := save(tx, editKey(e.ID), record); err != nil {
			return err
		}
		return save(tx, editCountKey.all(), c)
	})
	return e, err
}

// dropOldEdits drops the oldest edits until c, which includes the new edit, is
// within the limits.
func dropOldEdits(tx *Tx, c *FileEditCounts) error {
	var old []FileEdit
	edits, bytes := c.Edits, c.Bytes
	for item, err := range tx.Scan(kv.Range{Prefix: editRecords.all()}) {
		if err != nil {
			return err
		}
		if edits <= MaxFileEdits && bytes <= maxAllEditBytes {
			break
		}
		e, err := loadFileEdit(tx, binary.BigEndian.Uint64(rest(item.Key)))
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

// RemoveFileEdit removes an edit. A missing edit is no error.
func (s *Store) RemoveFileEdit(ctx context.Context, id uint64) error {
	return s.update(ctx, func(tx *Tx) error { return removeFileEdit(tx, id) })
}

// loadUndoData loads how to undo an edit.
func (e *FileEdit) loadUndoData(tx *Tx) error {
	for i := range e.Files {
		way, err := tx.Get(undoDataKey(e.ID, i))
		if err != nil {
			return err
		}
		e.Files[i].Way = slices.Clone(way)
	}
	return nil
}

func removeFileEdit(tx *Tx, id uint64) error {
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
	return save(tx, editCountKey.all(), c)
}

func dropEdit(tx *Tx, c *FileEditCounts, e FileEdit) error {
	c.Edits--
	c.Bytes -= e.size()
	for i := range e.Files {
		if err := tx.Delete(undoDataKey(e.ID, i)); err != nil {
			return err
		}
	}
	return tx.Delete(editKey(e.ID))
}

// LastFileEdit returns the last edit that wanted accepts, with its undo data. Edits
// that are undos themselves are skipped. It fails with a NotFoundError.
func (s *Store) LastFileEdit(ctx context.Context, wanted func(FileEdit) bool) (FileEdit, error) {
	var found FileEdit
	err := s.view(ctx, func(tx *Tx) error {
		for item, err := range tx.Scan(kv.Range{Prefix: editRecords.all(), Reverse: true}) {
			if err != nil {
				return err
			}
			e, err := loadFileEdit(tx, binary.BigEndian.Uint64(rest(item.Key)))
			if err != nil {
				return err
			}
			if !e.mayUndo() || !wanted(e) {
				continue
			}
			found = e
			return found.loadUndoData(tx)
		}
		return &NotFoundError{Kind: KindEdit}
	})
	return found, err
}

// size returns the size of all undo data, in bytes.
func (e FileEdit) size() (n int64) {
	for _, f := range e.Files {
		n += int64(f.Size)
	}
	return n
}

func loadFileEdit(tx *Tx, id uint64) (FileEdit, error) {
	var r fileEditRecord
	err := load(tx, editKey(id), &r)
	return r.edit(id), err
}

func (r fileEditRecord) edit(id uint64) FileEdit {
	return FileEdit{id, time.UnixMilli(r.Time), r.Dir, r.Tool, r.Lost, r.Files, r.Folders, r.Undoes, r.Redo,
		r.Change}
}

// FileEdits counts the edits that can be undone.
func (s *Store) FileEdits(ctx context.Context) (c FileEditCounts, err error) {
	err = s.view(ctx, func(tx *Tx) (err error) {
		c, err = loadEditCounts(tx)
		return err
	})
	return c, err
}

func loadEditCounts(tx *Tx) (c FileEditCounts, err error) {
	if err = load(tx, editCountKey.all(), &c); errors.Is(err, kv.ErrNotFound) {
		err = nil
	}
	return c, err
}
