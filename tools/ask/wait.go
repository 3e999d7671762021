package ask

import (
	"context"
	"errors"
	"io"
	"time"

	"techo/store"
	"techo/store/question"
	"techo/tools"
	"techo/tools/person"
)

// waiter waits for the answer to one question on a terminal and in the store, and
// takes the first.
type waiter struct {
	env      *tools.Env
	store    *store.Store // nil if no store could keep the question
	term     tools.Terminal
	via      string
	question question.Question
	watch    bool // several questions are asked
	wait     time.Duration
	began    time.Time
	permission
	unlocked *time.Time // when a watch was unlocked or used last; nil: each answer needs the secret

	form   form
	lines  chan typedLine // nil while nothing is asked at the terminal
	typing chan struct{}  // receives when the person types
	endAsk func()         // ends the prompt at the terminal; may be nil
}

type typedLine struct {
	line string
	err  error
}

// Intervals for polling the store: short at first, while the person may be about
// to answer, then longer.
const (
	fastPoll    = 200 * time.Millisecond
	fastPollFor = 10 * time.Second
	slowPoll    = time.Second
)

func (w *waiter) run(ctx context.Context) (Outcome, error) {
	if w.question.Status != question.Pending {
		return outcome(w.env, w.question), nil
	}
	if w.term != nil {
		w.show()
		w.ask(ctx)
		defer func() { w.endAsk() }() // before the terminal is closed
	}
	deadline := time.NewTimer(w.wait)
	defer deadline.Stop()
	poll := time.NewTimer(fastPoll)
	defer poll.Stop()
	for {
		select {
		case t := <-w.lines:
			out, ended, err := w.handle(ctx, t)
			if ended || err != nil {
				return out, err
			}
			deadline.Reset(w.wait) // the person is there: give them the full time again
		case <-w.typing:
			deadline.Reset(w.wait)
		case <-poll.C:
			if err := w.refresh(ctx); err != nil && w.term == nil {
				return Outcome{}, w.stillOpen(ctx, err)
			}
			if w.question.Status != question.Pending {
				w.printEnded()
				return outcome(w.env, w.question), nil
			}
			every := fastPoll
			if time.Since(w.began) > fastPollFor {
				every = slowPoll
			}
			poll.Reset(every)
		case <-deadline.C:
			_ = w.refresh(ctx)
			w.printEnded()
			return outcome(w.env, w.question), nil
		case <-ctx.Done():
			return w.interrupted(ctx)
		}
	}
}

// refresh reads the state of the question. It expires the question by this process's
// monotonic clock as well, because the wall clock may have been set back.
func (w *waiter) refresh(ctx context.Context) error {
	if w.store == nil {
		return nil
	}
	q, err := w.store.GetQuestion(ctx, w.question.ID)
	if err != nil {
		return err
	}
	if life := q.ExpiresAt.Sub(q.AskedAt); q.Status == question.Pending && !q.ExpiresAt.IsZero() &&
		time.Since(w.began) >= life {
		if q, err = w.store.ExpireQuestion(ctx, q.ID); err != nil {
			return err
		}
	}
	w.question = q
	return nil
}

func (w *waiter) ask(ctx context.Context) {
	asking, stop := context.WithCancel(ctx)
	done, lines := make(chan struct{}), make(chan typedLine)
	w.lines, w.endAsk = lines, func() { stop(); <-done }
	w.typing = make(chan struct{}, 1)
	prompt := w.form.prompt(w.term.Shows())
	prompt.Below = w.noticing(prompt.Below, w.typing)
	go func() {
		defer close(done)
		line, err := w.term.Ask(asking, prompt)
		select {
		case lines <- typedLine{line, err}:
		case <-asking.Done():
		}
	}()
}

// noticing returns a function that shows the same rows, and reports that the person
// types: the prompt must not end meanwhile.
func (w *waiter) noticing(below func(typed, text string, columns, rows int) []string,
	typing chan<- struct{}) func(typed, text string, columns, rows int) []string {
	return func(typed, text string, columns, rows int) []string {
		if text != "" {
			select {
			case typing <- struct{}{}:
			default:
			}
		}
		return below(typed, text, columns, rows)
	}
}

// print prints a text at the terminal, after the prompt has ended.
func (w *waiter) print(text string) {
	if w.endAsk != nil {
		w.endAsk()
	}
	_ = w.term.Print(text) // if the terminal is gone, asking returns the error
}

// handle handles a line from the terminal. ended reports whether the wait is over.
func (w *waiter) handle(ctx context.Context, t typedLine) (out Outcome, ended bool, err error) {
	switch {
	case ctx.Err() != nil:
		out, err = w.interrupted(ctx)
		return out, true, err
	case t.err == io.EOF && w.via == string(tools.OnStdin):
		return outcome(w.env, w.question), true, nil
	case t.err == io.EOF:
		return w.unanswered(ctx, question.Declined)
	case t.err != nil: // the terminal is gone; the question in the store remains
		w.lines = nil
		return outcome(w.env, w.question), w.store == nil, nil
	}
	a, v := w.form.read(t.line)
	if v != isAnswer {
		w.reject(v)
		w.ask(ctx)
		return out, false, nil
	}
	if err := w.enterSecret(ctx); err != nil {
		w.printError(err)
		return outcome(w.env, w.question), true, nil // the question stays open
	}
	out, err = w.settle(ctx, question.Answered, a)
	return out, true, err
}

// enterSecret lets the person enter the secret if the answer needs it.
func (w *waiter) enterSecret(ctx context.Context) (err error) {
	now := w.env.Ask.Clock
	switch {
	case !w.secret:
		return nil
	case w.unlocked != nil && now().Sub(*w.unlocked) < person.UnlockedFor:
	case w.via == string(tools.OnStdin):
		err = enterSecret(ctx, w.env)
	default:
		err = person.EnterSecret(ctx, w.env, w.term)
	}
	if w.unlocked != nil && err == nil {
		*w.unlocked = now()
	}
	return err
}

// unanswered ends the question by Ctrl-D or Ctrl-C, which asks for no secret: nothing shows who
// typed it. A question that needs more stays open.
func (w *waiter) unanswered(ctx context.Context, status string) (out Outcome, ended bool, err error) {
	if w.secret {
		w.permission = permission{}
		if w.check(w.env, w.question) != nil {
			w.printEnded()
			return outcome(w.env, w.question), true, nil
		}
	}
	out, err = w.settle(ctx, status, question.Answer{})
	return out, true, err
}

// settle ends the question. If it has already ended elsewhere, that outcome wins.
func (w *waiter) settle(ctx context.Context, status string, a question.Answer) (Outcome, error) {
	a.By, a.Via, a.PID, a.Dir, a.Assurance = w.env.User, w.via, w.env.Ask.PID, w.env.Dir, w.assurance
	if w.store == nil {
		a.At = w.env.Now().UnixMilli()
		w.question.Status, w.question.Answer = status, a
		return outcome(w.env, w.question), nil
	}
	q, late, err := w.store.SettleQuestion(ctx, w.question.ID, status, a)
	if settled := new(question.SettledError); errors.As(err, &settled) {
		w.question = settled.Question
		w.printEnded()
		return outcome(w.env, w.question), nil
	}
	if err != nil {
		return Outcome{}, err
	}
	if q.Secret && status == question.Answered { // a secret is not in the store
		q.Answer.Texts = a.Texts
	}
	out := outcome(w.env, q)
	out.Late = late
	w.confirm(out)
	return out, nil
}

// interrupted ends the wait. Ctrl-C at the terminal cancels the question; any
// other interrupt leaves it open.
func (w *waiter) interrupted(ctx context.Context) (Outcome, error) {
	cause := context.Cause(ctx)
	if w.term != nil && w.via == string(tools.OnTerminal) && errors.Is(cause, person.ErrInterrupted) {
		out, _, err := w.unanswered(context.WithoutCancel(ctx), question.Withdrawn)
		return out, err
	}
	return Outcome{}, w.stillOpen(ctx, cause)
}

// stillOpen adds to the error of an ended context that the question is still open.
func (w *waiter) stillOpen(ctx context.Context, err error) error {
	if ctx.Err() == nil || w.question.ID == "" {
		return err
	}
	code, message := tools.Cancelled, tools.Text("Interrupted; the question stays open (id: %s)")
	if errors.Is(err, tools.ErrTimeout) || errors.Is(err, context.DeadlineExceeded) {
		code, message = tools.Timeout, "The time limit (--timeout) was reached; the question stays open (id: %s)"
	}
	return w.env.Fail(code, message, w.question.ID).WithHint(w.env.Hint("%s", tools.Use("ask wait", w.question.ID)))
}

// show prints the question. Input typed before it is discarded.
func (w *waiter) show() {
	w.form = form{reader: newReader(w.question), env: w.env, watch: w.watch}
	_ = w.term.Discard()
	w.print(w.form.question(w.term.Shows()))
}

// reject explains why a line is not accepted. A program that reads the lines of the
// specification reads nothing about an empty one.
func (w *waiter) reject(v verdict) {
	if v != isEmpty || w.term.Shows() != tools.OnlyLabel {
		w.print(w.form.rejection(v) + "\n")
	}
}

// confirm prints which option was picked, since a number was typed, or that the
// answer came too late.
func (w *waiter) confirm(out Outcome) {
	switch {
	case w.term == nil || w.term.Shows() == tools.OnlyLabel:
	case out.Late:
		w.print(w.env.Localize("%s has expired; the answer was kept as late", out.QuestionID) + "\n")
	case len(out.Indexes) > 0:
		w.print(w.env.Localize("Answered: %s", out.Answer) + "\n")
	}
	if w.term != nil && w.term.Shows() != tools.OnlyLabel && out.Status == question.Answered {
		w.suggest()
	}
}

// suggest suggests a secret, once.
func (w *waiter) suggest() {
	for _, text := range person.Suggestion(w.env, "ask") {
		w.print(text + "\n")
	}
}

// printEnded prints how the question ended without an answer at this terminal, or
// how to answer it later.
func (w *waiter) printEnded() {
	if w.term == nil {
		return
	}
	text := ""
	switch q := w.question; {
	case q.Status == question.Pending && q.ID == "":
		return
	case q.Status == question.Pending:
		text = w.env.Localize("(%s stays open; answer later: techo ask watch)", q.ID)
	case q.Status == question.Answered && q.Answer.Source != question.FromDefault, q.Status == question.Declined:
		text = w.env.Localize("(answered elsewhere)")
	default:
		text = "(" + outcome(w.env, q).Message + ")"
	}
	if w.term.Shows() == tools.OnlyLabel {
		text = "\n" + text // the label stands in the row
	}
	w.print(text + "\n")
}
