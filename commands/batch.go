package commands

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"techo/tools"
)

// Limits of a batch.
const (
	maxLine     = 64 << 20 // bytes of a line
	maxTogether = 512      // calls that share a sync
)

// batchIn is one line of a batch.
type batchIn struct {
	Tool  string          `json:"tool" en:"Name of the tool" ja:"ツール名"`
	Input json.RawMessage `json:"input,omitempty" en:"Its input" ja:"入力"`
	ID    json.RawMessage `json:"id,omitempty" en:"Comes back with the answer" ja:"答えに付けて返す値"`
	Key   string          `json:"idempotency_key,omitempty" en:"Do it once for this key" ja:"冪等キー"`
}

// batchLine is a line that was read, or why it could not be.
type batchLine struct {
	in    batchIn
	id    json.RawMessage
	tool  *tools.Tool
	fault *tools.Error
}

// batch answers the calls on stdin, one a line. It stops reading when the
// input ends or the person interrupts.
func (s *session) batch(ctx context.Context) int {
	s.stdinTaken = true
	lines := make(chan []byte, maxTogether)
	broken := make(chan error, 1)
	go func() { broken <- readLines(ctx, s.Stdin, lines); close(lines) }()
	out := bufio.NewWriterSize(s.Stdout, 64<<10)
	for calls := s.next(ctx, lines); len(calls) > 0; calls = s.next(ctx, lines) {
		for _, answer := range s.answer(ctx, calls) {
			out.Write(answer)
			out.WriteByte('\n')
		}
		if err := out.Flush(); err != nil {
			return 1
		}
	}
	if ctx.Err() != nil {
		return exitCode(tools.Cancelled)
	}
	if err := <-broken; err != nil {
		return s.fail(&tools.Error{Code: tools.Internal, Message: "stdin: " + err.Error()})
	}
	return 0
}

// next waits for a call and takes with it all that have arrived.
func (s *session) next(ctx context.Context, lines <-chan []byte) (calls []batchLine) {
	select {
	case l, ok := <-lines:
		if !ok {
			return nil
		}
		calls = append(calls, s.parseLine(l))
	case <-ctx.Done():
		return nil
	}
	for size := 0; len(calls) < maxTogether && size < 4<<20; {
		select {
		case l, ok := <-lines:
			if !ok {
				return calls
			}
			size += len(l)
			calls = append(calls, s.parseLine(l))
		default:
			return calls
		}
	}
	return calls
}

var errLineTooLong = errors.New("line too long")

// readLines sends the lines that are not blank; one that is too long is sent
// as nil.
func readLines(ctx context.Context, r io.Reader, lines chan<- []byte) error {
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		l, err := readLong(in)
		if long := errors.Is(err, errLineTooLong); long || len(bytes.TrimSpace(l)) > 0 {
			if long {
				l = nil
			}
			select {
			case lines <- l:
			case <-ctx.Done():
				return nil
			}
		}
		if err != nil && !errors.Is(err, errLineTooLong) {
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
}

// readLong reads one line, of which it keeps no more than is allowed.
func readLong(in *bufio.Reader) (l []byte, err error) {
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if len(l)+len(part) > maxLine {
			long = true
			l = nil
		}
		if !long {
			l = append(l, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long && (err == nil || err == io.EOF): // the end comes again
			return nil, errLineTooLong
		}
		return l, err
	}
}

// parseLine reads a line into a call.
func (s *session) parseLine(raw []byte) batchLine {
	env := s.env()
	if raw == nil {
		return batchLine{fault: env.Fail(tools.LimitExceeded, tools.Say{EN: "A line has at most %d bytes", JA: "1行は%dバイトまでです"}, maxLine)}
	}
	var l batchLine
	// The id goes back as it came, also when the rest is wrong or it is null.
	var id struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(raw, &id) == nil && tools.IsJSON(id.ID) {
		l.id = id.ID
	}
	accepted, e := batchForm.Accept(env, raw)
	if e != nil {
		l.fault = e
		return l
	}
	if err := json.Unmarshal(accepted, &l.in); err != nil {
		l.fault = &tools.Error{Code: tools.Internal, Message: err.Error()}
		return l
	}
	l.tool, l.fault = s.toolFor(l.in.Tool, l.in.Input)
	return l
}

// batchForm validates the lines of a batch.
var batchForm = tools.Define(tools.Tool{}, func(context.Context, *tools.Env, batchIn) (struct{}, error) { return struct{}{}, nil })

// answer answers calls in order. Those next to each other that work on the
// store alone share one opening and, when they write, one sync.
func (s *session) answer(ctx context.Context, calls []batchLine) (answers [][]byte) {
	for len(calls) > 0 {
		n := slices.IndexFunc(calls, func(l batchLine) bool { return l.fault == nil && !l.tool.InStore })
		if n < 0 {
			n = len(calls)
		}
		if n == 0 {
			answers = append(answers, s.answerOne(ctx, calls[0]))
			calls = calls[1:]
			continue
		}
		answers = append(answers, s.together(ctx, calls[:n])...)
		calls = calls[n:]
	}
	return answers
}

// together answers calls whose writes become durable at once. When they do
// not, none of them was done, and each is answered with the reason.
func (s *session) together(ctx context.Context, calls []batchLine) (answers [][]byte) {
	writes := func(l batchLine) bool { return l.fault == nil && l.tool.Effect != tools.Reads }
	if len(calls) == 1 || !slices.ContainsFunc(calls, writes) {
		for _, l := range calls {
			answers = append(answers, s.answerOne(ctx, l))
		}
		return answers
	}
	ctx, stop := s.within(ctx)
	defer stop()
	st, err := s.open(ctx, true)
	if err == nil {
		err = st.Group(ctx, func(ctx context.Context) error {
			for _, l := range calls {
				answers = append(answers, s.answerOne(ctx, l))
			}
			return nil
		})
	}
	if err == nil {
		return answers
	}
	answers = nil
	for _, l := range calls {
		if writes(l) { // what only reads may still be answered
			l.fault = l.tool.Fault(s.env(), err)
		}
		answers = append(answers, s.answerOne(ctx, l))
	}
	return answers
}

// answerOne answers one call: the document that `call` prints, and the id.
func (s *session) answerOne(ctx context.Context, l batchLine) []byte {
	var document []byte
	if l.fault != nil {
		document = errorDocument(l.fault)
	} else {
		call := s.call(l.in.Input)
		if l.in.Key != "" {
			call.Key = l.in.Key
		}
		result, e := l.tool.Invoke(ctx, s.env(), call)
		if e != nil {
			document = errorDocument(e)
		} else {
			document = result.JSON
		}
	}
	if l.id == nil {
		return document
	}
	end := append([]byte(`"id":`), l.id...)
	if string(document) != "{}" {
		end = append([]byte{','}, end...)
	}
	return append(append(bytes.TrimSuffix(document, []byte("}")), end...), '}')
}
