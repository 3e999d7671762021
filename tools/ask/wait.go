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

// waiter waits for the end of one question: on a terminal, and in the store,
// whichever comes first.
type waiter struct {
	env      *tools.Env
	store    *store.Store // nil when there is none to keep the question
	term     tools.Terminal
	via      string
	question store.Question
	wait     time.Duration
	began    time.Time

	lines chan typed
}

// typed is what came from the terminal.
type typed struct {
	line string
	err  error
}

// The store is looked into often at first, while somebody may be about to
// answer, then seldom.
const (
	oftenEvery  = 200 * time.Millisecond
	oftenFor    = 10 * time.Second
	seldomEvery = time.Second
)

// run waits until the question has ended or the time is over.
func (w *waiter) run(ctx context.Context) (Outcome, error) {
	if w.question.Status != store.Pending {
		return outcome(w.env, w.question), nil
	}
	if w.term != nil {
		reading, stop := context.WithCancel(ctx)
		done := make(chan struct{})
		w.lines = make(chan typed)
		w.show()
		go func() { defer close(done); w.read(reading) }()
		defer func() { stop(); <-done }() // before the terminal is given back
	}
	over := time.NewTimer(w.wait)
	defer over.Stop()
	look := time.NewTimer(oftenEvery)
	defer look.Stop()
	for {
		select {
		case t := <-w.lines:
			out, ended, err := w.typed(ctx, t)
			if ended || err != nil {
				return out, err
			}
			over.Reset(w.wait) // somebody is there
		case <-look.C:
			if err := w.look(ctx); err != nil && w.term == nil {
				return Outcome{}, w.told(ctx, err)
			}
			if w.question.Status != store.Pending {
				w.elsewhere()
				return outcome(w.env, w.question), nil
			}
			every := oftenEvery
			if time.Since(w.began) > oftenFor {
				every = seldomEvery
			}
			look.Reset(every)
		case <-over.C:
			_ = w.look(ctx)
			w.leave()
			return outcome(w.env, w.question), nil
		case <-ctx.Done():
			return w.interrupted(ctx)
		}
	}
}

// look reads how the question stands. Its time may be over by this process's
// own measure while the clock stands still or was set back.
func (w *waiter) look(ctx context.Context) error {
	if w.store == nil {
		return nil
	}
	q, err := w.store.GetQuestion(ctx, w.question.ID)
	if err != nil {
		return err
	}
	if life := q.ExpiresAt.Sub(q.AskedAt); q.Status == store.Pending && !q.ExpiresAt.IsZero() && time.Since(w.began) >= life {
		if q, err = w.store.ExpireQuestion(ctx, q.ID); err != nil {
			return err
		}
	}
	w.question = q
	return nil
}

// read sends lines until the terminal ends or nobody wants them.
func (w *waiter) read(ctx context.Context) {
	for {
		line, err := w.term.Line(ctx)
		select {
		case w.lines <- typed{line, err}:
		case <-ctx.Done():
			return
		}
		if err != nil && !errors.Is(err, tools.ErrLongLine) {
			return
		}
	}
}

// typed takes what came from the terminal. It reports whether that ended the
// wait.
func (w *waiter) typed(ctx context.Context, t typed) (out Outcome, ended bool, err error) {
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
	case t.err != nil: // the terminal is gone, the question is not
		w.lines = nil
		return outcome(w.env, w.question), w.store == nil, nil
	}
	if w.question.Secret {
		_ = w.term.Print("\n") // which nobody saw
	}
	a, v := parse(w.question, t.line)
	switch v {
	case isOutOfRange:
		_ = w.term.Print(w.env.Say(rangeText, len(w.question.Options)) + "\n")
		fallthrough
	case isEmpty:
		w.prompt()
		return out, false, nil
	}
	out, err = w.settle(ctx, store.Answered, a)
	return out, true, err
}

// settle ends the question, unless it has ended elsewhere: then that counts.
func (w *waiter) settle(ctx context.Context, status string, a store.Answer) (Outcome, error) {
	a.By, a.Via = w.env.User, w.via
	if w.store == nil {
		a.At = w.env.Now().UnixMilli()
		w.question.Status, w.question.Answer = status, a
		return outcome(w.env, w.question), nil
	}
	q, late, err := w.store.SettleQuestion(ctx, w.question.ID, status, a)
	if settled := new(store.SettledError); errors.As(err, &settled) {
		w.question = settled.Question
		w.elsewhere()
		return outcome(w.env, w.question), nil
	}
	if err != nil {
		return Outcome{}, err
	}
	if q.Secret && status == store.Answered { // it is in no store, only here
		q.Answer.Texts = a.Texts
	}
	out := outcome(w.env, q)
	out.Late = late
	return out, nil
}

// interrupted ends the wait. The person at the terminal who presses Ctrl-C
// cancels the question; whoever else ends the process leaves it open.
func (w *waiter) interrupted(ctx context.Context) (Outcome, error) {
	cause := context.Cause(ctx)
	if w.term != nil && w.via == string(tools.OnTerminal) && errors.Is(cause, tools.ErrInterrupted) {
		_ = w.term.Print("\n")
		return w.settle(context.WithoutCancel(ctx), store.Withdrawn, store.Answer{})
	}
	return Outcome{}, w.told(ctx, cause)
}

// told adds to the end of the caller's time that the question is still open.
func (w *waiter) told(ctx context.Context, err error) error {
	if ctx.Err() == nil || w.question.ID == "" {
		return err
	}
	code, say := tools.Cancelled, tools.Say{EN: "Interrupted; the question stays open (id: %s)", JA: "中断されました。質問は残っています（id: %s）"}
	if errors.Is(err, tools.ErrTimeout) || errors.Is(err, context.DeadlineExceeded) {
		code, say = tools.Timeout, tools.Say{EN: "The time given by --timeout ran out; the question stays open (id: %s)", JA: "--timeout の時間内に回答がありませんでした。質問は残っています（id: %s）"}
	}
	return w.env.Fail(code, say, w.question.ID).WithHint("techo ask wait " + w.question.ID)
}

var (
	rangeText  = tools.Say{EN: "Enter a number from 1 to %d", JA: "1〜%d の番号を入力してください"}
	choiceText = tools.Say{EN: "Choice (number): ", JA: "選択 (番号): "}
	answerText = tools.Say{EN: "Answer: ", JA: "回答: "}
)

// show prints the question as the specification writes it.
func (w *waiter) show() {
	q := w.question
	var b strings.Builder
	b.WriteString("\n[ASK USER] " + flat(q.Text) + "\n")
	for i, o := range q.Options {
		b.WriteString("  " + strconv.Itoa(i+1) + ". " + flat(o) + "\n")
	}
	_ = w.term.Print(b.String()) // a terminal that is gone says so when it is read
	w.prompt()
}

func (w *waiter) prompt() {
	text := choiceText
	if len(w.question.Options) == 0 {
		text = answerText
	}
	_ = w.term.Print(w.env.Say(text))
}

// tooLong says that an answer lost its end on its way, and asks again.
func (w *waiter) tooLong() {
	_ = w.term.Print(w.env.Say(tools.Say{EN: "That is longer than a line of a terminal can be; techo ask answer %s - reads it from a file", JA: "端末で入力できる1行の長さを超えています。techo ask answer %s - でファイルから回答できます"}, w.question.ID) + "\n")
	w.prompt()
}

// flat keeps the carriage from going back over what was printed.
func flat(text string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
}

// elsewhere tells the person at the terminal that they need not answer.
func (w *waiter) elsewhere() {
	if w.term != nil {
		_ = w.term.Print("\n" + w.env.Say(tools.Say{EN: "(answered elsewhere)", JA: "（他で回答されました）"}) + "\n")
	}
}

// leave tells the person at the terminal how to answer later.
func (w *waiter) leave() {
	if w.term != nil && w.question.ID != "" && w.question.Status == store.Pending {
		_ = w.term.Print("\n" + w.env.Say(tools.Say{EN: "(answer later: techo ask answer %s)", JA: "（後で回答する: techo ask answer %s）"}, w.question.ID) + "\n")
	}
}
