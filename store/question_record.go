package store

import (
	"encoding/binary"
	"errors"
	"strconv"
	"time"

	"techo/internal/lineage"
	"techo/store/kv"
)

// questionRecord is the record of a question.
type questionRecord struct {
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

func questionRecordOf(q *Question) questionRecord {
	r := questionRecord{Key: q.Key, Text: q.Text, Options: q.Options, Multiple: q.Multiple, Default: q.Default,
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
func loadQuestion(tx *Tx, number uint64, now time.Time) (Question, error) {
	var r questionRecord
	if err := load(tx, questionKey(number), &r); err != nil {
		return Question{}, err
	}
	q := r.question(number)
	q.settle(now)
	return q, nil
}

// question returns the question of a record, in its recorded state.
func (r questionRecord) question(number uint64) Question {
	q := Question{ID: questionID(number), Key: r.Key, Text: r.Text, Options: r.Options, Multiple: r.Multiple,
		Default: r.Default, Closed: r.Closed, Secret: r.Secret, Assurance: r.Assures,
		AskedBy: r.AskedBy, Dir: r.Dir, PID: r.PID, Client: r.Client, Asker: r.Asker, AskedAt: time.UnixMilli(r.Asked),
		Status: r.Status, Answer: r.Answer, Late: r.Late}
	if r.Expires != 0 {
		q.ExpiresAt = time.UnixMilli(r.Expires)
	}
	return q
}

// changeQuestion replaces an existing question.
func changeQuestion(tx *Tx, q Question) error {
	counts, err := loadQuestionCounts(tx)
	if err != nil {
		return err
	}
	// In its recorded state, which the indexes match.
	old, err := loadQuestion(tx, questionNumber(q.ID), time.Time{})
	if err != nil {
		return err
	}
	return replaceQuestion(tx, counts, &old, &q)
}

// replaceQuestion replaces before by after in the records, the indexes and the
// counts. Either may be nil.
func replaceQuestion(tx *Tx, counts QuestionCounts, before, after *Question) error {
	if before != nil {
		counts.add(before, -1)
		for _, key := range questionIndex(before) {
			if err := tx.Delete(key); err != nil {
				return err
			}
		}
	}
	if after == nil {
		if err := tx.Delete(questionKey(questionNumber(before.ID))); err != nil {
			return err
		}
		return save(tx, questionCountKey.all(), counts)
	}
	counts.add(after, 1)
	number := questionNumber(after.ID)
	for _, key := range questionIndex(after) {
		if err := tx.Put(key, binary.BigEndian.AppendUint64(nil, number)); err != nil {
			return err
		}
	}
	if err := save(tx, questionKey(number), questionRecordOf(after)); err != nil {
		return err
	}
	return save(tx, questionCountKey.all(), counts)
}

func (c *QuestionCounts) add(q *Question, n int) {
	if q.Status == Pending {
		c.Pending += n
	}
}

func loadQuestionCounts(tx *Tx) (c QuestionCounts, err error) {
	if err = load(tx, questionCountKey.all(), &c); errors.Is(err, kv.ErrNotFound) {
		err = nil
	}
	return c, err
}

func questionID(number uint64) string { return "q" + strconv.FormatUint(number, 10) }

// questionNumber reads an id that questionID made.
func questionNumber(id string) uint64 {
	n, err := strconv.ParseUint(id[1:], 10, 64)
	if err != nil {
		panic("store: question id " + id)
	}
	return n
}
