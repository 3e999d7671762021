package ask

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"techo/store"
	"techo/store/ledger"
	"techo/store/question"
	"techo/tools"
)

// Outcome is the state of a question and its answer.
type Outcome struct {
	QuestionID string   `json:"question_id"`
	Status     string   `json:"status"`
	Answer     string   `json:"answer"`
	Index      int      `json:"index"` // number of the option, from 1; 0 if no option was picked
	Answers    []string `json:"answers"`
	Indexes    []int    `json:"indexes"`
	Source     string   `json:"source"`
	By         string   `json:"by"`
	Via        string   `json:"via"`

	Assurance question.Assurance `json:"assurance"`

	LatencyMS int64 `json:"latency_ms"`
	Late      bool  `json:"late,omitempty"` // the answer came after the question had expired
	// error of the notification program
	NotifyProblem string `json:"notify_problem,omitempty"`
	Hint          string `json:"hint,omitempty"`
	Message       string `json:"message"`

	quiet bool // the exit code is 0 in every state
}

// Text returns the answer. Without one it returns the message and the hint.
func (o Outcome) Text(*tools.Env) string {
	switch {
	case o.Status == question.Answered && !o.quiet:
		return o.Answer
	case o.Hint != "":
		return o.Message + "\n" + o.Hint
	}
	return o.Message
}

// Outcome sets different exit codes for an answer, a pending question, a timeout
// and a refusal.
func (o Outcome) Outcome() tools.Code {
	if o.quiet {
		return ""
	}
	switch o.Status {
	case question.Pending:
		return tools.Busy
	case question.TimedOut:
		return tools.Timeout
	case question.Declined, question.Withdrawn:
		return tools.Cancelled
	}
	return ""
}

func outcome(env *tools.Env, q question.Question) Outcome {
	a := q.Answer
	o := Outcome{QuestionID: q.ID, Status: q.Status, Answers: []string{}, Indexes: []int{}, Source: a.Source, By: a.By,
		Via: a.Via, Assurance: cmp.Or(a.Assurance, question.None)}
	o.Answers, o.Indexes = append(o.Answers, a.Texts...), append(o.Indexes, a.Indexes...)
	o.Answer = strings.Join(a.Texts, ", ")
	if len(a.Indexes) == 1 && len(a.Texts) == 1 {
		o.Index = a.Indexes[0]
	}
	if a.At != 0 {
		o.LatencyMS = max(0, a.At-q.AskedAt.UnixMilli()) // the clock may have been set back
	}
	switch {
	case q.Status == question.Pending && q.ID == "":
		o.Message = env.Localize("No answer yet, and the question could not be stored")
	case q.Status == question.Pending:
		o.Message = env.Localize("No answer yet (id: %s)", q.ID)
		o.Hint = env.Hint("%s", tools.Use("ask wait", q.ID))
	case q.Status == question.Answered && a.Source == question.FromDefault:
		o.Message = env.Localize("No answer in time; the default was used (%s)", o.Answer)
	case q.Status == question.Answered && q.Secret:
		o.Message = env.Localize("A secret was entered")
	case q.Status == question.Answered:
		o.Message = env.Localize(answeredHow(a), o.Answer)
	case q.Status == question.Declined && o.Assurance == question.None:
		o.Message = env.Localize("The question was declined")
	case q.Status == question.Declined:
		o.Message = env.Localize("The person declined to answer")
	case q.Status == question.Withdrawn:
		o.Message = env.Localize("The question was cancelled")
	default:
		o.Message = env.Localize("No answer in time")
	}
	return o
}

// answeredHow returns the message for an answer: it claims no more than is known.
func answeredHow(a question.Answer) tools.Text {
	switch {
	case question.None.Less(a.Assurance):
		return "The person answered: %s"
	case a.Via == byPage:
		return "Answered on the page: %s"
	case a.Via == byCommand:
		return "Answered by a command: %s"
	case a.Via == string(tools.OnStdin):
		return "Answered on stdin: %s"
	}
	return "Answered on a terminal: %s"
}

func readQuestion(ctx context.Context, env *tools.Env, effect tools.Effect, id string) (*store.Store, question.Question,
	error) {
	st, err := env.Store(ctx, effect)
	if err != nil {
		return nil, question.Question{}, err
	}
	q, err := st.GetQuestion(ctx, id)
	return st, q, explain(env, err)
}

// explain converts the store's errors to sentences about questions.
func explain(env *tools.Env, err error) error {
	var (
		missing *ledger.NotFoundError
		reused  *ledger.ReusedKeyError
		settled *question.SettledError
	)
	switch {
	case errors.As(err, &missing):
		return env.Fail(tools.NotFound, "Question not found: %s", missing.Name).
			WithHint(env.Hint("See %s", tools.Use("ask list")))
	case errors.As(err, &reused):
		return env.Fail(tools.Conflict, "The key %q was used for another question", reused.Key).
			WithHint(env.Hint("Use a new key for a new question"))
	case errors.As(err, &settled):
		return conflict(env, settled.Question)
	}
	return err
}

func conflict(env *tools.Env, q question.Question) error {
	who, when := q.Answer.By, env.Minute(time.UnixMilli(q.Answer.At))
	message := tools.Text("%s was answered by %s at %s")
	switch q.Status {
	case question.Declined:
		message = "%s was declined by %s at %s"
	case question.Withdrawn:
		message = "%s was cancelled by %s at %s"
	case question.TimedOut:
		return env.Fail(tools.Conflict, "%s timed out at %s", q.ID, when)
	}
	if q.Answer.Source == question.FromDefault {
		who = env.Localize("its default")
	}
	return env.Fail(tools.Conflict, message, q.ID, who, when).
		WithHint(env.Hint("%s", tools.Use("ask show", q.ID)))
}

func refuse(env *tools.Env, problems ...tools.Detail) error {
	return tools.InvalidError(env, problems).WithHint(env.Hint("See %s", tools.Help("ask")))
}
