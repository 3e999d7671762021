package question

import (
	"encoding/binary"
	"errors"
	"strconv"
	"time"

	"techo/internal/lineage"
	"techo/store/kv"
	"techo/store/ledger"
)

// record is the record of a question.
type record struct {
	Key      string       `json:"key,omitempty"`
	Text     string       `json:"text"`
	Options  []string     `json:"options,omitempty"`
	Multiple bool         `json:"multiple,omitempty"`
	Default  string       `json:"default,omitempty"`
	Closed   bool         `json:"closed,omitempty"`
	Secret   bool         `json:"secret,omitempty"`
	Assures  string       `json:"assurance,omitempty"`
	AskedBy  string       `json:"asked_by,omitempty"`
	Dir      string       `json:"dir,omitempty"`
	PID      int          `json:"pid,omitempty"`
	Client   string       `json:"client,omitempty"`
	Asker    lineage.Tree `json:"asker,omitzero"`
	Asked    int64        `json:"asked"` // milliseconds since 1970
	Expires  int64        `json:"expires,omitempty"`
	Status   string       `json:"status"`
	Answer   Answer       `json:"answer,omitzero"`
	Late     []Answer     `json:"late,omitempty"`
}

func recordOf(q *Question) record {
	r := record{Key: q.Key, Text: q.Text, Options: q.Options, Multiple: q.Multiple, Default: q.Default,
		Closed: q.Closed, Secret: q.Secret, Assures: q.Assurance,
		AskedBy: q.AskedBy, Dir: q.Dir, PID: q.PID, Client: q.Client, Asker: q.Asker, Asked: q.AskedAt.UnixMilli(),
		Status: q.Status, Answer: q.Answer, Late: q.Late}
	if !q.ExpiresAt.IsZero() {
		r.Expires = q.ExpiresAt.UnixMilli()
	}
	return r
}

// loadQuestion loads a question in its state at a time: an expired one is no
// longer pending, even if its record has another state.
func loadQuestion(tx *ledger.Tx, number uint64, now time.Time) (Question, error) {
	var r record
	if err := ledger.Load(tx, Key(number), &r); err != nil {
		return Question{}, err
	}
	q := r.question(number)
	q.settle(now)
	return q, nil
}

// question returns the question of a record, in its recorded state.
func (r record) question(number uint64) Question {
	q := Question{ID: ID(number), Key: r.Key, Text: r.Text, Options: r.Options, Multiple: r.Multiple,
		Default: r.Default, Closed: r.Closed, Secret: r.Secret, Assurance: r.Assures,
		AskedBy: r.AskedBy, Dir: r.Dir, PID: r.PID, Client: r.Client, Asker: r.Asker, AskedAt: time.UnixMilli(r.Asked),
		Status: r.Status, Answer: r.Answer, Late: r.Late}
	if r.Expires != 0 {
		q.ExpiresAt = time.UnixMilli(r.Expires)
	}
	return q
}

// changeQuestion replaces an existing question.
func changeQuestion(tx *ledger.Tx, q Question) error {
	counts, err := LoadCounts(tx)
	if err != nil {
		return err
	}
	// In its recorded state, which the indexes match.
	old, err := loadQuestion(tx, Number(q.ID), time.Time{})
	if err != nil {
		return err
	}
	return replaceQuestion(tx, counts, &old, &q)
}

// replaceQuestion replaces before by after in the records, the indexes and the
// counts. Either may be nil.
func replaceQuestion(tx *ledger.Tx, counts Counts, before, after *Question) error {
	if before != nil {
		counts.add(before, -1)
		for _, key := range questionIndex(before) {
			if err := tx.Delete(key); err != nil {
				return err
			}
		}
	}
	if after == nil {
		if err := tx.Delete(Key(Number(before.ID))); err != nil {
			return err
		}
		return ledger.Save(tx, CountKey.All(), counts)
	}
	counts.add(after, 1)
	number := Number(after.ID)
	for _, key := range questionIndex(after) {
		if err := tx.Put(key, binary.BigEndian.AppendUint64(nil, number)); err != nil {
			return err
		}
	}
	if err := ledger.Save(tx, Key(number), recordOf(after)); err != nil {
		return err
	}
	return ledger.Save(tx, CountKey.All(), counts)
}

func (c *Counts) add(q *Question, n int) {
	if q.Status == Pending {
		c.Pending += n
	}
}

func LoadCounts(tx *ledger.Tx) (c Counts, err error) {
	if err = ledger.Load(tx, CountKey.All(), &c); errors.Is(err, kv.ErrNotFound) {
		err = nil
	}
	return c, err
}

func ID(number uint64) string { return "q" + strconv.FormatUint(number, 10) }

// Number reads an id that questionID made.
func Number(id string) uint64 {
	n, err := strconv.ParseUint(id[1:], 10, 64)
	if err != nil {
		panic("store: question id " + id)
	}
	return n
}
