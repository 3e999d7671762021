package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"techo/store/kv"
)

// Report is what Verify read of a sound store.
type Report struct {
	Records int
	Bytes   int64 // of keys and values
	Memos   int
}

// Verify reads every record, and checks that the indexes and the counts are
// what the records make them. What is wrong is a kv.CorruptError.
func (s *Store) Verify(ctx context.Context) (Report, error) {
	var r Report
	err := s.view(ctx, func(tx kv.Tx) error {
		r = Report{}
		want := map[string]string{} // what the indexes should be
		counts := Counts{Tags: map[string]int{}}
		found := map[string]string{} // what they are
		for item, err := range tx.Scan(kv.Range{}) {
			if err != nil {
				return err
			}
			value, err := item.Value()
			if err != nil {
				return err
			}
			r.Records++
			r.Bytes += int64(len(item.Key) + len(value))
			switch space := string(item.Key[:min(2, len(item.Key))]); space {
			case "mi":
				m, err := loadMemo(tx, string(item.Key[2:]))
				if err != nil {
					return err
				}
				r.Memos++
				counts.add(&m, 1)
				for _, key := range memoIndex(&m) {
					want[string(key)] = m.ID
				}
			case "mn", "mo", "mt", "mu":
				found[string(item.Key)] = string(value)
			case "mc", "rk":
			default:
				return bad("unknown key %q", item.Key)
			}
			if err := ctx.Err(); err != nil {
				return context.Cause(ctx)
			}
		}
		return compareMemos(tx, want, found, counts)
	})
	return r, err
}

func bad(format string, args ...any) error {
	return &kv.CorruptError{Path: "store", Reason: fmt.Sprintf(format, args...)}
}

func compareMemos(tx kv.Tx, want, found map[string]string, counts Counts) error {
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if found[key] != want[key] {
			return bad("memo %s: index %q is missing or wrong", want[key], key)
		}
		delete(found, key)
	}
	for key, id := range found {
		return bad("index %q of memo %s has no memo", key, id)
	}
	kept, err := loadCounts(tx)
	if err != nil {
		return err
	}
	if kept.Memos != counts.Memos || kept.Ranks != counts.Ranks || !maps.Equal(kept.Tags, counts.Tags) {
		return bad("counts of memos are %v, the memos make %v", kept, counts)
	}
	return nil
}
