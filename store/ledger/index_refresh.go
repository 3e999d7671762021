package ledger

import (
	"context"
	"errors"
	"iter"

	"techo/store/kv"
	"techo/store/search"
)

// RefreshBatch is the number of texts that enter an index in one transaction when it is
// built again.
const RefreshBatch = 2048

// OutdatedError is returned for a search in an index that another version of techo has written,
// when this process must not write, or cannot. Migrate, or the next write, builds the index again.
type OutdatedError struct{ Store string }

func (e *OutdatedError) Error() string { return e.Store + ": " + search.ErrOutdated.Error() }

// Refreshing does a part of the work that an outdated index needs.
type Refreshing func(tx *Tx) (done bool, err error)

// refreshed runs a function. If a search index has to be built again before, it does that and
// runs the function once more.
func (s *Ledger) refreshed(ctx context.Context, fn func() error) error {
	err := fn()
	if !errors.Is(err, search.ErrOutdated) {
		return err
	}
	root := s.Root()
	switch {
	case root.Write:
		err = root.RefreshIndexes(ctx)
	case root.Rebuild == nil || root.Rebuild(ctx) != nil:
		err = &OutdatedError{root.Shown}
	default:
		err = nil
	}
	if err != nil {
		return err
	}
	return fn()
}

// RefreshIndexes builds all outdated indexes of a store and of its shared spaces again.
func (s *Ledger) RefreshIndexes(ctx context.Context) error {
	numbers, err := s.SpacesWithKeys(ctx)
	if err != nil {
		return err
	}
	all := []*Ledger{s}
	for _, number := range numbers {
		all = append(all, s.Maintained(number))
	}
	for _, s := range all {
		if err := s.rebuildIndexes(ctx); err != nil {
			return err
		}
	}
	return nil
}

// refreshIndexes builds the outdated indexes of a store, or of one shared space, again. A group of
// writes cannot do it, because all of it becomes durable at once.
func (s *Ledger) refreshIndexes(ctx context.Context) error {
	if s.current.Load() {
		return nil
	}
	err := s.rebuildIndexes(ctx)
	s.current.Store(err == nil)
	return err
}

func (s *Ledger) rebuildIndexes(ctx context.Context) error {
	outdated, err := s.outdatedIndexes(ctx)
	for _, refresh := range outdated {
		for done := false; err == nil && !done; {
			err = s.Maintain(ctx, func(tx *Tx) (err error) {
				done, err = refresh(tx)
				return err
			})
		}
	}
	return err
}

// outdatedIndexes returns what builds the outdated indexes of a store again.
func (s *Ledger) outdatedIndexes(ctx context.Context) (all []Refreshing, err error) {
	err = s.Inspect(ctx, func(tx *Tx) error {
		all = nil
		for _, kind := range s.Schemas.All {
			if kind.Outdated == nil {
				continue
			}
			outdated, err := kind.Outdated(tx)
			if err != nil {
				return err
			}
			all = append(all, outdated...)
		}
		return nil
	})
	return all, err
}

// IfOutdated returns what builds an index again if it is outdated.
func (tx *Tx) IfOutdated(x search.Index, refresh Refreshing) ([]Refreshing, error) {
	err := x.Ready(tx)
	if errors.Is(err, search.ErrOutdated) {
		return []Refreshing{refresh}, nil
	}
	return nil, err
}

// TextsOf returns the texts of the records under a prefix.
func TextsOf(tx kv.Tx, prefix []byte, read func(kv.Pair) (search.Doc, error)) search.TextsAfter {
	return func(after string) iter.Seq2[search.Doc, error] {
		records := kv.Range{Prefix: prefix, From: append(append(prefix[:len(prefix):len(prefix)], after...), 0)}
		if after == "" {
			records.From = nil
		}
		return func(yield func(search.Doc, error) bool) {
			for p, err := range kv.Pairs(tx, records) {
				var d search.Doc
				if err == nil {
					d, err = read(p)
				}
				if !yield(d, err) {
					return
				}
			}
		}
	}
}
