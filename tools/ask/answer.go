package ask

import (
	"context"

	"techo/store/question"
	"techo/tools"
)

// Reply answers a pending question.
var Reply = &tools.Tool{
	Name:    "answer_question",
	For:     tools.Persons,
	Command: "ask answer",
	About:   "Answer a pending question",
	More: "For the person: it answers only if its standard input is a terminal, and asks for the secret if one is " +
		"set. The MCP session or HTTP client that asked cannot answer. An option's number or text picks it; other " +
		"text is a free answer. The first answer wins; an answer to an expired question is kept as late.",
	Notes:   []tools.Note{{Text: "%s sets a secret.", Names: []string{"ask secret set"}, Shell: true}},
	Effect:  tools.Changes,
	Words:   []string{"question_id", "answer"},
	Refused: "Could not answer: %s",
	Examples: []tools.Example{
		{Does: "Pick the first option", Line: `ask answer q1 1`},
	},
	Run: tools.Func[AnswerIn, Outcome](answerQuestion),
}

// AnswerIn is the input of answer_question.
type AnswerIn struct {
	QuestionID string  `json:"question_id" minLength:"1" maxLength:"40" doc:"Id of the question" list:"bare" record:"question"`
	Answer     *string `json:"answer" maxLength:"100000" doc:"An option's number or text, or a free answer"`
	OwnWords   bool    `json:"own_words,omitempty" doc:"Take the answer as it is, even if it is a number"`
	Decline    bool    `json:"decline,omitempty" doc:"Decline to answer"`
}

func answerQuestion(ctx context.Context, env *tools.Env, in AnswerIn) (out Outcome, err error) {
	problem := func(path string, s tools.Text, args ...any) error {
		return refuse(env, tools.Detail{Path: path, Message: env.Localize(s, args...)})
	}
	switch {
	case in.Decline && in.Answer != nil:
		return out, problem("/answer", "cannot be combined with decline")
	case !in.Decline && in.Answer == nil:
		return out, problem("/answer", "is required unless decline is given")
	}
	st, asked, err := readQuestion(ctx, env, tools.Asks, in.QuestionID)
	if err != nil {
		return out, err
	}
	via := channelOf(env)
	if _, err := permit(env, asked, via); err != nil {
		return out, err
	}
	status, a := question.Declined, question.Answer{}
	if !in.Decline {
		if asked.Secret {
			return out, env.Fail(tools.Unavailable,
				"%s asks for a secret; type it at the terminal that asks", asked.ID)
		}
		r := newReader(asked)
		read := r.read
		if in.OwnWords {
			read = r.ownWords
		}
		answer, v := read(*in.Answer)
		if status, a = question.Answered, answer; v != isAnswer {
			return out, refuse(env, tools.Detail{Path: "/answer", Message: r.problem(env, v)})
		}
	}
	p, err := permitCall(ctx, env, asked, via) // asks for the secret only if the rest is right
	if err != nil {
		return out, err
	}
	a.By, a.Via, a.PID, a.Dir, a.Assurance = env.User, via, env.Ask.PID, env.Dir, p.assurance
	q, late, err := st.SettleQuestion(ctx, in.QuestionID, status, a)
	if err != nil {
		return out, explain(env, err)
	}
	out = outcome(env, q)
	out.quiet = true
	switch {
	case late:
		out.Late = true
		out.Message = env.Localize("%s has expired; the answer was kept as late", q.ID)
	case in.Decline:
		out.Message = env.Localize("Declined %s", q.ID)
	default:
		out.Message = env.Localize("Answered %s: %s", q.ID, out.Answer)
	}
	return out, nil
}
