package store

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"slices"

	"techo/store/kv"
)

// questionAudit checks questions, their indexes and their counts.
type questionAudit struct {
	counts      QuestionCounts
	n           int
	want, found tally
}

func newQuestionAudit() audit {
	a := new(questionAudit)
	a.want, a.found = newTallies()
	return a
}

func (a *questionAudit) see(_ kv.Tx, key, value []byte) error {
	switch string(key[:2]) {
	case "qi":
		q, err := questionOf(key, value)
		if err != nil {
			return err
		}
		a.n++
		number := questionNumber(q.ID)
		a.counts.Last = max(a.counts.Last, number)
		a.counts.add(&q, 1)
		for _, k := range questionIndex(&q) {
			a.want.add(k, binary.BigEndian.AppendUint64(nil, number))
		}
	case "qc":
	default:
		a.found.add(key, value)
	}
	return nil
}

// questionOf reads a question out of its record.
func questionOf(key, value []byte) (Question, error) {
	var r questionRecord
	if len(key) != len(questionSpace)+8 {
		return Question{}, bad("unknown key %q", key)
	}
	number := binary.BigEndian.Uint64(key[2:])
	if err := json.Unmarshal(value, &r); err != nil {
		return Question{}, bad("question %d: %v", number, err)
	}
	if !slices.Contains([]string{Pending, Answered, Declined, Withdrawn, TimedOut}, r.Status) {
		return Question{}, bad("question %d: status %q", number, r.Status)
	}
	return r.question(number), nil
}

func (a *questionAudit) finish(tx kv.Tx) (int, error) {
	if a.want != a.found {
		return 0, bad("the indexes of questions do not say what the questions say")
	}
	kept, err := loadQuestionCounts(tx)
	if err != nil {
		return 0, err
	}
	// A question is never removed, but a rescue may have lost the last ones.
	if kept.Pending != a.counts.Pending || kept.Last < a.counts.Last {
		return 0, bad("counts of questions are %v, the questions make %v", kept, a.counts)
	}
	return a.n, nil
}

// mendQuestions makes the indexes and counts anew. A question that cannot be
// read is dropped.
func mendQuestions(ctx context.Context, s *Store) (notes []Note, err error) {
	err = s.update(ctx, func(tx kv.Tx) error {
		notes = nil
		counts, err := loadQuestionCounts(tx)
		if err != nil {
			counts = QuestionCounts{}
		}
		counts.Pending = 0
		var questions []Question
		var drop [][]byte
		for item, err := range tx.Scan(kv.Range{Prefix: []byte("q")}) {
			if err != nil {
				return err
			}
			key := slices.Clone(item.Key)
			if string(key[:min(2, len(key))]) != "qi" {
				drop = append(drop, key)
				continue
			}
			value, err := item.Value()
			if err != nil {
				return err
			}
			q, err := questionOf(key, value)
			if err != nil {
				notes = append(notes, Note{Kind: "dropped", About: string(key), Reason: err.Error()})
				drop = append(drop, key)
				continue
			}
			questions = append(questions, q)
		}
		for _, key := range drop {
			if err := tx.Delete(key); err != nil {
				return err
			}
		}
		for _, q := range questions {
			counts.Last = max(counts.Last, questionNumber(q.ID))
			if err := replaceQuestion(tx, counts, nil, &q); err != nil {
				return err
			}
			counts.add(&q, 1)
		}
		return nil
	})
	return notes, err
}
