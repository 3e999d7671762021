package commands

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"techo/commands/readahead"
	"techo/commands/run"
	"techo/commands/server"
	"techo/tools"
	"techo/tools/jsontree"
)

// maxGroup is how many calls of a batch share a sync.
const maxGroup = 512

type batchIn struct {
	Tool  string          `json:"tool" doc:"Name of the tool" list:"bare"`
	Input json.RawMessage `json:"input,omitempty" doc:"Its input"`
	ID    json.RawMessage `json:"id,omitempty" doc:"Returned with the answer"`
	Key   string          `json:"idempotency_key,omitempty" doc:"Run it only once for this key"`

	Compact bool `json:"compact,omitempty" doc:"As --compact"`
}

// batchLine is one parsed line, or the reason why it is invalid.
type batchLine struct {
	in      batchIn
	id      json.RawMessage
	tool    *tools.Tool
	problem *tools.Error

	within bool // it runs in a transaction with other calls
	free   func()
}

// batch answers the calls on stdin, one per line, until the input ends or the
// person interrupts.
func batch(ctx context.Context, s *run.Run) int {
	s.StdinTaken = true
	server.BoundMemory()
	ahead := readahead.New(maxGroup, 0)
	broken := make(chan error, 1)
	go func() { broken <- ahead.Run(ctx, s.System.Stdin); close(ahead.Lines) }()
	quit := make(chan struct{}) // after an interrupt, drop answers that the reader does not take
	defer context.AfterFunc(ctx, func() {
		<-time.After(server.EndTime)
		close(quit)
	})()
	lines := ahead.Lines
	out := bufio.NewWriterSize(readahead.NewWriter(s.System.Stdout, quit), 64<<10)
	for calls := nextCalls(ctx, s, lines); len(calls) > 0; calls = nextCalls(ctx, s, lines) {
		answers := answerAll(ctx, s, calls)
		for _, a := range answers {
			out.Write(a.document)
			out.WriteByte('\n')
		}
		if err := out.Flush(); ctx.Err() != nil {
			return run.ExitCode(tools.Cancelled)
		} else if err != nil {
			return 1
		}
		for _, a := range answers {
			if a.err != nil {
				s.Out.LogError(a.err)
			}
		}
		for _, c := range calls {
			c.free()
		}
	}
	if ctx.Err() != nil {
		return run.ExitCode(tools.Cancelled)
	}
	if err := <-broken; err != nil {
		return s.Out.FailInternal(s.Env(), fmt.Errorf("stdin: %w", err))
	}
	return 0
}

// nextCalls waits for a call and returns it with all others that have arrived.
func nextCalls(ctx context.Context, s *run.Run, lines <-chan readahead.Read) (calls []batchLine) {
	size := 0
	select {
	case l, ok := <-lines:
		if !ok {
			return nil
		}
		size = len(l.Text)
		calls = append(calls, parseLine(s, l))
	case <-ctx.Done():
		return nil
	}
	for len(calls) < maxGroup && size < 4<<20 {
		select {
		case l, ok := <-lines:
			if !ok {
				return calls
			}
			size += len(l.Text)
			calls = append(calls, parseLine(s, l))
		default:
			return calls
		}
	}
	return calls
}

func parseLine(s *run.Run, from readahead.Read) batchLine {
	l := parseText(s, from.Text)
	l.free = from.Free
	return l
}

func parseText(s *run.Run, raw []byte) batchLine {
	env := s.Env()
	if raw == nil {
		return batchLine{problem: env.Fail(tools.LimitExceeded, "A line has at most %d bytes", readahead.MaxLine)}
	}
	var l batchLine
	// Return the id unchanged, also when it is null or the rest is invalid.
	var id struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(raw, &id) == nil && jsontree.IsJSON(id.ID) {
		l.id = id.ID
	}
	accepted, e := batchForm.Accept(env, raw)
	if e != nil {
		l.problem = e
		return l
	}
	if err := json.Unmarshal(accepted, &l.in); err != nil {
		l.problem = &tools.Error{Code: tools.Internal, Message: env.Cause(err)}
		return l
	}
	l.tool, l.in.Input, l.problem = s.ToolFor(l.in.Tool, l.in.Input)
	return l
}

// batchForm validates the lines of a batch. It is never called.
var batchForm = &tools.Tool{Run: tools.Func[batchIn, struct{}](nil)}

type batchAnswer struct {
	document []byte
	err      *tools.Error // nil if the call is done
}

// answerAll answers calls in order. Adjacent calls that use the store alone share
// one opening and, if they write, one sync.
func answerAll(ctx context.Context, s *run.Run, calls []batchLine) (answers []batchAnswer) {
	for len(calls) > 0 {
		n := slices.IndexFunc(calls, func(l batchLine) bool { return l.problem == nil && !run.InStore(s, l.tool) })
		if n < 0 {
			n = len(calls)
		}
		if n == 0 {
			answers = append(answers, answerOne(ctx, s, calls[0]))
			calls = calls[1:]
			continue
		}
		answers = append(answers, answerGroup(ctx, s, calls[:n])...)
		calls = calls[n:]
	}
	return answers
}

// answerGroup answers calls whose writes share one sync. If the sync fails, no call
// is done and each answer contains the reason.
func answerGroup(ctx context.Context, s *run.Run, calls []batchLine) (answers []batchAnswer) {
	writes := func(l batchLine) bool { return l.problem == nil && l.tool.Effect != tools.Reads }
	elsewhere, _ := s.ServerAddress() // an error is reported for each call
	if len(calls) == 1 || elsewhere != "" || !slices.ContainsFunc(calls, writes) {
		for _, l := range calls {
			answers = append(answers, answerOne(ctx, s, l))
		}
		return answers
	}
	ctx, stop := s.Within(ctx)
	defer stop()
	st, err := s.Open(ctx, true)
	if err == nil {
		err = st.Group(ctx, func(ctx context.Context) error {
			answers = nil // of an earlier run
			for _, l := range calls {
				l.within = true
				answers = append(answers, answerOne(ctx, s, l))
			}
			return nil
		})
	}
	if err == nil {
		return answers
	}
	answers = nil
	for _, l := range calls {
		if writes(l) { // calls that only read can still succeed
			l.problem = l.tool.AsError(s.Env(), err)
		}
		answers = append(answers, answerOne(ctx, s, l))
	}
	return answers
}

// answerOne returns the answer to one call: the document that `call` prints, with
// the id.
func answerOne(ctx context.Context, s *run.Run, l batchLine) batchAnswer {
	a := batchAnswer{err: l.problem}
	if a.err == nil {
		call := s.Call(l.in.Input)
		call.InTransaction, call.NoText = l.within, true // an answer is always a document
		call.Compact = call.Compact || l.in.Compact
		if l.in.Key != "" {
			call.Key = l.in.Key
		}
		var result *tools.Result
		if result, a.err = s.CallTool(ctx, l.tool, call); a.err == nil {
			a.document = result.JSON
		}
	}
	if a.err != nil {
		named := *a.err
		named.Tool = cmp.Or(named.Tool, "call")
		a.err, a.document = &named, run.Document(&named)
	}
	if l.id == nil {
		return a
	}
	end := append([]byte(`"id":`), l.id...)
	if string(a.document) != "{}" {
		end = append([]byte{','}, end...)
	}
	a.document = append(append(bytes.TrimSuffix(a.document, []byte("}")), end...), '}')
	return a
}
