package question

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"slices"

	"techo/store/kv"
	"techo/store/ledger"
)

// audit checks questions, their indexes and their counts.
type audit struct {
	counts      Counts
	n           int
	want, found ledger.SetHash // of the index entries
}

func newAudit() ledger.Audit {
	a := new(audit)
	a.want, a.found = ledger.NewSetHashes()
	return a
}

func (a *audit) Visit(_ *ledger.Tx, key, value []byte) error {
	switch ledger.PrefixOf(key) {
	case Records:
		q, err := Decode(key, value)
		if err != nil {
			return err
		}
		a.n++
		number := Number(q.ID)
		a.counts.Last = max(a.counts.Last, number)
		a.counts.add(&q, 1)
		for _, k := range questionIndex(&q) {
			a.want.Add(k, binary.BigEndian.AppendUint64(nil, number))
		}
	case CountKey:
	default:
		a.found.Add(key, value)
	}
	return nil
}

// Decode decodes the record of a question.
func Decode(key, value []byte) (Question, error) {
	number, ok := ledger.CutNumber(ledger.Rest(key))
	if !ok || len(ledger.Rest(key)) != 8 {
		return Question{}, ledger.Finding(ledger.UnknownKey, ledger.KindQuestion, string(key), nil)
	}
	var r record
	if err := json.Unmarshal(value, &r); err != nil {
		return Question{}, ledger.Finding(ledger.Unreadable, ledger.KindQuestion, ID(number), err)
	}
	if !slices.Contains([]string{Pending, Answered, Declined, Withdrawn, TimedOut}, r.Status) {
		return Question{}, ledger.Finding(ledger.Unreadable, ledger.KindQuestion, ID(number),
			kv.Reason{Code: ledger.UnknownStatus, Args: []any{r.Status}})
	}
	return r.question(number), nil
}

func (a *audit) Finish(tx *ledger.Tx) (int, error) {
	if a.want != a.found {
		return 0, ledger.Finding(ledger.WrongIndex, ledger.KindQuestion, "", nil)
	}
	stored, err := LoadCounts(tx)
	if err != nil {
		return 0, err
	}
	// An undo may have removed the last questions, or a rescue may have lost them.
	if stored.Pending != a.counts.Pending || stored.Last < a.counts.Last {
		return 0, ledger.Finding(ledger.WrongCount, ledger.KindQuestion, "", ledger.Miscount(stored, a.counts))
	}
	return a.n, nil
}

// Repair rebuilds the indexes and the counts, and drops questions that
// cannot be read.
func Repair(ctx context.Context, s *ledger.Ledger) (repairs []ledger.Repair, err error) {
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		repairs = nil
		counts, err := LoadCounts(tx)
		if err != nil {
			counts = Counts{}
		}
		counts.Pending = 0
		var questions []Question
		var drop [][]byte
		err = ledger.ScanSpaces(tx, prefixes, func(key, value []byte) error {
			if ledger.PrefixOf(key) != Records {
				drop = append(drop, key)
				return nil
			}
			q, err := Decode(key, value)
			if err != nil {
				if number, ok := ledger.CutNumber(ledger.Rest(key)); ok && len(ledger.Rest(key)) == 8 &&
					number < maxLostQuestion {
					counts.Last = max(counts.Last, number)
				}
				repairs = append(repairs, ledger.DroppedRecord(ledger.KindQuestion, string(key), err))
				drop = append(drop, key)
				return nil
			}
			questions = append(questions, q)
			return nil
		})
		if err == nil {
			err = ledger.DeleteKeys(tx, drop)
		}
		if err != nil {
			return err
		}
		for _, q := range questions {
			counts.Last = max(counts.Last, Number(q.ID))
			if err := replaceQuestion(tx, counts, nil, &q); err != nil {
				return err
			}
			counts.add(&q, 1)
		}
		if counts.Last == 0 {
			return nil
		}
		return ledger.Save(tx, CountKey.All(), counts) // a new question gets a number that no other one had
	})
	return repairs, err
}

// maxLostQuestion is the greatest number that the key of an unreadable question is
// believed.
const maxLostQuestion = 1 << 52
