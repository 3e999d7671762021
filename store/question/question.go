// Package question has the questions that agents ask the person.
package question

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"techo/store/kv"
	"techo/store/ledger"
)

// The states of a question. Only a pending question changes its state, and only
// once.
const (
	Pending   = "pending"
	Answered  = "answered"
	Declined  = "declined"
	Withdrawn = "cancelled"
	TimedOut  = "timeout"
)

// The sources of an answer.
const (
	FromOption  = "option"
	FromFree    = "free"
	FromDefault = "default"
)

// Assurance is what shows that the person answered.
type Assurance string

// The assurances, from the weakest.
const (
	None   Assurance = "none"   // nothing
	Client Assurance = "client" // a dialog of the MCP client that asked
	Secret Assurance = "secret" // the person's secret
)

// Enum returns the assurances, for schemas.
func (Assurance) Enum() []string { return []string{string(None), string(Client), string(Secret)} }

// Less reports whether an assurance is weaker than another one.
func (a Assurance) Less(b Assurance) bool { return a.rank() < b.rank() }

// rank orders the assurances. Records also have "", and "terminal" of earlier versions, which
// show nothing.
func (a Assurance) rank() int { return slices.Index([]Assurance{Client, Secret}, a) }

func (a Assurance) known() Assurance {
	if a.rank() < 0 {
		return None
	}
	return a
}

// Question is a question to the person.
type Question struct {
	ID       string
	Key      string // idempotency key; may be ""
	Text     string
	Options  []string
	Multiple bool
	Default  string // the answer when it expires; may be ""
	Closed   bool   // only an option may be the answer
	Secret   bool   // its answer is not stored

	Assurance Assurance // the least that counts

	AskedBy   string
	Dir       string // working folder of the asker
	PID       int    // of the asker
	Client    string // whose call asked it (tools.Caller); only the asker's own dialog may answer
	Sealed    bool   // a secret was set when it was asked, so that no answer counts without one
	AskedAt   time.Time
	ExpiresAt time.Time // zero means never

	Status string
	Answer Answer   // set once the question is not pending
	Late   []Answer // given after it expired

	New bool // created by this AddQuestion; not stored
}

// Answer is the end of a question: the answer, its source and its author.
type Answer struct {
	Texts   []string `json:"texts,omitempty"`
	Indexes []int    `json:"indexes,omitempty"` // of the chosen options, from 1
	Source  string   `json:"source,omitempty"`
	By      string   `json:"by,omitempty"`
	Via     string   `json:"via,omitempty"`

	Assurance Assurance `json:"assurance,omitempty"`
	At        int64     `json:"at,omitempty"` // milliseconds since 1970

	PID int    `json:"pid,omitempty"` // of the process that answered
	Dir string `json:"dir,omitempty"` // its working folder
}

// SettledError reports that a question is no longer pending.
type SettledError struct{ Question Question }

func (e *SettledError) Error() string {
	return fmt.Sprintf("question %s: is %s", e.Question.ID, e.Question.Status)
}

// Counts counts the questions.
type Counts struct {
	Last    uint64 `json:"last"` // number of the last question, which is the number of all
	Pending int    `json:"pending"`
}

// Questions are the questions of a store.
type Questions struct{ *ledger.Ledger }

// AddQuestion adds a question and returns it with its id. A question whose key was
// used before is not asked again: the earlier one is returned in its present
// state, or a ReusedKeyError if it differs.
func (s Questions) AddQuestion(ctx context.Context, draft Question) (Question, error) {
	var q Question
	err := s.Update(ctx, func(tx *ledger.Tx) error {
		q = draft
		q.Assurance = q.Assurance.known()
		if q.Key != "" {
			number, err := tx.Get(Keys.Key(q.Key))
			if err == nil {
				if q, err = loadQuestion(tx, binary.BigEndian.Uint64(number), s.Now()); err == nil && !q.same(draft) {
					err = &ledger.ReusedKeyError{Key: draft.Key}
				}
				return err
			}
			if !errors.Is(err, kv.ErrNotFound) {
				return err
			}
		}
		if err := settleExpired(tx); err != nil {
			return err
		}
		return table.Change(tx, func(b *ledger.Batch[Question, Counts]) error {
			q.ID, q.Status, q.AskedAt, q.New = ID(b.Counts.Last+1), Pending, s.Time(), true
			tx.NoteNew(ledger.RecordID{Kind: ledger.KindQuestion, ID: q.ID})
			return b.Put(nil, &q)
		})
	})
	return q, err
}

// same reports whether two questions ask the same.
func (q Question) same(other Question) bool {
	return q.Text == other.Text && slices.Equal(q.Options, other.Options) && q.Multiple == other.Multiple &&
		q.Default == other.Default &&
		q.Closed == other.Closed && q.Secret == other.Secret && q.Assurance.known() == other.Assurance.known()
}

// SettleQuestion ends a pending question. Of several concurrent calls one succeeds
// and the others fail with a SettledError. An answer to an expired question is
// stored as late and changes nothing else.
func (s Questions) SettleQuestion(ctx context.Context, id, status string, a Answer) (q Question, late bool, err error) {
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		late = false
		old, err := findQuestion(tx, id, s.Now())
		if err != nil {
			return err
		}
		q, a.At, a.Assurance = old, s.Time().UnixMilli(), a.Assurance.known()
		tx.SetAssurance(string(a.Assurance))
		switch {
		case old.Status == Pending:
			if q.Secret {
				a.Texts = nil
			}
			q.Status, q.Answer = status, a
		case status == Answered && old.expired():
			late = true
			q.Late = append(slices.Clip(old.Late), a)
		default:
			return &SettledError{old}
		}
		return changeQuestion(tx, q)
	})
	return q, late, err
}

// expired reports whether the question expired without an answer of a person.
func (q Question) expired() bool {
	return q.Status == TimedOut || q.Status == Answered && q.Answer.Source == FromDefault
}

// ExpireQuestion ends a question that expired by the caller's timer, whatever the
// clock shows, and returns it in its present state.
func (s Questions) ExpireQuestion(ctx context.Context, id string) (q Question, err error) {
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		if q, err = findQuestion(tx, id, s.Now()); err != nil {
			return err
		}
		if q.ExpiresAt.IsZero() {
			return nil
		}
		q.settle(q.ExpiresAt)
		return changeQuestion(tx, q)
	})
	return q, err
}

// settle ends a pending question that expired before now.
func (q *Question) settle(now time.Time) {
	if q.Status != Pending || q.ExpiresAt.IsZero() || now.Before(q.ExpiresAt) {
		return
	}
	q.Status, q.Answer = TimedOut, Answer{Assurance: None, At: q.ExpiresAt.UnixMilli()}
	if q.Default != "" {
		q.Status = Answered
		q.Answer.Texts, q.Answer.Source = []string{q.Default}, FromDefault
		if i := slices.Index(q.Options, q.Default); i >= 0 {
			q.Answer.Indexes = []int{i + 1}
		}
	}
}

// GetQuestion returns a question.
func (s Questions) GetQuestion(ctx context.Context, id string) (q Question, err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		q, err = findQuestion(tx, id, s.Now())
		return err
	})
	return q, err
}

// Filter selects questions of a list.
type Filter struct {
	Status string // "" selects all
	Offset int
	Limit  int
}

// FindQuestions returns questions, and their total number without offset and
// limit. Pending questions come oldest first, all others latest first.
func (s Questions) FindQuestions(ctx context.Context, f Filter) (found []Question, total int, err error) {
	r := kv.Range{Prefix: Records.All(), Reverse: true}
	if f.Status == Pending {
		r = kv.Range{Prefix: Pendings.All()}
	}
	err = s.View(ctx, func(tx *ledger.Tx) error {
		found, total = nil, 0
		for item, err := range tx.Scan(r) {
			if err != nil {
				return err
			}
			q, err := loadQuestion(tx, binary.BigEndian.Uint64(ledger.Rest(item.Key)), s.Now())
			if err != nil {
				return err
			}
			if f.Status != "" && q.Status != f.Status {
				continue
			}
			if total++; total > f.Offset && len(found) < f.Limit {
				found = append(found, q)
			}
		}
		return nil
	})
	return found, total, err
}

// settleExpired ends some of the expired questions, so that abandoned ones do not
// accumulate among the pending.
func settleExpired(tx *ledger.Tx) error {
	var over []Question
	for item, err := range tx.Scan(kv.Range{Prefix: Pendings.All()}) {
		if err != nil {
			return err
		}
		q, err := loadQuestion(tx, binary.BigEndian.Uint64(ledger.Rest(item.Key)), tx.Ledger.Now())
		if err != nil {
			return err
		}
		if q.Status != Pending {
			over = append(over, q)
		}
		if len(over) == 16 {
			break
		}
	}
	return tx.Quietly(func() error {
		for _, q := range over {
			if err := changeQuestion(tx, q); err != nil {
				return err
			}
		}
		return nil
	})
}

func findQuestion(tx *ledger.Tx, id string, now time.Time) (Question, error) {
	digits := strings.TrimPrefix(strings.ToLower(strings.TrimSpace(id)), "q")
	number, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return Question{}, &ledger.NotFoundError{Kind: ledger.KindQuestion, Name: id}
	}
	q, err := loadQuestion(tx, number, now)
	if errors.Is(err, kv.ErrNotFound) {
		err = &ledger.NotFoundError{Kind: ledger.KindQuestion, Name: id}
	}
	return q, err
}
