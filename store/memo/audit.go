package memo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"techo/store/ledger"
)

// audit checks memos, their indexes and their counts.
type audit struct {
	counts      Counts
	want, found ledger.SetHash // of the index entries
}

func newAudit() ledger.Audit {
	a := &audit{counts: Counts{Tags: map[string]int{}}}
	a.want, a.found = ledger.NewSetHashes()
	return a
}

func (a *audit) Visit(_ *ledger.Tx, key, value []byte) error {
	switch ledger.PrefixOf(key) {
	case Records:
		m, err := Decode(key, value)
		if err != nil {
			return err
		}
		a.counts.add(&m, 1)
		for _, key := range MemoIndex(&m) {
			a.want.Add(key, []byte(m.ID))
		}
	case CountKey:
	default:
		a.found.Add(key, value)
	}
	return nil
}

// Decode decodes the record of a memo.
func Decode(key, value []byte) (Memo, error) {
	id := string(ledger.Rest(key))
	var r record
	if err := json.Unmarshal(value, &r); err != nil {
		return Memo{}, ledger.Finding(ledger.Unreadable, ledger.KindMemo, id, err)
	}
	if r.Priority < 1 || r.Priority > TopPriority || r.ID != id {
		return Memo{}, ledger.Finding(ledger.WrongKey, ledger.KindMemo, id, nil)
	}
	return r.memo(), nil
}

func (a *audit) Finish(tx *ledger.Tx) (int, error) {
	if err := checkMemoIndex(tx); err != nil {
		return 0, err
	}
	if a.want != a.found {
		return 0, findMemoIndexDamage(tx)
	}
	stored, err := LoadCounts(tx)
	if err != nil {
		return 0, err
	}
	if stored.Memos != a.counts.Memos || stored.Ranks != a.counts.Ranks || !maps.Equal(stored.Tags, a.counts.Tags) {
		return 0, ledger.Finding(ledger.WrongCount, ledger.KindMemo, "", ledger.Miscount(stored, a.counts))
	}
	return a.counts.Memos, nil
}

// findMemoIndexDamage returns a finding about an index entry that is missing or
// superfluous. The set hashes detect the damage faster, but do not name it.
func findMemoIndexDamage(tx *ledger.Tx) error {
	err := ledger.ScanSpaces(tx, []ledger.Prefix{Records}, func(key, value []byte) error {
		m, err := Decode(key, value)
		if err != nil {
			return err
		}
		for _, entry := range MemoIndex(&m) {
			if id, err := tx.Get(entry); err != nil || string(id) != m.ID {
				return ledger.Finding(ledger.NoIndexEntry, ledger.KindMemo, m.ID, nil)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return ledger.Finding(ledger.WrongIndex, ledger.KindMemo, "", nil)
}

// Repair rebuilds the indexes and the counts, and drops memos that cannot
// be read. When a memo that came back has the name of another one, the memo
// changed last keeps the name.
func Repair(ctx context.Context, s *ledger.Ledger) (repairs []ledger.Repair, err error) {
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		repairs = nil
		var memos []Memo
		var drop [][]byte
		err := ledger.ScanSpaces(tx, prefixes, func(key, value []byte) error {
			if ledger.PrefixOf(key) != Records {
				drop = append(drop, key)
				return nil
			}
			m, err := Decode(key, value)
			if err != nil {
				repairs = append(repairs, ledger.DroppedRecord(ledger.KindMemo, string(ledger.Rest(key)), err))
				drop = append(drop, key)
				return nil
			}
			memos = append(memos, m)
			return nil
		})
		if err == nil {
			err = ledger.DeleteKeys(tx, drop)
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
		counts, err := LoadCounts(tx)
		if err != nil || len(memos) == 0 {
			return err
		}
		counts.Latest = memos[0].UpdatedAt.UnixMilli()
		return ledger.Save(tx, CountKey.All(), counts)
	})
	return repairs, err
}

// reindexMemos indexes memos, the latest first, again in the order of their changes:
// of two memos that match a question equally, the later one comes first.
func reindexMemos(tx *ledger.Tx, memos []Memo) error {
	for _, m := range slices.Backward(memos) {
		now, err := LoadMemo(tx, m.ID)
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
func repairMemo(tx *ledger.Tx, m Memo) (repairs []ledger.Repair, err error) {
	name, err := unusedName(tx, m)
	if err != nil {
		return nil, err
	}
	if name != m.Name {
		repairs = append(repairs, ledger.Repair{Action: ledger.Renamed, Kind: ledger.KindMemo, Record: m.Name,
			NewName: name})
		m.Name = name
	}
	err = replaceMemo(tx, nil, &m)
	if errors.As(err, new(*ledger.LimitError)) {
		repairs = append(repairs, ledger.Repair{Action: ledger.Untagged, Kind: ledger.KindMemo, Record: m.Name,
			Reason: err})
		m.Tags = []string{}
		err = replaceMemo(tx, nil, &m)
	}
	return repairs, err
}

// unusedName returns a memo's name or, when another memo has it, the name with
// a number.
func unusedName(tx *ledger.Tx, m Memo) (string, error) {
	const maxName = 32 // characters
	for n, name := 2, m.Name; ; n++ {
		err := memoNameFree(tx, name, m.ID)
		if !errors.As(err, new(*ledger.TakenError)) {
			return name, err
		}
		suffix := fmt.Sprintf(" (%d)", n)
		base := []rune(m.Name)
		name = string(base[:min(len(base), maxName-utf8.RuneCountInString(suffix))]) + suffix
	}
}
