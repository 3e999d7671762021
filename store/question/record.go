package question

import (
	"slices"
	"strconv"
	"time"

	"techo/store/ledger"
)

type record struct {
	Key      string    `json:"key,omitempty"`
	Text     string    `json:"text"`
	Options  []string  `json:"options,omitempty"`
	Multiple bool      `json:"multiple,omitempty"`
	Default  string    `json:"default,omitempty"`
	Closed   bool      `json:"closed,omitempty"`
	Secret   bool      `json:"secret,omitempty"`
	Assures  Assurance `json:"assurance,omitempty"`
	AskedBy  string    `json:"asked_by,omitempty"`
	Dir      string    `json:"dir,omitempty"`
	PID      int       `json:"pid,omitempty"`
	Client   string    `json:"client,omitempty"`
	Sealed   bool      `json:"sealed,omitempty"`
	Asked    int64     `json:"asked"` // milliseconds since 1970
	Expires  int64     `json:"expires,omitempty"`
	Status   string    `json:"status"`
	Answer   Answer    `json:"answer,omitzero"`
	Late     []Answer  `json:"late,omitempty"`
}

func recordOf(q *Question) record {
	r := record{Key: q.Key, Text: q.Text, Options: q.Options, Multiple: q.Multiple, Default: q.Default,
		Closed: q.Closed, Secret: q.Secret, Assures: q.Assurance,
		AskedBy: q.AskedBy, Dir: q.Dir, PID: q.PID, Client: q.Client, Sealed: q.Sealed, Asked: q.AskedAt.UnixMilli(),
		Status: q.Status, Answer: q.Answer, Late: q.Late}
	if !q.ExpiresAt.IsZero() {
		r.Expires = q.ExpiresAt.UnixMilli()
	}
	// None is absent, as in the records of earlier versions: an undo compares records by their bytes.
	r.Late = slices.Clone(q.Late)
	for _, a := range append([]*Assurance{&r.Assures, &r.Answer.Assurance}, assurancesOf(r.Late)...) {
		if *a == None {
			*a = ""
		}
	}
	return r
}

// loadQuestion loads a question in its state at a time: an expired one is no
// longer pending, even if its record has another state.
func loadQuestion(tx *ledger.Tx, number uint64, now time.Time) (Question, error) {
	q, err := table.Load(tx, Key(number))
	q.settle(now)
	return q, err
}

// question returns the question of a record, in its recorded state.
func (r record) question(number uint64) Question {
	q := Question{ID: ID(number), Key: r.Key, Text: r.Text, Options: r.Options, Multiple: r.Multiple,
		Default: r.Default, Closed: r.Closed, Secret: r.Secret, Assurance: r.Assures,
		AskedBy: r.AskedBy, Dir: r.Dir, PID: r.PID, Client: r.Client, Sealed: r.Sealed, AskedAt: time.UnixMilli(r.Asked),
		Status: r.Status, Answer: r.Answer, Late: r.Late}
	if r.Expires != 0 {
		q.ExpiresAt = time.UnixMilli(r.Expires)
	}
	for _, a := range append([]*Assurance{&q.Assurance, &q.Answer.Assurance}, assurancesOf(q.Late)...) {
		*a = a.known()
	}
	return q
}

func assurancesOf(answers []Answer) (all []*Assurance) {
	for i := range answers {
		all = append(all, &answers[i].Assurance)
	}
	return all
}

func changeQuestion(tx *ledger.Tx, q Question) error {
	old, err := table.Load(tx, Key(Number(q.ID)))
	if err != nil {
		return err
	}
	return table.Put(tx, &old, &q)
}

func ID(number uint64) string { return "q" + strconv.FormatUint(number, 10) }

// Number reads an id that ID made.
func Number(id string) uint64 {
	n, err := strconv.ParseUint(id[1:], 10, 64)
	if err != nil {
		panic("store: question id " + id)
	}
	return n
}
