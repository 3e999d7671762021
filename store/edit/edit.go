// Package edit has the edits of files, with the data to undo them.
package edit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"techo/store/kv"
	"techo/store/kv/disk"
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
func IsStoreFile(name string) bool { return disk.Holds(name) }

// Edit is an edit of one or more files, with the data to undo it.
type Edit struct {
	ID    uint64    `json:"-"` // increases with each edit
	Time  time.Time `json:"-"`
	Dir   string    `json:"dir"` // working folder of the caller
	Tool  string    `json:"tool"`
	Lost  bool      `json:"lost,omitempty"` // the undo data was too large to keep
	Files []File    `json:"files"`

	// Folders are absolute paths of folders that the edit created, outermost first.
	Folders []string `json:"folders,omitempty"`

	Undoes uint64 `json:"undoes,omitempty"` // the change in the history that this edit undoes, or 0
	Redo   bool   `json:"redo,omitempty"`   // the change that it undoes undid another one
	Change uint64 `json:"change,omitempty"` // the change in the history that records this edit, or 0; set by the store
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

// record is an Edit in the store.
type record struct {
	Time int64 `json:"time"` // milliseconds since 1970
	Edit
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
		return table.Change(tx, func(b *ledger.Batch[Edit, Counts]) (err error) {
			if err := dropOldEdits(tx, b, int64(size)); err != nil {
				return err
			}
			e.ID = b.Counts.Next
			if e.Change, err = recordFileEdit(tx, &e); err != nil {
				return err
			}
			return b.Put(nil, &e)
		})
	})
	return e, err
}

// dropOldEdits drops the oldest edits until a new one, with undo data of some bytes, is within the
// limits.
func dropOldEdits(tx *ledger.Tx, b *ledger.Batch[Edit, Counts], more int64) error {
	edits, bytes := b.Counts.Edits+1, b.Counts.Bytes+more
	if edits <= Max && bytes <= MaxAllEditBytes {
		return nil
	}
	var old []Edit
	for e, err := range table.Scan(tx, kv.Range{Prefix: Records.All()}) {
		if err != nil {
			return err
		}
		if edits <= Max && bytes <= MaxAllEditBytes {
			break
		}
		edits--
		bytes -= e.size()
		old = append(old, e)
	}
	for _, e := range old {
		if err := b.Put(&e, nil); err != nil {
			return err
		}
	}
	return nil
}

// RemoveFileEdit removes an edit. A missing edit is no error.
func (s Edits) RemoveFileEdit(ctx context.Context, id uint64) error {
	return s.Update(ctx, func(tx *ledger.Tx) error { return removeFileEdit(tx, id) })
}

// loadUndoData loads how to undo an edit. Missing data is a FindingError.
func (e *Edit) loadUndoData(tx *ledger.Tx) error {
	for i := range e.Files {
		way, err := tx.Get(UndoDataKey(e.ID, i))
		if errors.Is(err, kv.ErrNotFound) || err == nil && len(way) != e.Files[i].Size {
			return ledger.Finding(ledger.NoUndoData, ledger.KindEdit, fmt.Sprint(e.ID), nil)
		}
		if err != nil {
			return err
		}
		e.Files[i].Way = slices.Clone(way)
	}
	return nil
}

func removeFileEdit(tx *ledger.Tx, id uint64) error {
	e, err := table.Load(tx, Key(id))
	if err != nil {
		return ledger.IgnoreMissing(err)
	}
	return table.Put(tx, &e, nil)
}

// LastFileEdit returns the last edit that wanted accepts, with its undo data. Edits
// that are undos themselves are skipped. It fails with a NotFoundError.
func (s Edits) LastFileEdit(ctx context.Context, wanted func(Edit) bool) (Edit, error) {
	var found Edit
	err := s.View(ctx, func(tx *ledger.Tx) error {
		for e, err := range table.Scan(tx, kv.Range{Prefix: Records.All(), Reverse: true}) {
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

// FileEdits counts the edits that can be undone.
func (s Edits) FileEdits(ctx context.Context) (c Counts, err error) {
	err = s.View(ctx, func(tx *ledger.Tx) (err error) {
		c, err = table.Counts(tx)
		return err
	})
	return c, err
}
