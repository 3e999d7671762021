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
	want, found setHash // of the index entries
}

func newQuestionAudit() audit {
	a := new(questionAudit)
	a.want, a.found = newSetHashes()
	return a
}

func (a *questionAudit) visit(_ *Tx, key, value []byte) error {
	switch spaceOf(key) {
	case questionRecords:
		q, err := decodeQuestion(key, value)
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
	case questionCountKey:
	default:
		a.found.add(key, value)
	}
	return nil
}

// decodeQuestion decodes the record of a question.
func decodeQuestion(key, value []byte) (Question, error) {
	number, ok := cutNumber(rest(key))
	if !ok || len(rest(key)) != 8 {
		return Question{}, finding(UnknownKey, KindQuestion, string(key), nil)
	}
	var r questionRecord
	if err := json.Unmarshal(value, &r); err != nil {
		return Question{}, finding(Unreadable, KindQuestion, questionID(number), err)
	}
	if !slices.Contains([]string{Pending, Answered, Declined, Withdrawn, TimedOut}, r.Status) {
		return Question{}, finding(Unreadable, KindQuestion, questionID(number),
			kv.Reason{Code: UnknownStatus, Args: []any{r.Status}})
	}
	return r.question(number), nil
}

func (a *questionAudit) finish(tx *Tx) (int, error) {
	if a.want != a.found {
		return 0, finding(WrongIndex, KindQuestion, "", nil)
	}
	stored, err := loadQuestionCounts(tx)
	if err != nil {
		return 0, err
	}
	// An undo may have removed the last questions, or a rescue may have lost them.
	if stored.Pending != a.counts.Pending || stored.Last < a.counts.Last {
		return 0, finding(WrongCount, KindQuestion, "", miscount(stored, a.counts))
	}
	return a.n, nil
}

// repairQuestions rebuilds the indexes and the counts, and drops questions that
// cannot be read.
func repairQuestions(ctx context.Context, s *Store) (repairs []Repair, err error) {
	err = s.update(ctx, func(tx *Tx) error {
		repairs = nil
		counts, err := loadQuestionCounts(tx)
		if err != nil {
			counts = QuestionCounts{}
		}
		counts.Pending = 0
		var questions []Question
		var drop [][]byte
		err = scanSpaces(tx, spacesOf("questions"), func(key, value []byte) error {
			if spaceOf(key) != questionRecords {
				drop = append(drop, key)
				return nil
			}
			q, err := decodeQuestion(key, value)
			if err != nil {
				if number, ok := cutNumber(rest(key)); ok && len(rest(key)) == 8 && number < maxLostQuestion {
					counts.Last = max(counts.Last, number)
				}
				repairs = append(repairs, dropped(KindQuestion, string(key), err))
				drop = append(drop, key)
				return nil
			}
			questions = append(questions, q)
			return nil
		})
		if err == nil {
			err = deleteKeys(tx, drop)
		}
		if err != nil {
			return err
		}
		for _, q := range questions {
			counts.Last = max(counts.Last, questionNumber(q.ID))
			if err := replaceQuestion(tx, counts, nil, &q); err != nil {
				return err
			}
			counts.add(&q, 1)
		}
		if counts.Last == 0 {
			return nil
		}
		return save(tx, questionCountKey.all(), counts) // a new question gets a number that no other one had
	})
	return repairs, err
}

// maxLostQuestion is the greatest number that the key of an unreadable question is
// believed.
const maxLostQuestion = 1 << 52
