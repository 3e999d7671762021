// Package ask is the family of tools that ask the person, on a safe terminal or
// through a queue that outlives the asking process.
package ask

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"time"

	"techo/store/ledger"
	"techo/store/question"
	"techo/tools"
	"techo/tools/person"
)

// Tools returns the family in the order of the help.
func Tools() []*tools.Tool { return []*tools.Tool{Ask, List, Reply, Wait} }

// Shell returns the commands that only a person at a shell uses.
func Shell() []*tools.Tool { return append([]*tools.Tool{Show, Cancel, Watch, History}, Secrets()...) }

// Ask asks the person a question.
var Ask = &tools.Tool{
	Name:    "ask_user",
	For:     tools.Agents,
	Command: "ask",
	About:   "Ask the user a question and wait for their response",
	More: "Use it before dangerous actions and for decisions that only the person can make. Only " +
		"the status answered is an answer.",
	Details: "The person picks an option or answers freely. A timeout is not an answer: the status is " +
		"then pending and the question stays open; asking again with the same key continues it. " +
		"The source of an answer may be default.",
	Notes: []tools.Note{
		{Text: "%s waits for the answer.", Names: []string{"ask wait"}},
	},
	Effect:  tools.Asks,
	Words:   []string{"question"},
	Refused: "Could not ask: %s",
	Examples: []tools.Example{
		{Does: "Ask with options; the answer comes from the terminal, or from techo ask watch elsewhere",
			Line: `ask "Delete these files?" --option Yes --option No --wait 0; echo $?`},
		{Does: "Take the answer from stdin", Line: `ask "Which colour?" --via stdin <<< blue`},
	},
	Run: tools.Func[AskIn, Outcome](askUser),
}

// Limits of a question.
const (
	maxOptionBytes = 256 << 10 // of all options together
	maxWait        = 24 * time.Hour
)

// AskIn is the input of ask_user.
type AskIn struct {
	Question string  `json:"question" format:"nonblank" maxLength:"20000" doc:"The question to ask the user" list:"bare"`
	Options  choices `json:"options,omitempty" doc:"Optional list of choices for the user" list:"bare"`
	Multiple bool    `json:"multiple,omitempty" doc:"Allow several options, e.g. 1 3, 1,3 or 1-3"`
	Default  string  `json:"default,omitempty" format:"nonblank" maxLength:"2000" doc:"Answer to use at expiry"`
	NoOther  bool    `json:"no_other,omitempty" doc:"Accept only an option, no free answer"`
	Secret   bool    `json:"secret,omitempty" doc:"Hide the typed answer and do not store it; terminal only" list:"-"`
	Wait     period  `json:"wait" default:"100s" doc:"Time to wait; then the question stays open"`
	Expires  period  `json:"expires,omitempty" doc:"Expiry: a duration (10m) or a time (2026-01-05T14:00:00+09:00)"`
	Key      string  `json:"key,omitempty" format:"name" maxLength:"200" doc:"Calls with the same key ask only once"`
	Via      string  `json:"via" default:"auto" enum:"auto,tty,queue,stdin" doc:"auto: a safe terminal, or the queue" list:"-"`

	Assurance question.Assurance `json:"assurance" default:"none" doc:"The least that counts as an answer"`
}

// period is a duration, such as 30s or 2m, or a number of seconds.
type period string

// FieldTags limits the length of a period.
func (period) FieldTags() reflect.StructTag { return `minLength:"1" maxLength:"40" allowNumber:"true"` }

type choices []string

// FieldTags limits the length of an option. Their number is limited by
// maxOptionBytes.
func (choices) FieldTags() reflect.StructTag { return `format:"nonblank" maxLength:"2000"` }

func askUser(ctx context.Context, env *tools.Env, in AskIn) (out Outcome, err error) {
	draft, wait, err := in.draft(env)
	if err != nil {
		return out, err
	}
	if wait == 0 && in.Via == "auto" && !in.Secret {
		in.Via = "queue" // an immediate answer is impossible
	}
	term, err := in.openTerminal(env)
	if err != nil {
		return out, err
	}
	if term != nil {
		defer term.Close()
	}
	if in.Secret {
		if _, err := permit(env, draft, string(tools.OnTerminal)); err != nil {
			return out, err
		}
	}
	w := &waiter{env: env, term: term, via: in.Via, wait: wait, began: time.Now()}
	if in.Via != string(tools.OnStdin) {
		w.via = string(tools.OnTerminal)
	}
	if err := w.save(ctx, draft); err != nil {
		return out, err
	}
	if w.lacksSecret() {
		return w.withoutSecret(), nil
	}
	w.mayAsk()
	notified := notify(ctx, env, w.question)
	out, err = w.run(ctx)
	if problem := notified(err != nil || out.Status != question.Pending); problem != nil {
		out.NotifyProblem = problem.Error()
	}
	return out, err
}

const notifyLimit = 10 * time.Second

// notify runs the person's notification program while the question waits. The
// caller must call done at the end: with answered set, done stops the program and
// ignores its error; otherwise it waits for the program and returns its error.
func notify(ctx context.Context, env *tools.Env, q question.Question) (done func(answered bool) error) {
	if env.Ask.Notify == nil || q.Status != question.Pending {
		return func(bool) error { return nil }
	}
	within, stop := context.WithTimeout(ctx, notifyLimit)
	ended := make(chan error, 1)
	go func() { ended <- env.Ask.Notify(within, q.ID, q.Text) }()
	return func(answered bool) error {
		defer stop()
		if answered {
			stop()
		}
		if err := <-ended; !answered {
			return err
		}
		return nil
	}
}

// save adds the question to the store. Without a store, the person can still be
// asked at the terminal.
func (w *waiter) save(ctx context.Context, draft question.Question) error {
	draft.Client = w.env.Caller.Client
	draft.Sealed, _ = person.HasSecret(w.env) // where that is not known, no answer counts
	st, err := w.env.Store(ctx, tools.Asks)
	if err == nil {
		w.store = st
		w.question, err = st.AddQuestion(ctx, draft)
	}
	switch {
	case errors.As(err, new(*ledger.ReusedKeyError)):
		return explain(w.env, err)
	case err != nil && w.term == nil:
		return err
	case err != nil:
		w.store, w.question = nil, draft
		w.question.Status, w.question.AskedAt = question.Pending, w.env.Now()
	}
	return nil
}

// lacksSecret reports whether the question needs the secret and none is set.
func (w *waiter) lacksSecret() bool {
	if w.question.Assurance != question.Secret || w.question.Status != question.Pending {
		return false
	}
	set, err := person.HasSecret(w.env)
	return err == nil && !set
}

// withoutSecret returns the outcome of a question that nobody can answer yet.
func (w *waiter) withoutSecret() Outcome {
	out := outcome(w.env, w.question)
	out.Message = w.env.Localize("No secret is set, so that no answer counts yet (id: %s)", w.question.ID)
	out.Hint = w.env.Hint("The person sets one at a terminal: %s; then %s", tools.Use("ask secret set"),
		tools.Use("ask wait", w.question.ID))
	return out
}

// mayAsk decides what an answer at this process's terminal is worth. If it would not count, the
// terminal shows why, and the question is left to the queue.
func (w *waiter) mayAsk() {
	if w.term == nil || w.question.Status != question.Pending {
		return
	}
	p, err := permit(w.env, w.question, w.via)
	if err != nil {
		w.printError(err)
		w.term = nil // the caller closes it
	}
	w.permission = p
}

// printError shows why something is refused.
func (w *waiter) printError(err error) {
	e := tools.AsError(w.env, err)
	_ = w.term.Print(strings.TrimSuffix(e.Message+"\n"+e.Hint, "\n") + "\n") // if the terminal is gone, asking fails
}

// Keeps lists the texts that are kept.
func (AskIn) Keeps() []string {
	return []string{"question", "options", "default"}
}

// Keeps lists the texts that are kept.
func (AnswerIn) Keeps() []string {
	return []string{"answer"}
}
