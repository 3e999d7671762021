package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"techo/store/kv"
)

// memoAudit checks memos, their indexes and their counts.
type memoAudit struct {
	counts      Counts
	want, found tally // the entries of the indexes, as they should be and as they are
}

func newMemoAudit() audit {
	a := &memoAudit{counts: Counts{Tags: map[string]int{}}}
	a.want, a.found = newTallies()
	return a
}

func (a *memoAudit) see(_ kv.Tx, key, value []byte) error {
	switch string(key[:2]) {
	case "mi":
		m, err := memoOf(key, value)
		if err != nil {
			return err
		}
		a.counts.add(&m, 1)
		for _, key := range memoIndex(&m) {
			a.want.add(key, []byte(m.ID))
		}
	case "mc":
	default:
		a.found.add(key, value)
	}
	return nil
}

// memoOf reads a memo out of its record.
func memoOf(key, value []byte) (Memo, error) {
	var r memoRecord
	if err := json.Unmarshal(value, &r); err != nil {
		return Memo{}, bad("memo %q: %v", key[2:], err)
	}
	if r.Priority < 1 || r.Priority > TopPriority || r.ID != string(key[2:]) {
		return Memo{}, bad("memo %q: not what its key says", key[2:])
	}
	return r.memo(), nil
}

func (a *memoAudit) finish(tx kv.Tx) (int, error) {
	if a.want != a.found {
		return 0, wrongMemoIndex(tx)
	}
	kept, err := loadCounts(tx)
	if err != nil {
		return 0, err
	}
	if kept.Memos != a.counts.Memos || kept.Ranks != a.counts.Ranks || !maps.Equal(kept.Tags, a.counts.Tags) {
		return 0, bad("counts of memos are %v, the memos make %v", kept, a.counts)
	}
	return a.counts.Memos, nil
}

// wrongMemoIndex names an entry of an index that is missing or too much, which
// is slower than to know that there is one.
func wrongMemoIndex(tx kv.Tx) error {
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

// mendMemos makes the indexes and counts anew. A memo that cannot be read is
// dropped; of two with one name, which an old version that came back may have,
// the one changed last keeps it.
func mendMemos(ctx context.Context, s *Store) (notes []Note, err error) {
	err = s.update(ctx, func(tx kv.Tx) error {
		notes = nil
		var memos []Memo
		var drop [][]byte
		for item, err := range tx.Scan(kv.Range{Prefix: []byte("m")}) {
			if err != nil {
				return err
			}
			key := slices.Clone(item.Key)
			if string(key[:min(2, len(key))]) != "mi" {
				drop = append(drop, key)
				continue
			}
			value, err := item.Value()
			if err != nil {
				return err
			}
			m, err := memoOf(key, value)
			if err != nil {
				notes = append(notes, Note{Kind: "dropped", About: string(key[2:]), Reason: err.Error()})
				drop = append(drop, key)
				continue
			}
			memos = append(memos, m)
		}
		for _, key := range drop {
			if err := tx.Delete(key); err != nil {
				return err
			}
		}
		slices.SortFunc(memos, func(a, b Memo) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
		for _, m := range memos {
			if name := freeName(tx, m); name != m.Name {
				notes = append(notes, Note{Kind: "renamed", About: m.Name, Reason: name})
				m.Name = name
			}
			err := replaceMemo(tx, nil, &m)
			if errors.As(err, new(*LimitError)) {
				notes = append(notes, Note{Kind: "untagged", About: m.Name, Reason: err.Error()})
				m.Tags = []string{}
				err = replaceMemo(tx, nil, &m)
			}
			if err != nil {
				return err
			}
		}
		counts, err := loadCounts(tx)
		if err != nil || len(memos) == 0 {
			return err
		}
		counts.Latest = memos[0].UpdatedAt.UnixMilli()
		return save(tx, memoCountsKey, counts)
	})
	return notes, err
}

// freeName is a memo's name or, when that is taken, one like it.
func freeName(tx kv.Tx, m Memo) string {
	const most = 32 // characters of a name
	for n, name := 2, m.Name; ; n++ {
		if memoNameFree(tx, name, m.ID) == nil {
			return name
		}
		suffix := fmt.Sprintf(" (%d)", n)
		base := []rune(m.Name)
		name = string(base[:min(len(base), most-utf8.RuneCountInString(suffix))]) + suffix
	}
}

// memo is the memo of a record.
func (r memoRecord) memo() Memo {
	return Memo{r.ID, r.Name, r.Content, r.Priority, r.Tags, r.Detail,
		time.UnixMilli(r.Created), time.UnixMilli(r.Updated)}
}
