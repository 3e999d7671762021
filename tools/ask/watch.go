package ask

import (
	"context"
	"errors"
	"io"
	"time"

	"techo/store"
	"techo/tools"
)

// WatchIn is the input of ask watch.
type WatchIn struct {
	Once bool   `json:"once,omitempty" en:"End when nothing waits any more" ja:"回答待ちがなくなったら終了する"`
	Via  string `json:"via" default:"tty" enum:"tty,stdin" en:"Where to ask" ja:"尋ねる場所"`
}

// WatchOut is the result of ask watch.
type WatchOut struct {
	Answered []Outcome `json:"answered"`
	Count    int       `json:"count"`
	Message  string    `json:"message"`

	interrupted bool
}

// Outcome is that of an interrupt, which is how a watch without end ends.
func (o WatchOut) Outcome() tools.Code {
	if o.interrupted {
		return tools.Cancelled
	}
	return ""
}

// Watch asks whatever waits, in a terminal of its own.
var Watch = tools.Define(tools.Tool{
	Command: "ask watch",
	About:   tools.Say{EN: "Answer the questions that wait, and those that come", JA: "待機中の質問と新しい質問に順に回答する"},
	More: tools.Say{
		EN: "For a terminal beside the agent's: oldest first, an empty line leaves a question for later, Ctrl-D ends.",
		JA: "エージェントとは別の端末で使う。古い順に尋ね、空行で後回し、Ctrl-D で終了。",
	},
	Effect: tools.Asks,
	Examples: []tools.Example{
		{Does: tools.Say{EN: "Answer what waits", JA: "待機中の質問に答える"}, Line: `ask watch --once --via stdin </dev/null`},
	},
}, watch)

func watch(ctx context.Context, env *tools.Env, in WatchIn) (out WatchOut, err error) {
	term, err := reach(env, in.Via)
	if err != nil {
		return out, err
	}
	defer term.Close()
	st, err := env.Store(ctx, tools.Asks)
	if err != nil {
		return out, err
	}
	out.Answered = []Outcome{}
	later := map[string]bool{}
	for ctx.Err() == nil {
		q, err := next(ctx, st, later)
		if err != nil {
			return out, err
		}
		if q == nil {
			if in.Once {
				break
			}
			pause(ctx)
			continue
		}
		w := &waiter{env: env, store: st, term: term, via: in.Via, question: *q}
		done, ended, err := w.once(ctx)
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
	out.Message = env.Say(tools.Say{EN: "Questions answered: %d", JA: "回答した質問: %d件"}, out.Count)
	return out, nil
}

// next returns the oldest question that was not put off, nil when there is none.
func next(ctx context.Context, st *store.Store, later map[string]bool) (*store.Question, error) {
	pending, _, err := st.FindQuestions(ctx, store.QuestionFilter{Status: store.Pending, Limit: 1000})
	for _, q := range pending {
		if !later[q.ID] && !q.Secret {
			return &q, err
		}
	}
	return nil, err
}

func pause(ctx context.Context) {
	select {
	case <-time.After(oftenEvery):
	case <-ctx.Done():
	}
}

// once asks one question of many. done is nil when it was put off; ended says
// that the person wants no more.
func (w *waiter) once(ctx context.Context) (done *Outcome, ended bool, err error) {
	w.show()
	asking, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go w.untilElsewhere(asking, stop)
	for {
		line, err := w.term.Line(asking)
		switch {
		case err == io.EOF:
			return nil, true, nil
		case ctx.Err() != nil:
			return nil, true, nil
		case asking.Err() != nil:
			w.elsewhere()
			return nil, false, nil
		case errors.Is(err, tools.ErrLongLine):
			w.tooLong()
			continue
		case err != nil:
			return nil, true, noTerminal(w.env, err)
		}
		a, v := parse(w.question, line)
		switch v {
		case isEmpty:
			return nil, false, nil
		case isOutOfRange:
			_ = w.term.Print(w.env.Say(rangeText, len(w.question.Options)) + "\n")
			w.prompt()
			continue
		}
		out, err := w.settle(ctx, store.Answered, a)
		return &out, false, err
	}
}

var errElsewhere = errors.New("question: ended elsewhere")

// untilElsewhere watches whether the question ends without this terminal.
func (w *waiter) untilElsewhere(ctx context.Context, stop context.CancelCauseFunc) {
	for {
		if pause(ctx); ctx.Err() != nil {
			return
		}
		if q, err := w.store.GetQuestion(ctx, w.question.ID); err == nil && q.Status != store.Pending {
			stop(errElsewhere)
			return
		}
	}
}
