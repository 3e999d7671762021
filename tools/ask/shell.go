package ask

import (
	"context"
	"time"

	"techo/store"
	"techo/tools"
)

// IDIn is the input of the commands that take a question's id and no more.
type IDIn struct {
	QuestionID string `json:"question_id" min:"1" max:"40" en:"Id of the question" ja:"質問のID"`
}

// ShowOut is the result of ask show.
type ShowOut struct {
	Question Listed `json:"question"`
	Message  string `json:"message"`
}

// Text writes the question.
func (o ShowOut) Text(env *tools.Env) string { return o.Question.Text(env) }

// Show shows one question.
var Show = tools.Define(tools.Tool{
	Command: "ask show",
	About:   tools.Say{EN: "Show a question, who asked it, and what became of it", JA: "質問の詳細と結果を表示する"},
	Effect:  tools.Reads,
	Words:   []string{"question_id"},
	Examples: []tools.Example{
		{Does: tools.Say{EN: "Show a question", JA: "質問を表示する"}, Line: `ask show q1`},
	},
}, func(ctx context.Context, env *tools.Env, in IDIn) (out ShowOut, err error) {
	st, err := env.Store(ctx, tools.Reads)
	if err != nil {
		return out, err
	}
	q, err := st.GetQuestion(ctx, in.QuestionID)
	if err != nil {
		return out, explain(env, err)
	}
	return ShowOut{listed(env, q), outcome(env, q).Message}, nil
})

// WaitIn is the input of ask wait.
type WaitIn struct {
	QuestionID string `json:"question_id" min:"1" max:"40" en:"Id of the question" ja:"質問のID"`
	Wait       string `json:"wait" default:"100s" min:"1" max:"40" en:"How long to wait, e.g. 30s" ja:"待つ時間（例: 30s）"`
}

// Wait takes the wait for a question up again.
var Wait = tools.Define(tools.Tool{
	Command: "ask wait",
	About:   tools.Say{EN: "Wait for the answer to a question that was asked before", JA: "質問済みの回答を待つ"},
	More: tools.Say{
		EN: "Answers as techo ask does, with the same exit codes.",
		JA: "techo ask と同じ結果と終了コードを返す。",
	},
	Effect: tools.Asks,
	Words:  []string{"question_id"},
	Examples: []tools.Example{
		{Does: tools.Say{EN: "Wait for ten minutes", JA: "10分待つ"}, Line: `ask wait q1 --wait 10m`},
	},
}, func(ctx context.Context, env *tools.Env, in WaitIn) (out Outcome, err error) {
	wait, e := tools.ParseDuration(in.Wait)
	if e != nil || wait > maxWait {
		return out, refuse(env, []tools.Detail{{Path: "/wait", Message: env.Say(tools.Say{EN: "must be a time such as 30s, at most 24h, not %q", JA: "30s のような時間（最大 24h）にしてください（%q は不可）"}, in.Wait)}})
	}
	st, err := env.Store(ctx, tools.Asks)
	if err != nil {
		return out, err
	}
	q, err := st.GetQuestion(ctx, in.QuestionID)
	if err != nil {
		return out, explain(env, err)
	}
	w := &waiter{env: env, store: st, question: q, wait: wait, began: time.Now()}
	return w.run(ctx)
})

// Cancel takes a question back.
var Cancel = tools.Define(tools.Tool{
	Command: "ask cancel",
	About:   tools.Say{EN: "Take a question back", JA: "質問を取り消す"},
	Effect:  tools.Changes,
	Words:   []string{"question_id"},
	Examples: []tools.Example{
		{Does: tools.Say{EN: "Take a question back", JA: "質問を取り消す"}, Line: `ask "Never mind?" --wait 0; techo ask cancel q3`},
	},
}, func(ctx context.Context, env *tools.Env, in IDIn) (out Outcome, err error) {
	st, err := env.Store(ctx, tools.Asks)
	if err != nil {
		return out, err
	}
	q, _, err := st.SettleQuestion(ctx, in.QuestionID, store.Withdrawn, store.Answer{By: env.User, Via: "queue"})
	if err != nil {
		return out, explain(env, err)
	}
	out = outcome(env, q)
	out.quiet = true
	return out, nil
})

// HistoryIn is the input of ask history.
type HistoryIn struct {
	Offset int `json:"offset" default:"0" min:"0" en:"How many to skip" ja:"スキップする件数"`
	Limit  int `json:"limit" default:"20" min:"1" max:"1000" en:"How many to list" ja:"取得する最大件数"`
}

// History lists all questions.
var History = tools.Define(tools.Tool{
	Command: "ask history",
	About:   tools.Say{EN: "List all questions with their answers, latest first", JA: "すべての質問と回答を新しい順に一覧する"},
	Effect:  tools.Reads,
	Examples: []tools.Example{
		{Does: tools.Say{EN: "What did I answer?", JA: "これまでの回答を見る"}, Line: `ask history -o text`},
	},
}, func(ctx context.Context, env *tools.Env, in HistoryIn) (ListOut, error) {
	return find(ctx, env, store.QuestionFilter{Offset: in.Offset, Limit: in.Limit})
})
