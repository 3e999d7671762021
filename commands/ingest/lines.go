package ingest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"

	"techo/commands/readahead"
	"techo/internal/legible"
	"techo/store"
	"techo/tools"
)

// importSource is a file, a folder of notes or stdin.
type importSource struct {
	Env    *tools.Env
	Reader io.Reader
	dir    string // instead of a reader: a folder of notes, or one note
	Format string
	size   int64 // 0 if unknown
	closer func() error
}

func (s *importSource) close() {
	if s.closer != nil {
		_ = s.closer() // it was only read from
	}
}

// batch is a number of memories that are stored in one transaction.
type batch struct {
	drafts []store.Draft
	lines  []place
	bytes  int
}

// place is the origin of a memory.
type place struct {
	line int
	file string // of a note
}

// Sizes of an import.
const (
	maxBatch      = 65536    // memories of a batch at most
	maxBatchBytes = 32 << 20 // bytes of their texts
	pieceLines    = 512      // lines that a worker takes at once
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
type prepared struct {
	batch
	errors []importError
	read   int64
}

// batches calls use with batches of memories, in the order of the file. While use
// stores one batch, the next is prepared.
func (r *importing) batches(ctx context.Context, source *importSource, use func(batch) error) error {
	pieces := make(chan chan prepared, 256)
	broken := make(chan error, 1)
	go func() {
		defer close(pieces)
		broken <- r.pieces(ctx, source, pieces)
	}()
	var b batch
	var read int64
	for promised := range pieces {
		p := <-promised
		for _, e := range p.errors {
			r.skip(place{e.Line, e.File}, e.Message)
		}
		b.drafts = append(b.drafts, p.drafts...)
		b.lines = append(b.lines, p.lines...)
		b.bytes += p.bytes
		if len(b.drafts) >= maxBatch || b.bytes >= maxBatchBytes {
			if err := use(b); err != nil {
				return err
			}
			b = batch{}
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
	if len(b.drafts) == 0 {
		return nil
	}
	return use(b)
}

// pieces reads the lines and distributes them to one worker per processor. Each
// worker's result arrives on a channel; pieces sends these channels in the order
// of the lines.
func (r *importing) pieces(ctx context.Context, source *importSource, to chan<- chan prepared) error {
	type work struct {
		lines []importLine
		done  chan prepared
	}
	jobs := make(chan work)
	defer close(jobs)
	for range runtime.GOMAXPROCS(0) {
		go func() {
			d := store.NewDrafter()
			for w := range jobs {
				w.done <- r.prepare(d, w.lines)
			}
		}()
	}
	var lines []importLine
	send := func() error {
		w := work{lines, make(chan prepared, 1)}
		lines = nil
		select {
		case to <- w.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		select {
		case jobs <- w:
			return nil
		case <-ctx.Done():
			w.done <- prepared{}
			return context.Cause(ctx)
		}
	}
	err := source.lines(func(l importLine) error {
		if lines = append(lines, l); len(lines) < pieceLines && ctx.Err() == nil {
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
	if s.dir != "" {
		return s.noteLines(use)
	}
	in := bufio.NewReaderSize(s.Reader, 1<<20)
	if mark, err := in.Peek(3); err == nil && string(mark) == "\ufeff" {
		_, _ = in.Discard(len(mark)) // Peek has read it
	}
	if s.Format != "jsonl" && isWhole(in) {
		return s.values(in, use)
	}
	for n := 1; ; n++ {
		raw, err := readahead.Line(in)
		long := errors.Is(err, readahead.ErrTooLong)
		if long || len(strings.TrimSpace(string(raw))) > 0 {
			if e := s.line(importLine{Number: n, raw: raw, long: long}, use); e != nil {
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

// memoryLine is a line of JSON lines.
type memoryLine struct {
	ID        string  `json:"id"`
	UserID    string  `json:"user_id"`
	FullText  *string `json:"full_text"`
	Caption   string  `json:"caption"`
	Session   string  `json:"session"`
	CreatedAt string  `json:"created_at"`
	UpdatedAt string  `json:"updated_at"`
}

// prepare converts lines to drafts.
func (r *importing) prepare(d *store.Drafter, lines []importLine) (p prepared) {
	for _, l := range lines {
		p.read += int64(len(l.raw))
		m, wrong := r.memory(l)
		if wrong != "" {
			p.errors = append(p.errors, importError{l.Number, l.file, wrong})
			continue
		}
		p.drafts = append(p.drafts, d.Draft(m))
		p.lines = append(p.lines, place{l.Number, l.file})
		p.bytes += len(m.FullText)
	}
	return p
}

// memory parses one line. wrong is the reason why the line is invalid, if it is.
func (r *importing) memory(l importLine) (m store.Memory, wrong string) {
	say := func(s tools.Text, args ...any) string { return r.Env.Localize(s, args...) }
	if l.problem != "" {
		return m, l.problem
	}
	if l.long {
		return m, say("has more than %d bytes", readahead.MaxLine)
	}
	if !utf8.Valid(l.raw) {
		return m, say("is not valid UTF-8")
	}
	var in memoryLine
	if err := json.Unmarshal(l.raw, &in); err != nil {
		return m, jsonProblem(r.Env, err)
	}
	var problems []string
	problem := func(s tools.Text, args ...any) { problems = append(problems, say(s, args...)) }
	if in.FullText == nil || legible.Blank(*in.FullText) {
		problem("full_text is required")
		in.FullText = new(string)
	}
	if n := len(*in.FullText); n > store.MaxMemoryText {
		problem("full_text has %d bytes, at most %d", n, store.MaxMemoryText)
	}
	if in.UserID != "" && in.UserID != r.Env.User {
		problem("belongs to user %q; import it with --user", in.UserID)
	}
	if in.ID != "" && !memoryID(in.ID) {
		problem("id %q must be mem_ followed by lowercase letters and digits", in.ID)
	}
	if legible.Control(in.Session) || in.Session != "" && legible.Blank(in.Session) {
		problem("session must not be blank or contain control characters")
	}
	if utf8.RuneCountInString(in.Caption) > 1000 || utf8.RuneCountInString(in.Session) > 200 {
		problem("caption has at most 1000 characters, session 200")
	}
	m = store.Memory{ID: in.ID, User: r.Env.User, Caption: in.Caption, FullText: *in.FullText, Session: in.Session}
	for _, t := range []struct {
		name, text string
		to         *time.Time
	}{{"created_at", in.CreatedAt, &m.CreatedAt}, {"updated_at", in.UpdatedAt, &m.UpdatedAt}} {
		var err error
		if t.text == "" {
			continue
		}
		if *t.to, err = time.Parse(time.RFC3339Nano, t.text); err != nil {
			problem("%s must be a time such as 2026-01-02T15:04:05Z, not %q", t.name, t.text)
		}
	}
	return m, strings.Join(problems, "; ")
}

// memoryID reports whether an imported memory may keep its id.
func memoryID(id string) bool {
	rest, ok := strings.CutPrefix(id, "mem_")
	return ok && rest != "" && len(rest) <= 56 && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}
