package ask

import (
	"context"
	"io"
	"time"

	"techo/store"
	"techo/store/question"
	"techo/tools"
)

// WatchIn is the input of ask watch.
type WatchIn struct {
	Once bool   `json:"once,omitempty" doc:"End when no question is pending"`
	Via  string `json:"via" default:"tty" enum:"tty,stdin" doc:"Where to ask"`
}

// WatchOut is the result of ask watch.
type WatchOut struct {
	Answered []Outcome `json:"answered"`
	Refused  []string  `json:"refused"` // questions that cannot be answered from here
	Count    int       `json:"count"`
	Message  string    `json:"message"`

	interrupted bool
}

// Outcome returns Cancelled after an interrupt, the usual end of an unlimited
// watch.
func (o WatchOut) Outcome() tools.Code {
	if o.interrupted {
		return tools.Cancelled
	}
	return ""
}

// Watch asks all pending questions at a terminal.
var Watch = &tools.Tool{
	Command: "ask watch",
	About:   "Answer pending and new questions one by one",
	More: "Run it in a window that you opened. The oldest question comes first. An empty line leaves a question " +
		"for later; Ctrl-D ends. A secret is asked for once, and again after 15 minutes without an answer.",
	Effect: tools.Asks,
	Examples: []tools.Example{
		{Does: "Answer the pending questions", Line: `ask watch --once`},
	},
	Run: tools.Func[WatchIn, WatchOut](watch),
}

func watch(ctx context.Context, env *tools.Env, in WatchIn) (out WatchOut, err error) {
	term, err := openTerminal(env, in.Via)
	if err != nil {
		return out, err
	}
	defer term.Close()
	if in.Via == string(tools.OnStdin) && !env.Person.Typed {
		return out, env.Fail(tools.Forbidden, "A watch answers only if its standard input is a terminal").
			WithHint(ways(env))
	}
	st, err := env.Store(ctx, tools.Asks)
	if err != nil {
		return out, err
	}
	out.Answered, out.Refused = []Outcome{}, []string{}
	later, unlocked := map[string]bool{}, time.Time{}
	waits := false // and the person knows
	for ctx.Err() == nil {
		q, err := next(ctx, st, later)
		if err != nil {
			return out, err
		}
		if q == nil {
			if in.Once {
				break
			}
			if !waits {
				_ = term.Print(env.Localize("Waiting for questions; Ctrl-C ends.") + "\n") // a terminal that is gone fails later
			}
			waits = true
			pause(ctx)
			continue
		}
		waits = false
		w := &waiter{env: env, store: st, term: term, via: in.Via, question: *q, watch: true, unlocked: &unlocked}
		if w.permission, err = permit(env, *q, in.Via); err != nil {
			later[q.ID], out.Refused = true, append(out.Refused, q.ID)
			w.printError(err)
			continue
		}
		done, ended, err := w.askOne(ctx)
		if err != nil {
			return out, err
		}
		if ended {
			break
		}
		if later[q.ID] = true; done != nil {
			out.Answered = append(out.Answered, *done)
		}
	}
	out.interrupted = ctx.Err() != nil
	out.Count = len(out.Answered)
	out.Message = env.Localize("Questions answered: %d", out.Count)
	return out, nil
}

// next returns the oldest question that was not put off, or nil.
func next(ctx context.Context, st *store.Store, later map[string]bool) (*question.Question, error) {
	pending, _, err := st.FindQuestions(ctx, question.Filter{Status: question.Pending, Limit: 1000})
	for _, q := range pending {
		if !later[q.ID] && !q.Secret {
			return &q, err
		}
	}
	return nil, err
}

func pause(ctx context.Context) {
	select {
	case <-time.After(fastPoll):
	case <-ctx.Done():
	}
}

// askOne asks one of several questions. done is nil if it was put off; ended means
// that the person wants to stop.
func (w *waiter) askOne(ctx context.Context) (done *Outcome, ended bool, err error) {
	w.show()
	asking, stop := context.WithCancel(ctx)
	defer stop()
	go w.stopWhenAnswered(asking, stop)
	for {
		line, err := w.term.Ask(asking, w.form.prompt(w.term.Shows()))
		switch {
		case err == io.EOF, ctx.Err() != nil:
			return nil, true, nil
		case asking.Err() != nil:
			if q, err := w.store.GetQuestion(ctx, w.question.ID); err == nil {
				w.question = q
			}
			w.printEnded()
			return nil, false, nil
		case err != nil:
			return nil, true, noTerminal(w.env, err)
		}
		a, v := w.form.read(line)
		switch v {
		case isEmpty:
			return nil, false, nil
		case isAnswer:
		default:
			w.reject(v)
			continue
		}
		if err := w.enterSecret(ctx); err != nil {
			return nil, true, err
		}
		out, err := w.settle(ctx, question.Answered, a)
		return &out, false, err
	}
}

// stopWhenAnswered calls stop when the question has ended elsewhere.
func (w *waiter) stopWhenAnswered(ctx context.Context, stop context.CancelFunc) {
	for {
		if pause(ctx); ctx.Err() != nil {
			return
		}
		if q, err := w.store.GetQuestion(ctx, w.question.ID); err == nil && q.Status != question.Pending {
			stop()
			return
		}
	}
}
