// Package ask is the family of tools that ask the person: on a terminal that
// is safe to ask on, and in a queue that outlives whoever asked.
package ask

import (
	"errors"
	"strings"
	"time"
	"unicode"

	"techo/store"
	"techo/tools"
)

// Tools returns the family, in the order of the help.
func Tools() []*tools.Tool { return []*tools.Tool{Ask, List, Reply} }

// Shell returns what is for the person at a shell alone.
func Shell() []*tools.Tool { return []*tools.Tool{Show, Wait, Cancel, Watch, History} }

// Outcome is how a question ended, or that it has not yet.
type Outcome struct {
	QuestionID    string   `json:"question_id"`
	Status        string   `json:"status"`
	Answer        string   `json:"answer"`
	Index         int      `json:"index"` // of the option, from 1; 0 is none
	Answers       []string `json:"answers"`
	Indexes       []int    `json:"indexes"`
	Source        string   `json:"source"`
	By            string   `json:"by"`
	Via           string   `json:"via"`
	LatencyMS     int64    `json:"latency_ms"`
	Late          bool     `json:"late,omitempty"`           // this answer came after the question had expired
	NotifyProblem string   `json:"notify_problem,omitempty"` // why the person could not be told that there is a question
	Hint          string   `json:"hint,omitempty"`
	Message       string   `json:"message"`

	quiet bool // it ends a process with 0 whatever it is
}

// Text is the answer, or why there is none.
func (o Outcome) Text(*tools.Env) string {
	switch {
	case o.Status == store.Answered && !o.quiet:
		return o.Answer
	case o.Hint != "":
		return o.Message + "\n" + o.Hint
	}
	return o.Message
}

// Outcome is that of the exit codes: pending, timeout and a refusal differ
// from an answer.
func (o Outcome) Outcome() tools.Code {
	if o.quiet {
		return ""
	}
	switch o.Status {
	case store.Pending:
		return tools.Busy
	case store.TimedOut:
		return tools.Timeout
	case store.Declined, store.Withdrawn:
		return tools.Cancelled
	}
	return ""
}

// outcome tells how a question stands.
func outcome(env *tools.Env, q store.Question) Outcome {
	a := q.Answer
	o := Outcome{QuestionID: q.ID, Status: q.Status, Answers: []string{}, Indexes: []int{}, Source: a.Source, By: a.By, Via: a.Via}
	o.Answers, o.Indexes = append(o.Answers, a.Texts...), append(o.Indexes, a.Indexes...)
	o.Answer = strings.Join(a.Texts, ", ")
	if len(a.Indexes) == 1 && len(a.Texts) == 1 {
		o.Index = a.Indexes[0]
	}
	if a.At != 0 {
		o.LatencyMS = max(0, a.At-q.AskedAt.UnixMilli()) // the clock may have been set back
	}
	switch {
	case q.Status == store.Pending && q.ID == "":
		o.Message = env.Say(tools.Say{EN: "Nobody has answered yet, and the question could not be kept", JA: "まだ回答がなく、質問を保存できませんでした"})
	case q.Status == store.Pending:
		o.Message = env.Say(tools.Say{EN: "Nobody has answered yet (id: %s)", JA: "まだ回答がありません（id: %s）"}, q.ID)
		o.Hint = "techo ask wait " + q.ID
	case q.Status == store.Answered && a.Source == store.FromDefault:
		o.Message = env.Say(tools.Say{EN: "Nobody answered in time: the default was taken (%s)", JA: "期限までに回答がなく、既定値を使いました（%s）"}, o.Answer)
	case q.Status == store.Answered && q.Secret:
		o.Message = env.Say(tools.Say{EN: "The person answered in secret", JA: "秘密の回答を受け取りました"})
	case q.Status == store.Answered:
		o.Message = env.Say(tools.Say{EN: "The person answered: %s", JA: "回答: %s"}, o.Answer)
	case q.Status == store.Declined:
		o.Message = env.Say(tools.Say{EN: "The person declined to answer", JA: "回答を断られました"})
	case q.Status == store.Withdrawn:
		o.Message = env.Say(tools.Say{EN: "The question was cancelled", JA: "質問は取り消されました"})
	default:
		o.Message = env.Say(tools.Say{EN: "Nobody answered in time", JA: "期限までに回答がありませんでした"})
	}
	return o
}

// explain says what is wrong with an id, a key or an answer.
func explain(env *tools.Env, err error) error {
	var (
		missing *store.NotFoundError
		reused  *store.ReusedKeyError
		settled *store.SettledError
	)
	switch {
	case errors.As(err, &missing):
		return env.Fail(tools.NotFound, tools.Say{EN: "There is no question %s", JA: "質問 %s はありません"}, missing.Name).
			WithHint(env.Say(tools.Say{EN: "See techo ask list", JA: "techo ask list で確認してください"}))
	case errors.As(err, &reused):
		return env.Fail(tools.Conflict, tools.Say{EN: "The key %q was used for another question", JA: "キー「%s」は別の質問で使用済みです"}, reused.Key).
			WithHint(env.Say(tools.Say{EN: "Use a new key for a new question", JA: "新しい質問には新しいキーを使ってください"}))
	case errors.As(err, &settled):
		return conflict(env, settled.Question)
	}
	return err
}

// conflict says that a question has ended, by whom and when.
func conflict(env *tools.Env, q store.Question) error {
	who, when := q.Answer.By, env.Time(time.UnixMilli(q.Answer.At))
	message := tools.Say{EN: "%s was answered by %s at %s", JA: "%s には %s が %s に回答済みです"}
	switch q.Status {
	case store.Declined:
		message = tools.Say{EN: "%s was declined by %s at %s", JA: "%s は %s が %s に断りました"}
	case store.Withdrawn:
		message = tools.Say{EN: "%s was cancelled by %s at %s", JA: "%s は %s が %s に取り消しました"}
	case store.TimedOut:
		return env.Fail(tools.Conflict, tools.Say{EN: "%s timed out at %s", JA: "%s は %s に期限が切れました"}, q.ID, when)
	}
	if q.Answer.Source == store.FromDefault {
		who = env.Say(tools.Say{EN: "its default", JA: "既定値"})
	}
	return env.Fail(tools.Conflict, message, q.ID, who, when).
		WithHint("techo ask show " + q.ID)
}

// refuse makes one error of several faults.
func refuse(env *tools.Env, faults []tools.Detail) error {
	texts := make([]string, len(faults))
	for i, f := range faults {
		texts[i] = strings.TrimPrefix(f.Path, "/") + env.Say(tools.Say{EN: " ", JA: ": "}) + f.Message
	}
	e := env.Fail(tools.InvalidInput, tools.Say{EN: "%s", JA: "%s"}, strings.Join(texts, "; "))
	e.Details = faults
	return e.WithHint(env.Say(tools.Say{EN: "See techo ask --help", JA: "techo ask --help を参照してください"}))
}

// clean takes blanks and what cannot be seen away from both ends of a text.
func clean(text string) string {
	return strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) })
}
