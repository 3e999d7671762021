package store

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"techo/store/kv"
)

// questionRecorded describes questions for the history.
func questionRecorded() Recorded {
	return Recorded{
		Kind: KindQuestion, Prefixes: []space{questionRecords},
		ID: func(key []byte) (string, bool) {
			number, ok := cutNumber(rest(key))
			return questionID(number), ok && len(rest(key)) == 8
		},
		Current: func(tx *Tx, _ string, ids []string) ([][]byte, error) {
			return tx.GetMany(keysOfIDs(ids, func(id string) []byte { return questionKey(questionNumber(id)) }))
		},
		Describe: describeQuestion, Restore: restoreQuestions,
	}
}

func describeQuestion(_ *Tx, id string, value []byte) (title, text string, err error) {
	var r questionRecord
	if err = json.Unmarshal(value, &r); err != nil {
		return "", "", err
	}
	d := describing(KindQuestion, id)
	d.field("question", r.Text)
	d.field("options", strings.Join(r.Options, "\n"))
	d.field("default", r.Default)
	d.field("status", r.Status)
	d.field("answer", strings.Join(r.Answer.Texts, "\n"))
	d.field("by", r.Answer.By)
	return r.Text, d.String(), nil
}

// restoreQuestions gives questions their previous values.
func restoreQuestions(tx *Tx, c Change) error {
	for _, q := range c.Records {
		counts, err := loadQuestionCounts(tx)
		if err != nil {
			return err
		}
		var now, before *Question
		if q.Exists {
			// In its recorded state, which the indexes match.
			found, err := loadQuestion(tx, questionNumber(q.ID), time.Time{})
			if err != nil {
				return err
			}
			now = &found
		}
		if q.Existed {
			found, err := decodeQuestion(questionKey(questionNumber(q.ID)), q.before)
			if err != nil {
				return err
			}
			before = &found
			if err := questionKeyFree(tx, before); err != nil {
				return err
			}
		}
		if err := replaceQuestion(tx, counts, now, before); err != nil {
			return err
		}
	}
	return nil
}

// questionKeyFree fails with a TakenError if another question was asked with the
// idempotency key of a question.
func questionKeyFree(tx *Tx, q *Question) error {
	if q.Key == "" {
		return nil
	}
	value, err := tx.Get(questionKeys.key(q.Key))
	if errors.Is(err, kv.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if number, ok := cutNumber(value); !ok || number != questionNumber(q.ID) {
		return &TakenError{Kind: KindQuestion, Name: q.Key}
	}
	return nil
}

var questionPrefixes = []space{questionRecords, questionKeys, pendingQuestions, questionCountKey}

// questionSchema describes the keys of questions.
func questionSchema() Schema {
	return Schema{Name: "questions", Prefixes: questionPrefixes, Audit: newQuestionAudit, Repair: repairQuestions,
		Recorded: []Recorded{questionRecorded()}}
}
