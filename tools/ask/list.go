package ask

import (
	"context"
	"fmt"
	"strings"
	"time"

	"techo/store"
	"techo/tools"
)

// List lists questions.
var List = tools.Define(tools.Tool{
	Name:    "list_questions",
	Command: "ask list",
	About:   tools.Say{EN: "List the questions that wait for the person", JA: "回答待ちの質問を一覧する"},
	More: tools.Say{
		EN: "The pending ones, oldest first; with another status how they ended, latest first.",
		JA: "回答待ちは古い順。status を指定すると、終わった質問とその結果を新しい順に表示する。",
	},
	Effect: tools.Reads,
	Examples: []tools.Example{
		{Does: tools.Say{EN: "What waits for me?", JA: "回答待ちの質問を見る"}, Line: `ask list -o text`},
	},
}, listQuestions)

// ListIn is the input of list_questions.
type ListIn struct {
	Status string `json:"status" default:"pending" enum:"pending,answered,declined,cancelled,timeout,all" en:"Which questions" ja:"対象の質問"`
	Offset int    `json:"offset" default:"0" min:"0" en:"How many to skip" ja:"スキップする件数"`
	Limit  int    `json:"limit" default:"100" min:"1" max:"1000" en:"How many to list" ja:"取得する最大件数"`
}

// Listed is a question with how it stands.
type Listed struct {
	QuestionID string   `json:"question_id"`
	Question   string   `json:"question"`
	Options    []string `json:"options"`
	Multiple   bool     `json:"multiple"`
	Default    string   `json:"default"`
	NoOther    bool     `json:"no_other,omitempty"`
	Secret     bool     `json:"secret,omitempty"`
	Key        string   `json:"key"`
	Status     string   `json:"status"`
	Answer     string   `json:"answer"`
	Answers    []string `json:"answers"`
	Index      int      `json:"index"`
	Source     string   `json:"source"`
	By         string   `json:"by"`
	Via        string   `json:"via"`
	LatencyMS  int64    `json:"latency_ms"`
	AskedBy    string   `json:"asked_by"`
	Dir        string   `json:"dir"`
	PID        int      `json:"pid"`
	AskedAt    string   `json:"asked_at"`
	ExpiresAt  string   `json:"expires_at,omitempty"`
	AnsweredAt string   `json:"answered_at,omitempty"`
	Late       []Late   `json:"late"`
}

// Late is an answer that came after its question had expired.
type Late struct {
	Answer     string `json:"answer"`
	By         string `json:"by"`
	Via        string `json:"via"`
	AnsweredAt string `json:"answered_at"`
}

// ListOut is the result of list_questions.
type ListOut struct {
	Questions []Listed `json:"questions"`
	Count     int      `json:"count"`
	Total     int      `json:"total"`
	Message   string   `json:"message"`
}

func listed(env *tools.Env, q store.Question) Listed {
	o := outcome(env, q)
	l := Listed{QuestionID: q.ID, Question: q.Text, Options: append([]string{}, q.Options...), Multiple: q.Multiple, Default: q.Default, NoOther: q.Closed, Secret: q.Secret, Key: q.Key,
		Status: q.Status, Answer: o.Answer, Answers: o.Answers, Index: o.Index, Source: o.Source, By: o.By, Via: o.Via, LatencyMS: o.LatencyMS,
		AskedBy: q.AskedBy, Dir: q.Dir, PID: q.PID, AskedAt: env.Time(q.AskedAt), Late: []Late{}}
	if !q.ExpiresAt.IsZero() {
		l.ExpiresAt = env.Time(q.ExpiresAt)
	}
	if q.Answer.At != 0 {
		l.AnsweredAt = env.Time(time.UnixMilli(q.Answer.At))
	}
	for _, a := range q.Late {
		l.Late = append(l.Late, Late{strings.Join(a.Texts, ", "), a.By, a.Via, env.Time(time.UnixMilli(a.At))})
	}
	return l
}

func listQuestions(ctx context.Context, env *tools.Env, in ListIn) (ListOut, error) {
	if in.Status == "all" {
		in.Status = ""
	}
	return find(ctx, env, store.QuestionFilter{Status: in.Status, Offset: in.Offset, Limit: in.Limit})
}

func find(ctx context.Context, env *tools.Env, f store.QuestionFilter) (out ListOut, err error) {
	st, err := env.Store(ctx, tools.Reads)
	if err != nil {
		return out, err
	}
	found, total, err := st.FindQuestions(ctx, f)
	if err != nil {
		return out, err
	}
	out = ListOut{Questions: make([]Listed, 0, len(found)), Count: len(found), Total: total}
	for _, q := range found {
		out.Questions = append(out.Questions, listed(env, q))
	}
	if out.Message = env.Say(tools.Say{EN: "Questions: %d of %d", JA: "質問: %d件 / 全%d件"}, out.Count, total); total == 0 {
		out.Message = env.Say(tools.Say{EN: "There are no such questions", JA: "該当する質問はありません"})
	}
	return out, nil
}

// Text writes a question a paragraph, with its options.
func (o ListOut) Text(env *tools.Env) string {
	lines := []string{o.Message}
	for _, q := range o.Questions {
		lines = append(lines, q.Text(env))
	}
	return strings.Join(lines, "\n")
}

// Text writes the question as the person is asked it, with how it stands.
func (q Listed) Text(env *tools.Env) string {
	lines := []string{fmt.Sprintf("- %s [%s] %s", q.QuestionID, q.Status, strings.ReplaceAll(flat(q.Question), "\n", "\n  "))}
	for i, option := range q.Options {
		lines = append(lines, fmt.Sprintf("    %d. %s", i+1, strings.ReplaceAll(flat(option), "\n", "\n       ")))
	}
	if q.Status == store.Answered {
		lines = append(lines, env.Say(tools.Say{EN: "  answer: %s (%s, %s)", JA: "  回答: %s（%s、%s）"}, q.Answer, q.By, q.AnsweredAt))
	}
	for _, late := range q.Late {
		lines = append(lines, env.Say(tools.Say{EN: "  late answer: %s (%s, %s)", JA: "  期限後の回答: %s（%s、%s）"}, late.Answer, late.By, late.AnsweredAt))
	}
	lines = append(lines, env.Say(tools.Say{EN: "  asked: %s by %s (pid %d) in %s", JA: "  質問: %s %s（pid %d）%s"}, q.AskedAt, q.AskedBy, q.PID, q.Dir))
	return strings.Join(lines, "\n")
}
