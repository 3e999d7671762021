package store

import (
	"context"
	"fmt"
	"hash/maphash"
	"maps"

	"techo/store/kv"
)

// Report is what Verify read of a sound store.
type Report struct {
	Records int
	Bytes   int64 // of keys and values
	Memos   int

	Questions int
}

// Verify reads every record, and checks that the indexes and the counts are
// what the records make them. What is wrong is a kv.CorruptError.
func (s *Store) Verify(ctx context.Context) (Report, error) {
	var r Report
	err := s.view(ctx, func(tx kv.Tx) error {
		r = Report{}
		counts := Counts{Tags: map[string]int{}}
		var questions QuestionCounts
		// The entries of the indexes, as they should be and as they are, in
		// no order and in constant memory.
		want := newTally()
		found := &tally{seed: want.seed}
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
				if m.Priority < 1 || m.Priority > TopPriority || m.ID != string(item.Key[2:]) {
					return bad("memo %q: not what its key says", item.Key[2:])
				}
				r.Memos++
				counts.add(&m, 1)
				for _, key := range memoIndex(&m) {
					want.add(key, []byte(m.ID))
				}
			case "qi":
				if err := verifyQuestion(tx, item.Key, &questions, want); err != nil {
					return err
				}
				r.Questions++
			case "mn", "mo", "mt", "mu", "qk", "qp":
				found.add(item.Key, value)
			case "mc", "rk", "qc":
			default:
				return bad("unknown key %q", item.Key)
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
		}
		if *want != *found {
			return s.wrongIndex(tx)
		}
		kept, err := loadCounts(tx)
		if err != nil {
			return err
		}
		if kept.Memos != counts.Memos || kept.Ranks != counts.Ranks || !maps.Equal(kept.Tags, counts.Tags) {
			return bad("counts of memos are %v, the memos make %v", kept, counts)
		}
		asked, err := loadQuestionCounts(tx)
		if err == nil && asked != questions {
			err = bad("counts of questions are %v, the questions make %v", asked, questions)
		}
		return err
	})
	return r, err
}

func bad(format string, args ...any) error {
	return &kv.CorruptError{Path: "store", Reason: fmt.Sprintf(format, args...)}
}

// tally stands for a set of entries, whatever their order.
type tally struct {
	seed maphash.Seed
	n    int
	sum  uint64
}

func newTally() *tally { return &tally{seed: maphash.MakeSeed()} }

func (t *tally) add(key, value []byte) {
	t.n++
	t.sum += maphash.Bytes(t.seed, append(append(key[:len(key):len(key)], 0), value...))
}

// wrongIndex names an entry of an index that is missing or too much, which is
// slower than to know that there is one.
func (s *Store) wrongIndex(tx kv.Tx) error {
	for item, err := range tx.Scan(kv.Range{Prefix: []byte("mi")}) {
		if err != nil {
			return err
		}
		m, err := loadMemo(tx, string(item.Key[2:]))
		if err != nil {
			return err
		}
		for _, key := range memoIndex(&m) {
			if id, err := tx.Get(key); err != nil || string(id) != m.ID {
				return bad("memo %s: index %q is missing or wrong", m.ID, key)
			}
		}
	}
	return bad("an index has entries without a memo")
}
