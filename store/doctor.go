package store

import (
	"context"
	"errors"

	"techo/store/kv"
)

// Note is one thing that a rescue had to change in what it found.
type Note struct {
	Kind   string // "dropped", "renamed", "untagged"
	About  string // what it was
	Reason string // why; of a renamed one the new name
}

// Diagnosis is what Doctor found.
type Diagnosis struct {
	Sound    bool
	Fault    error        // why not
	Findings []kv.Finding // what of the files is damaged
	Notes    []Note       // what would be, or was, changed beside that
	Report   Report       // of the sound store, or of the rescued copy
	Repaired bool
	Aside    string // where the damaged store is kept
}

// DoctorOptions say how Doctor goes about it.
type DoctorOptions struct {
	Options
	Repair   bool // puts the rescued copy in the place of a damaged store
	Progress func(done, total int64)
}

// Doctor examines the store in a folder to the bottom. Of a damaged one it
// makes a copy of all that can be read, whose indexes it makes anew and which
// it verifies; then the copy is removed again or, with Repair, takes the
// store's place.
func Doctor(ctx context.Context, where string, o DoctorOptions) (d Diagnosis, err error) {
	d.Report, d.Fault = examine(ctx, where, o.Options, VerifyOptions{Deep: true, Progress: o.Progress})
	if d.Fault == nil {
		d.Sound = true
		return d, nil
	}
	if !errors.As(d.Fault, new(*kv.CorruptError)) {
		return d, d.Fault
	}
	r, err := kv.Rescue(ctx, where, o.Repair, o.Holder, func(fresh string) error {
		notes, err := mendAll(ctx, fresh, o.Options)
		if err != nil {
			return err
		}
		d.Notes = notes
		d.Report, err = examine(ctx, fresh, o.Options, VerifyOptions{})
		return err
	})
	if err != nil {
		return d, err
	}
	d.Findings, d.Repaired, d.Aside = r.Findings, o.Repair, r.Aside
	if corrupt := new(kv.CorruptError); len(d.Findings) == 0 && errors.As(d.Fault, &corrupt) {
		d.Findings = []kv.Finding{{Path: corrupt.Path, Reason: corrupt.Reason}}
	}
	return d, nil
}

func examine(ctx context.Context, where string, o Options, v VerifyOptions) (Report, error) {
	o.Write = false
	s, err := Open(where, o)
	if err != nil {
		return Report{}, err
	}
	defer s.Close()
	return s.Verify(ctx, v)
}

// mendAll makes what follows from the records anew, and drops what is nobody's.
func mendAll(ctx context.Context, where string, o Options) (notes []Note, err error) {
	o.Write = true
	s, err := Open(where, o)
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := s.Close(); err == nil {
			err = e
		}
	}()
	known := map[string]bool{}
	for _, n := range nouns() {
		for _, space := range n.spaces {
			known[space] = true
		}
	}
	err = s.update(ctx, func(tx kv.Tx) error {
		notes = nil
		var drop [][]byte
		for item, err := range tx.Scan(kv.Range{}) {
			if err != nil {
				return err
			}
			if !known[string(item.Key[:min(2, len(item.Key))])] {
				drop = append(drop, append([]byte{}, item.Key...))
			}
		}
		for _, key := range drop {
			notes = append(notes, Note{Kind: "dropped", About: string(key), Reason: "unknown key"})
			if err := tx.Delete(key); err != nil {
				return err
			}
		}
		return nil
	})
	for _, n := range nouns() {
		if n.mend == nil || err != nil {
			continue
		}
		var more []Note
		more, err = n.mend(ctx, s)
		notes = append(notes, more...)
	}
	return notes, err
}
