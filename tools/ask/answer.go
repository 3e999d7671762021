package ask

import (
	"context"

	"techo/store"
	"techo/tools"
)

// Reply answers a question that waits.
var Reply = tools.Define(tools.Tool{
	Name:    "answer_question",
	Command: "ask answer",
	About:   tools.Say{EN: "Answer a question that waits for the person", JA: "待機中の質問に回答する"},
	More: tools.Say{
		EN: "For the person, or for a program through which the person answers; an agent does not answer for them. A number picks an option, anything else is an answer in their own words. The first answer wins. One to a question that has expired is kept as late.",
		JA: "本人、または本人の回答を取り次ぐプログラムが使う。エージェントが代わりに答えてはならない。番号は選択肢、それ以外は自由回答。最初の回答が有効。期限切れの質問への回答は late として残す。",
	},
	Effect:  tools.Changes,
	Words:   []string{"question_id", "answer"},
	Refused: tools.Say{EN: "Could not answer: %s", JA: "回答できませんでした: %s"},
	Examples: []tools.Example{
		{Does: tools.Say{EN: "Pick the first option", JA: "1番の選択肢を選ぶ"}, Line: `ask answer q1 1`},
	},
}, answerQuestion)

// AnswerIn is the input of answer_question.
type AnswerIn struct {
	QuestionID string  `json:"question_id" min:"1" max:"40" en:"Id of the question" ja:"質問のID"`
	Answer     *string `json:"answer" max:"100000" en:"The answer: an option's number or words, or any text" ja:"回答。選択肢の番号か文言、または自由な文"`
	Decline    bool    `json:"decline,omitempty" en:"Decline to answer" ja:"回答を断る"`
}

func answerQuestion(ctx context.Context, env *tools.Env, in AnswerIn) (out Outcome, err error) {
	fault := func(path string, s tools.Say, args ...any) error {
		return refuse(env, []tools.Detail{{Path: path, Message: env.Say(s, args...)}})
	}
	switch {
	case in.Decline && in.Answer != nil:
		return out, fault("/answer", tools.Say{EN: "cannot be given with decline", JA: "decline と同時には指定できません"})
	case !in.Decline && in.Answer == nil:
		return out, fault("/answer", tools.Say{EN: "is required, or decline", JA: "必須です（断る場合は decline）"})
	}
	st, err := env.Store(ctx, tools.Asks)
	if err != nil {
		return out, err
	}
	status, a := store.Declined, store.Answer{}
	if !in.Decline {
		q, err := st.GetQuestion(ctx, in.QuestionID)
		if err != nil {
			return out, explain(env, err)
		}
		if q.Secret {
			return out, env.Fail(tools.Unavailable, tools.Say{EN: "%s asks for a secret, which is only typed at the terminal that asks", JA: "%s は秘密の入力のため、尋ねている端末でのみ回答できます"}, q.ID)
		}
		answer, v := parse(q, *in.Answer)
		switch status, a = store.Answered, answer; v {
		case isEmpty:
			return out, fault("/answer", tools.Say{EN: "must not be empty", JA: "空にできません"})
		case isOutOfRange:
			return out, fault("/answer", rangeText, len(q.Options))
		}
	}
	a.By, a.Via = env.User, "queue"
	q, late, err := st.SettleQuestion(ctx, in.QuestionID, status, a)
	if err != nil {
		return out, explain(env, err)
	}
	out = outcome(env, q)
	out.quiet = true
	switch {
	case late:
		out.Late = true
		out.Message = env.Say(tools.Say{EN: "%s had expired; the answer is kept as late", JA: "%s は期限切れのため、回答は late として残しました"}, q.ID)
	case in.Decline:
		out.Message = env.Say(tools.Say{EN: "%s is declined", JA: "%s への回答を断りました"}, q.ID)
	default:
		out.Message = env.Say(tools.Say{EN: "%s is answered: %s", JA: "%s に回答しました: %s"}, q.ID, out.Answer)
	}
	return out, nil
}
