package ingest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"slices"
	"sort"
	"unicode/utf8"

	"techo/commands/readahead"
	"techo/internal/charset"
	"techo/store/ledger"
	"techo/tools"
)

// batch is a number of records that are stored in one transaction.
type batch[T any] struct {
	records []T
	lines   []place
	bytes   int
}

// cut splits a batch before the last records that belong together, since more of them may follow.
// The rest counts no bytes: it is small beside a batch.
func (b batch[T]) cut(same func(a, b T) bool) (whole, rest batch[T]) {
	at := len(b.records)
	for same != nil && at > 0 && same(b.records[at-1], b.records[len(b.records)-1]) {
		at--
	}
	return batch[T]{records: b.records[:at], lines: b.lines[:at], bytes: b.bytes},
		batch[T]{records: slices.Clone(b.records[at:]), lines: slices.Clone(b.lines[at:])}
}

// place is the origin of a record.
type place struct {
	line int
	file string // of a note
}

// Sizes of an import. What is read ahead of a batch, the batch itself, and what the store makes of it
// take about 90 MB together, whatever the size of the file.
const (
	maxBatch      = 2048      // records of a batch at most
	dryBatch      = 1024      // the same of a dry run, which keeps none
	maxBatchBytes = 6 << 20   // bytes of their texts
	pieceLines    = 512       // lines that a worker takes at once
	pieceBytes    = 512 << 10 // bytes of them
	piecesAhead   = 4         // pieces that are read ahead

	dryMemory = 64 << 20 // bytes of memory of a dry run
)

// importLine is one line, or one note.
type importLine struct {
	Number  int
	raw     []byte
	long    bool
	file    string // of a note
	problem string // why it is invalid, if that is known
}

// prepared is the result of a worker.
type prepared[T any] struct {
	batch[T]
	errors []importError
	read   int64
}

// batches calls use with batches of records, in the order of the file. While use
// stores one batch, the next is prepared.
func (r *importing[T]) batches(ctx context.Context, source *importSource, use func(batch[T]) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	pieces := make(chan chan prepared[T], piecesAhead)
	broken := make(chan error, 1)
	if source.Reader != nil {
		source.Reader = endedReader{ctx, source.Reader}
	}
	go func() {
		defer close(pieces)
		broken <- r.pieces(ctx, source, pieces)
	}()
	var b batch[T]
	var read int64
	for promised := range pieces {
		p := <-promised
		for _, e := range p.errors {
			r.out.skip(place{e.Line, e.File}, e.Message)
		}
		b.records = append(b.records, p.records...)
		b.lines = append(b.lines, p.lines...)
		b.bytes += p.bytes
		if len(b.records) >= r.most || b.bytes >= maxBatchBytes {
			whole, rest := b.cut(r.kind.same)
			if len(whole.records) > 0 {
				if err := use(whole); err != nil {
					return err
				}
			}
			b = rest
		}
		read += p.read
		r.Env.Step(read, source.size)
	}
	if err := <-broken; err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if len(b.records) == 0 {
		return nil
	}
	return use(b)
}

// endedReader ends with its context. A line without end is read on else, whatever --timeout says.
type endedReader struct {
	ctx context.Context
	io.Reader
}

func (r endedReader) Read(b []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.Reader.Read(b)
}

// pieces reads the lines and distributes them to one worker per processor. Each
// worker's result arrives on a channel; pieces sends these channels in the order
// of the lines.
func (r *importing[T]) pieces(ctx context.Context, source *importSource, to chan<- chan prepared[T]) error {
	type work struct {
		lines []importLine
		done  chan prepared[T]
	}
	jobs := make(chan work)
	defer close(jobs)
	for range runtime.GOMAXPROCS(0) {
		go func() {
			parse := r.kind.guarded(r.Env)
			for w := range jobs {
				w.done <- prepare(r.Env, parse, w.lines)
			}
		}()
	}
	var lines []importLine
	size := 0
	send := func() error {
		w := work{lines, make(chan prepared[T], 1)}
		lines, size = nil, 0
		select {
		case to <- w.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		select {
		case jobs <- w:
			return nil
		case <-ctx.Done():
			w.done <- prepared[T]{}
			return context.Cause(ctx)
		}
	}
	err := source.lines(func(l importLine) error {
		lines, size = append(lines, l), size+len(l.raw)
		if len(lines) < pieceLines && size < pieceBytes && ctx.Err() == nil {
			return nil
		}
		return send()
	})
	if err == nil && len(lines) > 0 {
		err = send()
	}
	return err
}

// lines calls use with each line of the source.
func (s *importSource) lines(use func(importLine) error) error {
	if s.folder.dir != "" {
		return s.noteLines(use)
	}
	return s.documents(s.Reader, 0, use)
}

// documents calls use with each line or value of JSON. size is the file's in bytes, 0 if it is unknown.
func (s *importSource) documents(r io.Reader, size int64, use func(importLine) error) error {
	buffer := 1 << 20
	if size > 0 {
		buffer = int(min(max(size, wholeHead), 1<<20))
	}
	in := bufio.NewReaderSize(r, buffer)
	mark, _ := in.Peek(4) // short at the end of the input
	if isArchive(mark) {
		return s.Env.Fail(tools.InvalidInput, "A zip archive cannot be read from here").
			WithHint(s.Env.Hint("Name the file"))
	}
	if c := charset.Marked(mark); c != nil {
		_, _ = in.Discard(len(c.BOM())) // Peek has read it
		in = bufio.NewReaderSize(c.NewReader(in), buffer)
	}
	if s.Format != "jsonl" && isWhole(in) {
		return s.values(in, use)
	}
	for n := 1; ; n++ {
		raw, err := readahead.Line(in)
		long := errors.Is(err, readahead.ErrTooLong)
		if long || len(bytes.TrimSpace(raw)) > 0 {
			if e := s.pass(importLine{Number: n, raw: raw, long: long}, use); e != nil {
				return e
			}
		}
		if err != nil && !long {
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
}

// pass passes the records of a line or value to use, and one of its texts that is too long as a problem. It makes none
// of them, since a text may be as long as a line.
func (s *importSource) pass(l importLine, use func(importLine) error) error {
	var sizes map[string]textSize
	if len(l.raw) > ledger.MaxText && json.Unmarshal(l.raw, &sizes) == nil {
		for _, name := range s.texts {
			if sizes[name] > ledger.MaxText {
				l.raw, l.problem = nil, s.Env.Localize("%s has more than %d bytes", name, ledger.MaxText)
				return use(l)
			}
		}
	}
	return s.split(l, use)
}

// textSize is how many bytes a JSON text has at least: an escape counts as one. Other values have none.
type textSize int

// UnmarshalJSON counts.
func (n *textSize) UnmarshalJSON(value []byte) error {
	if value[0] != '"' {
		return nil
	}
	*n = -2 // the quotes
	for i := 0; i < len(value); i++ {
		if *n++; value[i] == '\\' {
			if i++; value[i] == 'u' {
				i += 4
			}
		}
	}
	return nil
}

// prepare parses lines.
func prepare[T any](env *tools.Env, parse parser[T], lines []importLine) (p prepared[T]) {
	p.records, p.lines = make([]T, 0, len(lines)), make([]place, 0, len(lines))
	for _, l := range lines {
		p.read += int64(len(l.raw))
		if l.problem == "" {
			l.problem = unreadable(env, l)
		}
		var record T
		size := 0
		if l.problem == "" {
			record, size, l.problem = parse(l.raw)
		}
		if l.problem != "" {
			p.errors = append(p.errors, importError{l.Number, l.file, l.problem})
			continue
		}
		p.records = append(p.records, record)
		p.lines = append(p.lines, place{l.Number, l.file})
		p.bytes += size
	}
	return p
}

// unreadable returns the reason why a line cannot be parsed, or "".
func unreadable(env *tools.Env, l importLine) string {
	switch {
	case l.long:
		return env.Localize("has more than %d bytes", readahead.MaxLine)
	case !utf8.Valid(l.raw):
		return env.Localize("is not valid UTF-8")
	}
	return ""
}

// wholeHead is the number of bytes from which isWhole knows.
const wholeHead = 1 << 12

// isWhole reports whether the input is a list or a document of several lines, not
// JSON Lines.
func isWhole(in *bufio.Reader) bool {
	head, _ := in.Peek(wholeHead) // short at the end of the input
	head = bytes.TrimLeft(head, " \t\r\n")
	first, _, more := bytes.Cut(head, []byte("\n"))
	first = bytes.TrimRight(first, " \t\r")
	if bytes.HasPrefix(first, []byte("[")) {
		return true
	}
	return more && bytes.HasPrefix(first, []byte("{")) && bytes.ContainsAny(first[len(first)-1:], "{[,")
}

// values calls use with each value of a list or of a sequence of documents,
// numbered by the line in which it begins.
func (s *importSource) values(in *bufio.Reader, use func(importLine) error) error {
	head, _ := in.Peek(wholeHead) // short at the end of the input
	counted := &lineCounter{in: in, end: maxValue}
	d := json.NewDecoder(counted)
	list := bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("["))
	if list {
		_, _ = d.Token() // the opening bracket
	}
	for {
		var raw json.RawMessage
		var err error
		if list && !d.More() {
			_, err = d.Token()
			list = false
		} else if err = d.Decode(&raw); errors.Is(err, io.EOF) && !list {
			return nil
		}
		switch {
		case err != nil:
			return s.broken(counted.line(d.InputOffset()), err, use)
		case raw == nil:
			continue
		}
		counted.forget(d.InputOffset() - int64(len(raw)))
		counted.end = d.InputOffset() + maxValue
		if err := s.pass(importLine{Number: counted.line(d.InputOffset() - int64(len(raw))), raw: raw},
			use); err != nil {
			return err
		}
	}
}

// maxValue is the size of the largest value of JSON in bytes, or a little more.
const maxValue = 256 << 20

// broken reports a document that cannot be parsed any further.
func (s *importSource) broken(line int, err error, use func(importLine) error) error {
	if errors.Is(err, readahead.ErrTooLong) {
		return use(importLine{Number: line, problem: s.Env.Localize("has more than %d bytes", maxValue)})
	}
	if problem := new(json.SyntaxError); !errors.As(err, &problem) && !errors.Is(err, io.ErrUnexpectedEOF) &&
		!errors.Is(err, io.EOF) {
		return err // a failure of the disk or the pipe
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return use(importLine{Number: line, problem: s.Env.Localize("cannot be read beyond this point: %v", err)})
}

// lineCounter records where lines begin. It reads nothing beyond an end that its user moves.
type lineCounter struct {
	in     io.Reader
	at     int64
	end    int64
	passed int     // lines that are forgotten
	ends   []int64 // offsets after the newlines of the others
}

// Read reads and records the ends of lines.
func (c *lineCounter) Read(b []byte) (int, error) {
	if c.at > c.end {
		return 0, readahead.ErrTooLong
	}
	n, err := c.in.Read(b)
	for i, ch := range b[:n] {
		if ch == '\n' {
			c.ends = append(c.ends, c.at+int64(i)+1)
		}
	}
	c.at += int64(n)
	return n, err
}

// line returns the number of the line that an offset lies in, which is not forgotten.
func (c *lineCounter) line(offset int64) int {
	return 1 + c.passed + sort.Search(len(c.ends), func(i int) bool { return c.ends[i] > offset })
}

// forget forgets the lines that end before an offset.
func (c *lineCounter) forget(offset int64) {
	n := sort.Search(len(c.ends), func(i int) bool { return c.ends[i] > offset })
	c.passed += n
	c.ends = append(c.ends[:0], c.ends[n:]...)
}

// jsonProblem explains why a line is not a memory.
func jsonProblem(env *tools.Env, err error) string {
	if kind := new(json.UnmarshalTypeError); errors.As(err, &kind) {
		if kind.Field == "" {
			return env.Localize("must be an object, not %s", kind.Value)
		}
		return env.Localize("%s must be a text, not %s", kind.Field, kind.Value)
	}
	return env.Localize("is not a memory: %v", err)
}
