package ask

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"techo/store"
	"techo/tools"
)

// waiter waits for the answer to one question on a terminal and in the store, and
// takes the first.
type waiter struct {
	env      *tools.Env
	store    *store.Store // nil if no store could keep the question
	term     tools.Terminal
	via      string
	question store.Question
	wait     time.Duration
	began    time.Time

	lines chan typedLine
}

// typedLine is a line from the terminal, or its error.
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

// run waits until the question has ended or the time is up.
func (w *waiter) run(ctx context.Context) (Outcome, error) {
	if w.question.Status != store.Pending {
		return outcome(w.env, w.question), nil
	}
	if w.term != nil {
		reading, stop := context.WithCancel(ctx)
		done := make(chan struct{})
		w.lines = make(chan typedLine)
		w.show()
		go func() { defer close(done); w.read(reading) }()
		defer func() { stop(); <-done }() // the reader must stop before the terminal is closed
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
		case <-poll.C:
			if err := w.refresh(ctx); err != nil && w.term == nil {
				return Outcome{}, w.stillOpen(ctx, err)
			}
			if w.question.Status != store.Pending {
				w.printAnsweredElsewhere()
				return outcome(w.env, w.question), nil
			}
			every := fastPoll
			if time.Since(w.began) > fastPollFor {
				every = slowPoll
			}
			poll.Reset(every)
		case <-deadline.C:
			_ = w.refresh(ctx)
			w.printHowToAnswer()
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
	if life := q.ExpiresAt.Sub(q.AskedAt); q.Status == store.Pending && !q.ExpiresAt.IsZero() &&
		time.Since(w.began) >= life {
		if q, err = w.store.ExpireQuestion(ctx, q.ID); err != nil {
			return err
		}
	}
	w.question = q
	return nil
}

// read sends lines until the terminal ends or the context is done.
func (w *waiter) read(ctx context.Context) {
	for {
		line, err := w.term.Line(ctx)
		select {
		case w.lines <- typedLine{line, err}:
		case <-ctx.Done():
			return
		}
		if err != nil && !errors.Is(err, tools.ErrLongLine) {
			return
		}
	}
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
		_ = w.term.Print("\n")
		out, err = w.settle(ctx, store.Declined, store.Answer{})
		return out, true, err
	case errors.Is(t.err, tools.ErrLongLine):
		w.tooLong()
		return out, false, nil
	case t.err != nil: // the terminal is gone; the question in the store remains
		w.lines = nil
		return outcome(w.env, w.question), w.store == nil, nil
	}
	if w.question.Secret {
		_ = w.term.Print("\n") // the typed line end was not echoed
	}
	a, v := parse(w.question, t.line)
	switch v {
	case isOutOfRange:
		_ = w.term.Print(w.env.Localize(rangeText, len(w.question.Options)) + "\n")
		fallthrough
	case isEmpty:
		w.prompt()
		return out, false, nil
	}
	out, err = w.settle(ctx, store.Answered, a)
	return out, true, err
}

// settle ends the question. If it has already ended elsewhere, that outcome wins.
func (w *waiter) settle(ctx context.Context, status string, a store.Answer) (Outcome, error) {
	a.By, a.Via, a.PID, a.Dir = w.env.User, w.via, w.env.PID, w.env.Dir
	if w.store == nil {
		a.At = w.env.Now().UnixMilli()
		w.question.Status, w.question.Answer = status, a
		return outcome(w.env, w.question), nil
	}
	q, late, err := w.store.SettleQuestion(ctx, w.question.ID, status, a)
	if settled := new(store.SettledError); errors.As(err, &settled) {
		w.question = settled.Question
		w.printAnsweredElsewhere()
		return outcome(w.env, w.question), nil
	}
	if err != nil {
		return Outcome{}, err
	}
	if q.Secret && status == store.Answered { // a secret is not in the store
		q.Answer.Texts = a.Texts
	}
	out := outcome(w.env, q)
	out.Late = late
	return out, nil
}

// interrupted ends the wait. Ctrl-C at the terminal cancels the question; any
// other interrupt leaves it open.
func (w *waiter) interrupted(ctx context.Context) (Outcome, error) {
	cause := context.Cause(ctx)
	if w.term != nil && w.via == string(tools.OnTerminal) && errors.Is(cause, tools.ErrInterrupted) {
		_ = w.term.Print("\n")
		return w.settle(context.WithoutCancel(ctx), store.Withdrawn, store.Answer{})
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
	return w.env.Fail(code, message, w.question.ID).WithHint("techo ask wait " + w.question.ID)
}

var (
	rangeText  = tools.Text("Enter a number from 1 to %d")
	choiceText = tools.Text("Choice (number): ")
	answerText = tools.Text("Answer: ")
)

// show prints the question in the format of the specification.
func (w *waiter) show() {
	q := w.question
	var b strings.Builder
	b.WriteString("\n[ASK USER] " + normalizeNewlines(q.Text) + "\n")
	for i, o := range q.Options {
		b.WriteString("  " + strconv.Itoa(i+1) + ". " + normalizeNewlines(o) + "\n")
	}
	_ = w.term.Print(b.String()) // if the terminal is gone, reading from it returns the error
	w.prompt()
}

func (w *waiter) prompt() {
	text := choiceText
	if len(w.question.Options) == 0 {
		text = answerText
	}
	_ = w.term.Print(w.env.Localize(text))
}

// tooLong reports that the terminal cut an answer, and asks again.
func (w *waiter) tooLong() {
	_ = w.term.Print(w.env.Localize("The line is too long for a terminal; techo ask answer %s - reads the answer "+
		"from stdin", w.question.ID) + "\n")
	w.prompt()
}

// normalizeNewlines replaces carriage returns, which would overwrite printed text.
func normalizeNewlines(text string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
}

// printAnsweredElsewhere prints that the question was answered elsewhere.
func (w *waiter) printAnsweredElsewhere() {
	if w.term != nil {
		_ = w.term.Print("\n" + w.env.Localize("(answered elsewhere)") + "\n")
	}
}

// printHowToAnswer prints how to answer later.
func (w *waiter) printHowToAnswer() {
	if w.term != nil && w.question.ID != "" && w.question.Status == store.Pending {
		_ = w.term.Print("\n" + w.env.Localize("(%s stays open; answer later: techo ask watch)", w.question.ID) + "\n")
	}
}
