package ask

import (
	"context"
	"fmt"
	"strings"
	"time"

	"techo/store/question"
	"techo/tools"
)

// List lists questions.
var List = &tools.Tool{
	Name:        "list_questions",
	For:         tools.Agents,
	Command:     "ask list",
	About:       "List pending questions",
	Details:     "Lists pending questions, oldest first. With another status, the newest come first.",
	Effect:      tools.Reads,
	Preapproved: true,
	Examples: []tools.Example{
		{Does: "Show pending questions", Line: `ask list -o text`},
	},
	Run: tools.Func[ListIn, ListOut](listQuestions),
}

// ListIn is the input of list_questions.
type ListIn struct {
	Status string `json:"status" default:"pending" enum:"pending,answered,declined,cancelled,timeout,all" doc:"Status" list:"bare"`
	Offset int    `json:"offset" default:"0" minimum:"0" doc:"How many to skip" list:"bare"`
	Limit  int    `json:"limit" default:"100" minimum:"1" maximum:"1000" doc:"How many to list" list:"bare"`
}

// Summary is a question with its state.
type Summary struct {
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
	Index      int      `json:"index" compact:"0"`
	Source     string   `json:"source"`
	By         string   `json:"by"`
	Via        string   `json:"via"`

	Assurance question.Assurance `json:"assurance"`
	Needs     question.Assurance `json:"needs,omitempty"` // the least that counts; absent if all do

	LatencyMS   int64  `json:"latency_ms" compact:"-"`
	AskedBy     string `json:"asked_by" compact:"-"`
	Dir         string `json:"dir" compact:"-"`
	PID         int    `json:"pid" compact:"-"`
	AskedAt     string `json:"asked_at"`
	ExpiresAt   string `json:"expires_at,omitempty"`
	AnsweredAt  string `json:"answered_at,omitempty"`
	AnsweredPID int    `json:"answered_pid,omitempty" compact:"-"`
	AnsweredDir string `json:"answered_dir,omitempty" compact:"-"`
	Late        []Late `json:"late"`
}

// Late is an answer that came after its question had expired.
type Late struct {
	Answer     string             `json:"answer"`
	By         string             `json:"by"`
	Via        string             `json:"via"`
	Assurance  question.Assurance `json:"assurance"`
	AnsweredAt string             `json:"answered_at"`
}

// ListOut is the result of list_questions.
type ListOut struct {
	Questions []Summary `json:"questions" compact:"keep"`
	Count     int       `json:"count"`
	Total     int       `json:"total"`
	Message   string    `json:"message"`
}

func summary(env *tools.Env, q question.Question) Summary {
	o := outcome(env, q)
	l := Summary{QuestionID: q.ID, Question: q.Text, Options: append([]string{}, q.Options...), Multiple: q.Multiple,
		Default: q.Default, NoOther: q.Closed, Secret: q.Secret, Key: q.Key,
		Status: q.Status, Answer: o.Answer, Answers: o.Answers, Index: o.Index, Source: o.Source, By: o.By, Via: o.Via,
		Assurance: o.Assurance,
		LatencyMS: o.LatencyMS,
		AskedBy:   q.AskedBy, Dir: q.Dir, PID: q.PID, AskedAt: env.Time(q.AskedAt), Late: []Late{}}
	if q.Assurance != question.None {
		l.Needs = q.Assurance
	}
	if !q.ExpiresAt.IsZero() {
		l.ExpiresAt = env.Time(q.ExpiresAt)
	}
	if q.Answer.At != 0 {
		l.AnsweredAt = env.Time(time.UnixMilli(q.Answer.At))
		l.AnsweredPID, l.AnsweredDir = q.Answer.PID, q.Answer.Dir
	}
	for _, a := range q.Late {
		l.Late = append(l.Late, Late{strings.Join(a.Texts, ", "), a.By, a.Via, a.Assurance,
			env.Time(time.UnixMilli(a.At))})
	}
	return l
}

func listQuestions(ctx context.Context, env *tools.Env, in ListIn) (ListOut, error) {
	if in.Status == "all" {
		in.Status = ""
	}
	return find(ctx, env, question.Filter{Status: in.Status, Offset: in.Offset, Limit: in.Limit})
}

func find(ctx context.Context, env *tools.Env, f question.Filter) (out ListOut, err error) {
	st, err := env.Store(ctx, tools.Reads)
	if err != nil {
		return out, err
	}
	found, total, err := st.FindQuestions(ctx, f)
	if err != nil {
		return out, err
	}
	out = ListOut{Questions: make([]Summary, 0, len(found)), Count: len(found), Total: total}
	for _, q := range found {
		out.Questions = append(out.Questions, summary(env, q))
	}
	if out.Message = env.Localize("Questions: %d of %d", out.Count, total); total == 0 {
		out.Message = env.Localize("No questions found")
	}
	return out, nil
}

// Text shows each question with its options.
func (o ListOut) Text(env *tools.Env) string {
	lines := []string{o.Message}
	for _, q := range o.Questions {
		lines = append(lines, q.Text(env))
	}
	return strings.Join(lines, "\n")
}

// Text shows the question as the person sees it, with its state.
func (q Summary) Text(env *tools.Env) string {
	lines := []string{fmt.Sprintf("- %s [%s] %s", q.QuestionID, q.Status,
		strings.ReplaceAll(normalizeNewlines(q.Question), "\n", "\n  "))}
	for i, option := range q.Options {
		option = strings.ReplaceAll(normalizeNewlines(option), "\n", "\n       ")
		lines = append(lines, fmt.Sprintf("    %d. %s", i+1, option))
	}
	if q.Status == question.Answered {
		lines = append(lines, env.Localize("  answer: %s (%s, via %s, %s)", q.Answer, q.By, q.Via,
			env.MinuteOf(q.AnsweredAt)))
	}
	for _, late := range q.Late {
		lines = append(lines, env.Localize("  late answer: %s (%s, %s)", late.Answer, late.By,
			env.MinuteOf(late.AnsweredAt)))
	}
	lines = append(lines, env.Localize("  asked: %s by %s (pid %d) in %s", env.MinuteOf(q.AskedAt), q.AskedBy, q.PID,
		q.Dir))
	return strings.Join(lines, "\n")
}
