package store

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
)

// The states of a question. Only one that is pending changes, and only once.
const (
	Pending   = "pending"
	Answered  = "answered"
	Declined  = "declined"
	Withdrawn = "cancelled"
	TimedOut  = "timeout"
)

// Where an answer came from.
const (
	FromOption  = "option"
	FromFree    = "free"
	FromDefault = "default"
)

// Question is one that was put to the person.
type Question struct {
	ID       string
	Key      string // the same key asks the same question again, "" is none
	Text     string
	Options  []string
	Multiple bool
	Default  string // taken when it expires, "" is none
	Closed   bool   // only an option is an answer
	Secret   bool   // its answer is not kept

	AskedBy   string
	Dir       string // where the asker worked
	PID       int    // of the asker
	AskedAt   time.Time
	ExpiresAt time.Time // zero is never

	Status string
	Answer Answer   // once it is not pending
	Late   []Answer // that came after it had expired
}

// Answer is what ended a question, and who gave it how.
type Answer struct {
	Texts   []string `json:"texts,omitempty"`
	Indexes []int    `json:"indexes,omitempty"` // of the options that were picked, from 1
	Source  string   `json:"source,omitempty"`
	By      string   `json:"by,omitempty"`
	Via     string   `json:"via,omitempty"`
	At      int64    `json:"at,omitempty"` // milliseconds since 1970
}

// SettledError says that a question is no longer pending.
type SettledError struct{ Question Question }

func (e *SettledError) Error() string {
	return fmt.Sprintf("question %s: is %s", e.Question.ID, e.Question.Status)
}

// QuestionCounts are the numbers of questions.
type QuestionCounts struct {
	Last    uint64 `json:"last"` // the number of the last one, which is how many there are
	Pending int    `json:"pending"`
}

// AddQuestion keeps a new question and returns it with its id. One whose key
// was used before is not asked again: the first is returned as it is now, and
// it is a ReusedKeyError when that was another question.
func (s *Store) AddQuestion(ctx context.Context, draft Question) (Question, error) {
	var q Question
	err := s.update(ctx, func(tx kv.Tx) error {
		q = draft
		if q.Key != "" {
			number, err := tx.Get(questionKeyKey(q.Key))
			if err == nil {
				if q, err = loadQuestion(tx, binary.BigEndian.Uint64(number), s.now()); err == nil && !q.same(draft) {
					err = &ReusedKeyError{draft.Key}
				}
				return err
			}
			if !errors.Is(err, kv.ErrNotFound) {
				return err
			}
		}
		if err := s.settleExpired(tx); err != nil {
			return err
		}
		counts, err := loadQuestionCounts(tx)
		if err != nil {
			return err
		}
		counts.Last++
		q.ID, q.Status, q.AskedAt = questionID(counts.Last), Pending, s.time()
		return replaceQuestion(tx, counts, nil, &q)
	})
	return q, err
}

// same reports whether two questions ask the same.
func (q Question) same(other Question) bool {
	return q.Text == other.Text && slices.Equal(q.Options, other.Options) && q.Multiple == other.Multiple && q.Default == other.Default &&
		q.Closed == other.Closed && q.Secret == other.Secret
}

// SettleQuestion ends a question that is pending; of several who try, one wins
// and the others get a SettledError. An answer to one that has expired is kept
// as late, and changes nothing else.
func (s *Store) SettleQuestion(ctx context.Context, id, status string, a Answer) (q Question, late bool, err error) {
	err = s.update(ctx, func(tx kv.Tx) error {
		late = false
		old, err := findQuestion(tx, id, s.now())
		if err != nil {
			return err
		}
		q, a.At = old, s.time().UnixMilli()
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

// expired reports whether nobody answered the question in its time.
func (q Question) expired() bool {
	return q.Status == TimedOut || q.Status == Answered && q.Answer.Source == FromDefault
}

// ExpireQuestion ends a question whose time is over by the caller's own
// measure, whatever the clock says, and returns it as it is now.
func (s *Store) ExpireQuestion(ctx context.Context, id string) (q Question, err error) {
	err = s.update(ctx, func(tx kv.Tx) error {
		if q, err = findQuestion(tx, id, s.now()); err != nil {
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

// settle ends a question that is pending when its time is over.
func (q *Question) settle(now time.Time) {
	if q.Status != Pending || q.ExpiresAt.IsZero() || now.Before(q.ExpiresAt) {
		return
	}
	q.Status, q.Answer = TimedOut, Answer{At: q.ExpiresAt.UnixMilli()}
	if q.Default != "" {
		q.Status = Answered
		q.Answer.Texts, q.Answer.Source = []string{q.Default}, FromDefault
		if i := slices.Index(q.Options, q.Default); i >= 0 {
			q.Answer.Indexes = []int{i + 1}
		}
	}
}

// GetQuestion returns a question.
func (s *Store) GetQuestion(ctx context.Context, id string) (q Question, err error) {
	err = s.view(ctx, func(tx kv.Tx) error {
		q, err = findQuestion(tx, id, s.now())
		return err
	})
	return q, err
}

// QuestionFilter chooses questions of a list.
type QuestionFilter struct {
	Status string // "" is any
	Offset int
	Limit  int
}

// FindQuestions returns questions, and how many there are without offset and
// limit. Those that are pending come oldest first, all others latest first.
func (s *Store) FindQuestions(ctx context.Context, f QuestionFilter) (found []Question, total int, err error) {
	r := kv.Range{Prefix: questionSpace, Reverse: true}
	if f.Status == Pending {
		r = kv.Range{Prefix: questionPendingSpace}
	}
	err = s.view(ctx, func(tx kv.Tx) error {
		found, total = nil, 0
		for item, err := range tx.Scan(r) {
			if err != nil {
				return err
			}
			q, err := loadQuestion(tx, binary.BigEndian.Uint64(item.Key[2:]), s.now())
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

// settleExpired ends some of the questions whose time is over, so that those
// that nobody looks at do not gather among the pending.
func (s *Store) settleExpired(tx kv.Tx) error {
	var over []Question
	for item, err := range tx.Scan(kv.Range{Prefix: questionPendingSpace}) {
		if err != nil {
			return err
		}
		q, err := loadQuestion(tx, binary.BigEndian.Uint64(item.Key[2:]), s.now())
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
	for _, q := range over {
		if err := changeQuestion(tx, q); err != nil {
			return err
		}
	}
	return nil
}

func findQuestion(tx kv.Tx, id string, now time.Time) (Question, error) {
	digits := strings.TrimPrefix(strings.ToLower(strings.TrimSpace(id)), "q")
	number, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return Question{}, &NotFoundError{Noun: "question", Name: id}
	}
	q, err := loadQuestion(tx, number, now)
	if errors.Is(err, kv.ErrNotFound) {
		err = &NotFoundError{Noun: "question", Name: id}
	}
	return q, err
}
