package ask

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"techo/store"
	"techo/tools"
)

// Ask puts a question to the person.
var Ask = tools.Define(tools.Tool{
	Name:    "ask_user",
	Command: "ask",
	About:   tools.Say{EN: "Ask the user a question and wait for their response", JA: "ユーザーに質問し、回答を待つ"},
	More: tools.Say{
		EN: "Use it before anything dangerous, and when only the person can decide. They pick an option or answer in their own words. Silence is never an answer: the status is then pending, and the question stays open under its id; ask again with the same key, or wait for the id. Only answered means that the person answered.",
		JA: "危険な操作の前や、本人にしか決められないことを確認する場合に使用する。選択肢のほか自由回答もできる。無回答は回答ではない。その場合 status は pending となり、質問は ID と共に残る。同じ key で再度尋ねるか、その ID を待つこと。本人が答えたのは answered の時だけである。",
	},
	Effect:  tools.Asks,
	Words:   []string{"question"},
	Refused: tools.Say{EN: "Could not ask: %s", JA: "質問できませんでした: %s"},
	Examples: []tools.Example{
		{Does: tools.Say{EN: "Ask with options; the answer comes from the terminal, or from techo ask answer", JA: "選択肢付きで尋ねる（端末か techo ask answer で回答）"}, Line: `ask "Delete these files?" --option Yes --option No --wait 0; echo "exit code $?"`},
		{Does: tools.Say{EN: "Take the answer from stdin", JA: "標準入力から回答を読む"}, Line: `ask "Which colour?" --via stdin <<< blue`},
	},
}, askUser)

// Limits of a question.
const (
	maxOptions = 20
	maxWait    = 24 * time.Hour
)

// AskIn is the input of ask_user.
type AskIn struct {
	Question string   `json:"question" min:"1" max:"20000" en:"The question to ask the user" ja:"ユーザーへの質問"`
	Options  []string `json:"options,omitempty" most:"20" min:"1" max:"2000" en:"Optional list of choices for the user" ja:"選択肢のリスト（省略可）"`
	Multiple bool     `json:"multiple,omitempty" en:"Several options may be picked: 1,3 or 1-3" ja:"複数選択できる（1,3 や 1-3）"`
	Default  string   `json:"default,omitempty" min:"1" max:"2000" en:"Taken when the question expires without an answer, and marked so" ja:"無回答のまま期限が切れた時に使う値（その旨が明示される）"`
	NoOther  bool     `json:"no_other,omitempty" en:"Only an option is an answer, not the person's own words" ja:"自由回答を認めず、選択肢のみとする"`
	Secret   bool     `json:"secret,omitempty" en:"What is typed is not shown and not kept; only at a terminal" ja:"入力を表示せず、保存もしない（端末でのみ）"`
	Wait     string   `json:"wait" default:"100s" min:"1" max:"40" en:"How long to wait for the answer, e.g. 30s; the question stays open after it" ja:"回答を待つ時間（例: 30s）。過ぎても質問は残る"`
	Expires  string   `json:"expires,omitempty" min:"1" max:"40" en:"When the question is no longer worth an answer: a time from now (10m), or an instant" ja:"質問の期限。今からの時間（10m）か日時"`
	Key      string   `json:"key,omitempty" min:"1" max:"200" en:"The same key is the same question: it is not asked twice" ja:"同じキーは同じ質問とみなし、二度尋ねない"`
	Via      string   `json:"via" default:"auto" enum:"auto,tty,queue,stdin" en:"Where to ask: auto is the terminal when it is safe to use, else the queue that techo ask answer answers" ja:"尋ねる場所。auto は安全に使える端末、なければ techo ask answer で答えるキュー"`
}

func askUser(ctx context.Context, env *tools.Env, in AskIn) (out Outcome, err error) {
	draft, wait, err := in.draft(env)
	if err != nil {
		return out, err
	}
	if wait == 0 && in.Via == "auto" && !in.Secret {
		in.Via = "queue" // nobody can answer at once
	}
	term, err := in.reach(env)
	if err != nil {
		return out, err
	}
	if term != nil {
		defer term.Close()
	}
	w := &waiter{env: env, term: term, via: in.Via, wait: wait, began: time.Now()}
	if in.Via != string(tools.OnStdin) {
		w.via = string(tools.OnTerminal)
	}
	st, err := env.Store(ctx, tools.Asks)
	if err == nil {
		w.store = st
		w.question, err = st.AddQuestion(ctx, draft)
	}
	switch {
	case errors.As(err, new(*store.ReusedKeyError)):
		return out, explain(env, err)
	case err != nil && term == nil:
		return out, err
	case err != nil: // the person is here, and can be asked all the same
		w.store, w.question = nil, draft
		w.question.Status, w.question.AskedAt = store.Pending, env.Now()
	}
	notified := notify(ctx, env, w.question)
	out, err = w.run(ctx)
	if problem := notified(err != nil || out.Status != store.Pending); problem != nil {
		out.NotifyProblem = problem.Error()
	}
	return out, err
}

// reach opens the channel that a question needs; nil is the queue.
func (in AskIn) reach(env *tools.Env) (tools.Terminal, error) {
	if !in.Secret {
		return reach(env, in.Via)
	}
	reason := "--via " + in.Via
	if in.Via == "auto" || in.Via == "tty" {
		term, err := env.Reach(tools.OnTerminal)
		if err == nil {
			if err = hide(term); err == nil {
				return term, nil
			}
			_ = term.Close()
		}
		reason = strings.TrimPrefix(err.Error(), "terminal: ")
	}
	return nil, env.Fail(tools.Unavailable, tools.Say{EN: "A secret is only asked for at a terminal: %s", JA: "秘密の入力は端末でのみ尋ねられます: %s"}, reason).
		WithHint(env.Say(tools.Say{EN: "Ask where the person types", JA: "本人が入力する端末で実行してください"}))
}

func hide(term tools.Terminal) error {
	if h, ok := term.(tools.Hider); ok {
		return h.Hide()
	}
	return &tools.NoTerminalError{Reason: "it shows what is typed"}
}

// patience is how long telling the person of a question may take.
const patience = 10 * time.Second

// notify tells the person of a question by the program that they chose, while
// it waits. The function that it returns waits for the end of that, or puts an
// end to it when the person knows already.
func notify(ctx context.Context, env *tools.Env, q store.Question) (done func(known bool) error) {
	if env.Notify == nil || q.Status != store.Pending {
		return func(bool) error { return nil }
	}
	within, stop := context.WithTimeout(ctx, patience)
	ended := make(chan error, 1)
	go func() { ended <- env.Notify(within, q.ID, q.Text) }()
	return func(known bool) error {
		defer stop()
		if known {
			stop()
		}
		if err := <-ended; !known {
			return err
		}
		return nil
	}
}

// reach opens the channel that was asked for; nil is the queue.
func reach(env *tools.Env, via string) (tools.Terminal, error) {
	switch via {
	case "queue":
		return nil, nil
	case "stdin":
		term, err := env.Reach(tools.OnStdin)
		return term, noTerminal(env, err)
	}
	term, err := env.Reach(tools.OnTerminal)
	if via == "auto" && errors.As(err, new(*tools.NoTerminalError)) {
		return nil, nil
	}
	return term, noTerminal(env, err)
}

func noTerminal(env *tools.Env, err error) error {
	if no := new(tools.NoTerminalError); errors.As(err, &no) {
		return env.Fail(tools.Unavailable, tools.Say{EN: "No terminal can be asked: %s", JA: "尋ねられる端末がありません: %s"}, no.Reason).
			WithHint(env.Say(tools.Say{EN: "--via queue leaves the question for techo ask answer", JA: "--via queue を指定すると、techo ask answer で回答できます"}))
	}
	return err
}

// draft checks what the schema cannot, all at once.
func (in AskIn) draft(env *tools.Env) (q store.Question, wait time.Duration, err error) {
	var faults []tools.Detail
	fault := func(path string, s tools.Say, args ...any) {
		faults = append(faults, tools.Detail{Path: path, Message: env.Say(s, args...)})
	}
	now := env.Now()
	q = store.Question{Key: in.Key, Text: in.Question, Options: in.Options, Multiple: in.Multiple, Default: in.Default, Closed: in.NoOther, Secret: in.Secret,
		AskedBy: env.User, Dir: env.Dir, PID: env.PID}
	if clean(in.Question) == "" {
		fault("/question", tools.Say{EN: "must not be empty", JA: "空にできません"})
	}
	for i, o := range in.Options {
		if clean(o) == "" {
			fault("/options", tools.Say{EN: "option %d is empty", JA: "選択肢 %d が空です"}, i+1)
		} else if j := slices.Index(in.Options, o); j < i {
			fault("/options", tools.Say{EN: "options %d and %d are the same", JA: "選択肢 %d と %d が同じです"}, j+1, i+1)
		}
	}
	if in.Default != "" && len(in.Options) > 0 && !slices.Contains(in.Options, in.Default) {
		fault("/default", tools.Say{EN: "the default %q is not one of the options", JA: "既定値「%s」は選択肢にありません"}, in.Default)
	}
	if in.NoOther && len(in.Options) == 0 {
		fault("/no_other", tools.Say{EN: "needs options", JA: "options が必要です"})
	}
	if in.Secret {
		for _, f := range []struct {
			name  string
			given bool
		}{{"options", len(in.Options) > 0}, {"multiple", in.Multiple}, {"default", in.Default != ""}, {"expires", in.Expires != ""}, {"key", in.Key != ""}} {
			if f.given {
				fault("/"+f.name, tools.Say{EN: "cannot be given with secret", JA: "secret と同時には指定できません"})
			}
		}
	}
	wait, e := tools.ParseDuration(in.Wait)
	if e != nil || wait > maxWait {
		fault("/wait", tools.Say{EN: "must be a time such as 30s, at most 24h, not %q", JA: "30s のような時間（最大 24h）にしてください（%q は不可）"}, in.Wait)
	}
	if in.Secret { // nobody can answer it once this terminal is gone
		q.ExpiresAt = now.Add(max(wait, time.Second)).Truncate(time.Millisecond)
	}
	if in.Expires != "" {
		if q.ExpiresAt, e = expiry(now, in.Expires); e != nil || !q.ExpiresAt.After(now) {
			fault("/expires", tools.Say{EN: "must be a time from now such as 10m, or an instant to come, not %q", JA: "10m のような時間か、未来の日時にしてください（%q は不可）"}, in.Expires)
		}
	}
	if len(faults) > 0 {
		return q, wait, refuse(env, faults)
	}
	if len(in.Options) > maxOptions {
		return q, wait, env.Fail(tools.LimitExceeded, tools.Say{EN: "at most %d options, not %d", JA: "選択肢は%d個までです（%d個指定されました）"}, maxOptions, len(in.Options)).
			WithHint(env.Say(tools.Say{EN: "Offer the likeliest; the person may answer anything", JA: "主な選択肢に絞ってください。自由回答もできます"}))
	}
	return q, wait, nil
}

// expiry reads a time from now, or an instant.
func expiry(now time.Time, text string) (time.Time, error) {
	if d, err := tools.ParseDuration(text); err == nil {
		return now.Add(d).Truncate(time.Millisecond), nil
	}
	return time.Parse(time.RFC3339, text)
}
