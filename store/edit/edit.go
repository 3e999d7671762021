// Package edit has the edits of files, with the data to undo them.
package edit

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"techo/store/kv"
	"techo/store/ledger"
)

// Limits of the data to undo edits of files. The oldest edits are dropped first.
const (
	Max             = 500      // edits
	MaxBytes        = 8 << 20  // undo data of one edit, in bytes
	MaxAllEditBytes = 32 << 20 // all undo data, in bytes
)

// IsStoreFile reports whether an entry of a store's folder belongs to the store,
// so that no tool may change it as a file.
func IsStoreFile(name string) bool { return kv.Holds(name) }

// Edit is an edit of one or more files, with the data to undo it.
type Edit struct {
	ID    uint64 // increases with each edit
	Time  time.Time
	Dir   string // working folder of the caller
	Tool  string
	Lost  bool // the undo data was too large to keep
	Files []File

	// Folders are absolute paths of folders that the edit created, outermost first.
	Folders []string

	Undoes uint64 // the change in the history that this edit undoes, or 0
	Redo   bool   // the change that it undoes undid another one
	Change uint64 // the change in the history that records this edit, or 0; set by the store
}

// File is one file of a FileEdit.
type File struct {
	Path   string `json:"path"`             // absolute
	Before string `json:"before,omitempty"` // hash of the content before, "" for a new file
	After  string `json:"after,omitempty"`  // hash of the content after, "" for a removed file

	// Way is the undo data, in a form of the caller's: it turns the content after into
	// the content before.
	Way []byte `json:"-"`

	Size int    `json:"size"`           // of Way in bytes; set by the store
	Mode uint32 `json:"mode,omitempty"` // permissions of a removed file, or before a change of them
}

// Counts counts the stored edits.
type Counts struct {
	Next  uint64 `json:"next"`
	Edits int    `json:"edits"`
	Bytes int64  `json:"bytes"` // of undo data
}

type fileEditRecord struct {
	Time  int64  `json:"time"` // milliseconds since 1970
	Dir   string `json:"dir"`
	Tool  string `json:"tool"`
	Lost  bool   `json:"lost,omitempty"`
	Files []File `json:"files"`

	Folders []string `json:"folders,omitempty"`

	Undoes uint64 `json:"undoes,omitempty"`
	Redo   bool   `json:"redo,omitempty"`
	Change uint64 `json:"change,omitempty"`
}

// Edits are the edits of files that a store can undo.
type Edits struct{ *ledger.Ledger }

// AddFileEdit adds an edit and returns it with its id and time. It fails with a
// LimitError if the undo data is too large.
func (s Edits) AddFileEdit(ctx context.Context, e Edit) (Edit, error) {
	size := 0
	for i := range e.Files {
		e.Files[i].Size = len(e.Files[i].Way)
		size += e.Files[i].Size
	}
	if size > MaxBytes {
		return e, &ledger.LimitError{What: "bytes", Max: MaxBytes, Got: size}
	}
	err := s.Update(ctx, func(tx *ledger.Tx) error {
		e.Time = s.Time()
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
			if err := tx.Put(UndoDataKey(e.ID, i), f.Way); err != nil {
				return err
			}
		}
		if e.Change, err = recordFileEdit(tx, &e); err != nil {
			return err
		}
		record := fileEditRecord{e.Time.UnixMilli(), e.Dir, e.Tool, e.Lost, e.Files, e.Folders, e.Undoes, e.Redo,
			e.Change}
		if err := ledger.Save(tx, Key(e.ID), record); err != nil {
			return err
		}
		return ledger.Save(tx, CountKey.All(), c)
	})
	return e, err
}

// dropOldEdits drops the oldest edits until c, which includes the new edit, is
// within the limits.
func dropOldEdits(tx *ledger.Tx, c *Counts) error {
	var old []Edit
	edits, bytes := c.Edits, c.Bytes
	for item, err := range tx.Scan(kv.Range{Prefix: Records.All()}) {
		if err != nil {
			return err
		}
		if edits <= Max && bytes <= MaxAllEditBytes {
			break
		}
		e, err := loadFileEdit(tx, binary.BigEndian.Uint64(ledger.Rest(item.Key)))
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
func (s Edits) RemoveFileEdit(ctx context.Context, id uint64) error {
	return s.Update(ctx, func(tx *ledger.Tx) error { return removeFileEdit(tx, id) })
}

// loadUndoData loads how to undo an edit.
func (e *Edit) loadUndoData(tx *ledger.Tx) error {
	for i := range e.Files {
		way, err := tx.Get(UndoDataKey(e.ID, i))
		if err != nil {
			return err
		}
		e.Files[i].Way = slices.Clone(way)
	}
	return nil
}

func removeFileEdit(tx *ledger.Tx, id uint64) error {
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
	return ledger.Save(tx, CountKey.All(), c)
}

func dropEdit(tx *ledger.Tx, c *Counts, e Edit) error {
	c.Edits--
	c.Bytes -= e.size()
	for i := range e.Files {
		if err := tx.Delete(UndoDataKey(e.ID, i)); err != nil {
			return err
		}
	}
	return tx.Delete(Key(e.ID))
}

// LastFileEdit returns the last edit that wanted accepts, with its undo data. Edits
// that are undos themselves are skipped. It fails with a NotFoundError.
func (s Edits) LastFileEdit(ctx context.Context, wanted func(Edit) bool) (Edit, error) {
	var found Edit
	err := s.View(ctx, func(tx *ledger.Tx) error {
		for item, err := range tx.Scan(kv.Range{Prefix: Records.All(), Reverse: true}) {
			if err != nil {
				return err
			}
			e, err := loadFileEdit(tx, binary.BigEndian.Uint64(ledger.Rest(item.Key)))
			if err != nil {
				return err
			}
			if !e.mayUndo() || !wanted(e) {
				continue
			}
			found = e
			return found.loadUndoData(tx)
		}
		return &ledger.NotFoundError{Kind: ledger.KindEdit}
	})
	return found, err
}

// size returns the size of all undo data, in bytes.
func (e Edit) size() (n int64) {
	for _, f := range e.Files {
		n += int64(f.Size)
	}
	return n
}

func loadFileEdit(tx *ledger.Tx, id uint64) (Edit, error) {
	var r fileEditRecord
	err := ledger.Load(tx, Key(id), &r)
	return r.edit(id), err
}

func (r fileEditRecord) edit(id uint64) Edit {
	return Edit{id, time.UnixMilli(r.Time), r.Dir, r.Tool, r.Lost, r.Files, r.Folders, r.Undoes, r.Redo,
		r.Change}
}

// FileEdits counts the edits that can be undone.
func (s Edits) FileEdits(ctx context.Context) (c Counts, err error) {
	err = s.View(ctx, func(tx *ledger.Tx) (err error) {
		c, err = loadEditCounts(tx)
		return err
	})
	return c, err
}

func loadEditCounts(tx *ledger.Tx) (c Counts, err error) {
	if err = ledger.Load(tx, CountKey.All(), &c); errors.Is(err, kv.ErrNotFound) {
		err = nil
	}
	return c, err
}
