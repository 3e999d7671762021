package ask

import (
	"context"
	"time"

	"techo/store/question"
	"techo/tools"
)

// IDIn is the input of the commands that take only a question's id.
type IDIn struct {
	QuestionID string `json:"question_id" minLength:"1" maxLength:"40" doc:"Id of the question" list:"bare" record:"question"`
}

// ShowOut is the result of ask show.
type ShowOut struct {
	Question Summary `json:"question"`
	Message  string  `json:"message"`
}

// Text shows the question.
func (o ShowOut) Text(env *tools.Env) string { return o.Question.Text(env) }

// Show shows one question.
var Show = &tools.Tool{
	Command: "ask show",
	About:   "Show a question, who asked it, and its outcome",
	Effect:  tools.Reads,
	Words:   []string{"question_id"},
	Examples: []tools.Example{
		{Does: "Show a question", Line: `ask show q1`},
	},
	Run: tools.Func[IDIn, ShowOut](showQuestion),
}

func showQuestion(ctx context.Context, env *tools.Env, in IDIn) (out ShowOut, err error) {
	_, q, err := readQuestion(ctx, env, tools.Reads, in.QuestionID)
	if err != nil {
		return out, err
	}
	return ShowOut{summary(env, q), outcome(env, q).Message}, nil
}

// WaitIn is the input of ask wait.
type WaitIn struct {
	QuestionID string `json:"question_id" minLength:"1" maxLength:"40" doc:"Id of the question" list:"bare" record:"question"`
	Wait       period `json:"wait" default:"100s" doc:"How long to wait, e.g. 30s" list:"bare"`
}

// Wait resumes waiting for a question.
var Wait = &tools.Tool{
	Name:    "wait_for_answer",
	For:     tools.Agents,
	Command: "ask wait",
	About:   "Wait for the answer to an earlier question",
	More:    "Use it when the status of a question is pending.",
	Details: "Do something else first if you can. Returns the result of the question.",
	Effect:  tools.Asks,
	Words:   []string{"question_id"},
	Examples: []tools.Example{
		{Does: "Wait for ten minutes", Line: `ask wait q1 --wait 10m`},
	},
	Run: tools.Func[WaitIn, Outcome](waitForAnswer),
}

func waitForAnswer(ctx context.Context, env *tools.Env, in WaitIn) (out Outcome, err error) {
	c := &check{env: env}
	wait := c.wait(string(in.Wait))
	if len(c.problems) > 0 {
		return out, refuse(env, c.problems...)
	}
	st, q, err := readQuestion(ctx, env, tools.Asks, in.QuestionID)
	if err != nil {
		return out, err
	}
	w := &waiter{env: env, store: st, question: q, wait: wait, began: time.Now()}
	return w.run(ctx)
}

// Cancel withdraws a question.
var Cancel = &tools.Tool{
	Command: "ask cancel",
	Aliases: []string{"ask remove", "ask delete"},
	About:   "Cancel a question",
	Effect:  tools.Changes,
	Words:   []string{"question_id"},
	Examples: []tools.Example{
		{Does: "Cancel a question", Line: `ask "Never mind?" --wait 0; techo ask cancel q3`},
	},
	Run: tools.Func[IDIn, Outcome](cancelQuestion),
}

func cancelQuestion(ctx context.Context, env *tools.Env, in IDIn) (out Outcome, err error) {
	st, err := env.Store(ctx, tools.Asks)
	if err != nil {
		return out, err
	}
	q, _, err := st.SettleQuestion(ctx, in.QuestionID, question.Withdrawn,
		question.Answer{By: env.User, Via: byCommand, PID: env.Ask.PID, Dir: env.Dir})
	if err != nil {
		return out, explain(env, err)
	}
	out = outcome(env, q)
	out.quiet = true
	return out, nil
}

// HistoryIn is the input of ask history.
type HistoryIn struct {
	Offset int `json:"offset" default:"0" minimum:"0" doc:"How many to skip" list:"bare"`
	Limit  int `json:"limit" default:"20" minimum:"1" maximum:"1000" doc:"How many to list" list:"bare"`
}

// History lists all questions.
var History = &tools.Tool{
	Command: "ask history",
	About:   "List all questions with their answers, newest first",
	Effect:  tools.Reads,
	Examples: []tools.Example{
		{Does: "Show earlier questions and answers", Line: `ask history -o text`},
	},
	Run: tools.Func[HistoryIn, ListOut](questionHistory),
}

func questionHistory(ctx context.Context, env *tools.Env, in HistoryIn) (ListOut, error) {
	return find(ctx, env, question.Filter{Offset: in.Offset, Limit: in.Limit})
}
