package question

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"techo/store/kv"
	"techo/store/ledger"
)

// recorded describes questions for the history.
func recorded() ledger.Recorded {
	return ledger.Recorded{
		Kind: ledger.KindQuestion, Prefixes: []ledger.Prefix{Records},
		ID: func(key []byte) (string, bool) {
			number, ok := ledger.CutNumber(ledger.Rest(key))
			return ID(number), ok && len(ledger.Rest(key)) == 8
		},
		Current: func(tx *ledger.Tx, _ string, ids []string) ([][]byte, error) {
			return tx.GetMany(ledger.KeysOfIDs(ids, func(id string) []byte { return Key(Number(id)) }))
		},
		Describe: describeQuestion, Restore: restoreQuestions,
	}
}

func describeQuestion(_ *ledger.Tx, id string, value []byte) (title, text string, err error) {
	var r record
	if err = json.Unmarshal(value, &r); err != nil {
		return "", "", err
	}
	d := ledger.Describing(ledger.KindQuestion, id)
	d.Field("question", r.Text)
	d.Field("options", strings.Join(r.Options, "\n"))
	d.Field("default", r.Default)
	d.Field("status", r.Status)
	d.Field("answer", strings.Join(r.Answer.Texts, "\n"))
	d.Field("by", r.Answer.By)
	return r.Text, d.String(), nil
}

// restoreQuestions gives questions their previous values.
func restoreQuestions(tx *ledger.Tx, c ledger.Change) error {
	for _, q := range c.Records {
		counts, err := LoadCounts(tx)
		if err != nil {
			return err
		}
		var now, before *Question
		if q.Exists {
			// In its recorded state, which the indexes match.
			found, err := loadQuestion(tx, Number(q.ID), time.Time{})
			if err != nil {
				return err
			}
			now = &found
		}
		if q.Existed {
			found, err := Decode(Key(Number(q.ID)), q.Before)
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
func questionKeyFree(tx *ledger.Tx, q *Question) error {
	if q.Key == "" {
		return nil
	}
	value, err := tx.Get(Keys.Key(q.Key))
	if errors.Is(err, kv.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if number, ok := ledger.CutNumber(value); !ok || number != Number(q.ID) {
		return &ledger.TakenError{Kind: ledger.KindQuestion, Name: q.Key}
	}
	return nil
}

var prefixes = []ledger.Prefix{Records, Keys, Pendings, CountKey}

// Schema describes the keys of questions.
func Schema() ledger.Schema {
	return ledger.Schema{Name: "questions", Prefixes: prefixes, Audit: newAudit, Repair: Repair,
		Recorded: []ledger.Recorded{recorded()}}
}
