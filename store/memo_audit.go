package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"
)

// memoAudit checks memos, their indexes and their counts.
type memoAudit struct {
	counts      MemoCounts
	want, found setHash // of the index entries
}

func newMemoAudit() audit {
	a := &memoAudit{counts: MemoCounts{Tags: map[string]int{}}}
	a.want, a.found = newSetHashes()
	return a
}

func (a *memoAudit) visit(_ *Tx, key, value []byte) error {
	switch spaceOf(key) {
	case memoRecords:
		m, err := decodeMemo(key, value)
		if err != nil {
			return err
		}
		a.counts.add(&m, 1)
		for _, key := range memoIndex(&m) {
			a.want.add(key, []byte(m.ID))
		}
	case memoCountKey:
	default:
		a.found.add(key, value)
	}
	return nil
}

// decodeMemo decodes the record of a memo.
func decodeMemo(key, value []byte) (Memo, error) {
	id := string(rest(key))
	var r memoRecord
	if err := json.Unmarshal(value, &r); err != nil {
		return Memo{}, finding(Unreadable, KindMemo, id, err)
	}
	if r.Priority < 1 || r.Priority > TopPriority || r.ID != id {
		return Memo{}, finding(WrongKey, KindMemo, id, nil)
	}
	return r.memo(), nil
}

func (a *memoAudit) finish(tx *Tx) (int, error) {
	if a.want != a.found {
		return 0, findMemoIndexDamage(tx)
	}
	stored, err := loadCounts(tx)
	if err != nil {
		return 0, err
	}
	if stored.Memos != a.counts.Memos || stored.Ranks != a.counts.Ranks || !maps.Equal(stored.Tags, a.counts.Tags) {
		return 0, finding(WrongCount, KindMemo, "", miscount(stored, a.counts))
	}
	return a.counts.Memos, nil
}

// findMemoIndexDamage returns a finding about an index entry that is missing or
// superfluous. The set hashes detect the damage faster, but do not name it.
func findMemoIndexDamage(tx *Tx) error {
	err := scanSpaces(tx, []space{memoRecords}, func(key, value []byte) error {
		m, err := decodeMemo(key, value)
		if err != nil {
			return err
		}
		for _, entry := range memoIndex(&m) {
			if id, err := tx.Get(entry); err != nil || string(id) != m.ID {
				return finding(NoIndexEntry, KindMemo, m.ID, nil)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return finding(WrongIndex, KindMemo, "", nil)
}

// repairMemos rebuilds the indexes and the counts, and drops memos that cannot
// be read. When a memo that came back has the name of another one, the memo
// changed last keeps the name.
func repairMemos(ctx context.Context, s *Store) (repairs []Repair, err error) {
	err = s.update(ctx, func(tx *Tx) error {
		repairs = nil
		var memos []Memo
		var drop [][]byte
		err := scanSpaces(tx, spacesOf("memos"), func(key, value []byte) error {
			if spaceOf(key) != memoRecords {
				drop = append(drop, key)
				return nil
			}
			m, err := decodeMemo(key, value)
			if err != nil {
				repairs = append(repairs, dropped(KindMemo, string(rest(key)), err))
				drop = append(drop, key)
				return nil
			}
			memos = append(memos, m)
			return nil
		})
		if err == nil {
			err = deleteKeys(tx, drop)
		}
		if err != nil {
			return err
		}
		slices.SortFunc(memos, func(a, b Memo) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
		for _, m := range memos {
			more, err := repairMemo(tx, m)
			if err != nil {
				return err
			}
			repairs = append(repairs, more...)
		}
		if err := reindexMemos(tx, memos); err != nil {
			return err
		}
		counts, err := loadCounts(tx)
		if err != nil || len(memos) == 0 {
			return err
		}
		counts.Latest = memos[0].UpdatedAt.UnixMilli()
		return save(tx, memoCountKey.all(), counts)
	})
	return repairs, err
}

// reindexMemos indexes memos, the latest first, again in the order of their changes:
// of two memos that match a question equally, the later one comes first.
func reindexMemos(tx *Tx, memos []Memo) error {
	for _, m := range slices.Backward(memos) {
		now, err := loadMemo(tx, m.ID)
		if err != nil {
			return err
		}
		if err := replaceMemo(tx, &now, &now); err != nil {
			return err
		}
	}
	return nil
}

// repairMemo writes a memo and its index entries, with another name or without
// tags if other memos require it.
func repairMemo(tx *Tx, m Memo) (repairs []Repair, err error) {
	name, err := unusedName(tx, m)
	if err != nil {
		return nil, err
	}
	if name != m.Name {
		repairs = append(repairs, Repair{Action: Renamed, Kind: KindMemo, Record: m.Name, NewName: name})
		m.Name = name
	}
	err = replaceMemo(tx, nil, &m)
	if errors.As(err, new(*LimitError)) {
		repairs = append(repairs, Repair{Action: Untagged, Kind: KindMemo, Record: m.Name, Reason: err})
		m.Tags = []string{}
		err = replaceMemo(tx, nil, &m)
	}
	return repairs, err
}

// unusedName returns a memo's name or, when another memo has it, the name with
// a number.
func unusedName(tx *Tx, m Memo) (string, error) {
	const maxName = 32 // characters
	for n, name := 2, m.Name; ; n++ {
		err := memoNameFree(tx, name, m.ID)
		if !errors.As(err, new(*TakenError)) {
			return name, err
		}
		suffix := fmt.Sprintf(" (%d)", n)
		base := []rune(m.Name)
		name = string(base[:min(len(base), maxName-utf8.RuneCountInString(suffix))]) + suffix
	}
}
