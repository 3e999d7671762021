package question

import (
	"encoding/binary"
	"slices"
	"strings"

	"techo/store/kv"
	"techo/store/ledger"
)

// The prefixes of the keys of questions.
const (
	Records  ledger.Prefix = "qi"
	Keys     ledger.Prefix = "qk"
	Pendings ledger.Prefix = "qp"
	CountKey ledger.Prefix = "qc"
)

// Key returns the key of a record.
func Key(number uint64) []byte { return Records.Number(number) }

// table keeps the questions in their recorded states, which the indexes match.
var table = &ledger.Table[Question, Counts]{
	Kind: ledger.KindQuestion, Records: Records, Indexes: []ledger.Prefix{Keys, Pendings}, CountKey: CountKey,
	Key:    func(q *Question) []byte { return Key(Number(q.ID)) },
	Encode: func(q *Question) ([]byte, error) { return ledger.Encode(recordOf(q)) },
	Decode: Decode, Index: questionIndex, Count: (*Counts).add,
	Free: func(tx *ledger.Tx, _, q *Question) error { return questionKeyFree(tx, q) },
	// An undo may have removed the last questions, or a rescue may have lost them.
	Agree: func(stored, counted Counts) bool {
		return stored.Pending == counted.Pending && stored.Last >= counted.Last
	},
	Keep: func(stored Counts) Counts { return Counts{Last: stored.Last} }, // no number is assigned twice
	Seen: func(c *Counts, key []byte) {
		const most = 1 << 52 // the greatest number that a key is believed
		if number, ok := ledger.NumberIn(key); ok && number < most {
			c.Last = max(c.Last, number)
		}
	},
}

func questionIndex(q *Question) (entries []kv.Pair) {
	number := binary.BigEndian.AppendUint64(nil, Number(q.ID))
	if q.Key != "" {
		entries = append(entries, kv.Pair{Key: Keys.Key(q.Key), Value: number})
	}
	if q.Status == Pending {
		entries = append(entries, kv.Pair{Key: Pendings.Number(Number(q.ID)), Value: number})
	}
	return entries
}

func (c *Counts) add(q *Question, n int) {
	if n > 0 {
		c.Last = max(c.Last, Number(q.ID))
	}
	if q.Status == Pending {
		c.Pending += n
	}
}

// LoadCounts returns the counts of the questions.
func LoadCounts(tx *ledger.Tx) (Counts, error) { return table.Counts(tx) }

// Decode decodes the record of a question.
func Decode(key, value []byte) (Question, error) {
	number, ok := ledger.NumberIn(key)
	if !ok {
		return Question{}, ledger.Finding(ledger.UnknownKey, ledger.KindQuestion, string(key), nil)
	}
	r, err := ledger.DecodeJSON[record](ledger.KindQuestion, ID(number), value)
	if err == nil && !slices.Contains([]string{Pending, Answered, Declined, Withdrawn, TimedOut}, r.Status) {
		err = ledger.Finding(ledger.Unreadable, ledger.KindQuestion, ID(number),
			kv.Reason{Code: ledger.UnknownStatus, Args: []any{r.Status}})
	}
	return r.question(number), err
}

// questionKeyFree fails with a TakenError if another question was asked with the
// idempotency key of a question.
func questionKeyFree(tx *ledger.Tx, q *Question) error {
	if q.Key == "" {
		return nil
	}
	taken, err := tx.KeyTaken(questionIndex(q)[0])
	if taken {
		err = &ledger.TakenError{Kind: ledger.KindQuestion, Name: q.Key}
	}
	return err
}

// Schema describes the keys of questions.
func Schema() ledger.Schema {
	recorded := table.Recorded(func(id string) []byte { return Key(Number(id)) },
		func(key []byte) (string, bool) {
			number, ok := ledger.NumberIn(key)
			return ID(number), ok
		})
	recorded.Describe = describe
	s := table.Schema("questions")
	s.Recorded = []ledger.Recorded{recorded}
	return s
}

func describe(_ *ledger.Tx, id string, value []byte) (title, text string, err error) {
	r, err := ledger.DecodeJSON[record](ledger.KindQuestion, id, value)
	d := ledger.Describing(ledger.KindQuestion, id)
	d.Field("question", r.Text)
	d.Field("options", strings.Join(r.Options, "\n"))
	d.Field("default", r.Default)
	d.Field("status", r.Status)
	d.Field("answer", strings.Join(r.Answer.Texts, "\n"))
	d.Field("by", r.Answer.By)
	return r.Text, d.String(), err
}
