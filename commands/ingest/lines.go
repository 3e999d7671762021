package ingest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"strings"
	"techo/commands/readahead"
	"techo/internal/legible"
	"techo/store"
	"techo/tools"
	"time"
	"unicode/utf8"
)

// ImportSource is where memories come from.
type ImportSource struct {
	Env    *tools.Env
	Reader io.Reader
	dir    string // instead of a reader: a folder of notes, or one
	Format string
	size   int64 // 0 is not known
	close_ func() error
}

func (s *ImportSource) close() {
	if s.close_ != nil {
		_ = s.close_() // it was only read
	}
}

// importBatch is what goes into the store at once.
type importBatch struct {
	drafts []store.Draft
	lines  []importPlace
	bytes  int
}

// importPlace is where a memory comes from.
type importPlace struct {
	line int
	file string // of a note
}

// Sizes of an import.
const (
	importTogether      = 65536    // memories of a batch at most
	importTogetherBytes = 32 << 20 // bytes of their texts
	importPiece         = 512      // lines that a worker takes at once
)

// ImportLine is a line that was read.
type ImportLine struct {
	Number int
	raw    []byte
	long   bool
	file   string // of a note
	fault  string // what is wrong with it already
}

// importPieceRead is what a worker made of its lines.
type importPieceRead struct {
	importBatch
	errors []importError
	read   int64
}

// batches hands over memories in batches, in the order of the file. While the
// store writes one, the next is read and prepared.
func (r *Importing) batches(ctx context.Context, source *ImportSource, use func(importBatch) error) error {
	pieces := make(chan chan importPieceRead, 256)
	broken := make(chan error, 1)
	go func() {
		defer close(pieces)
		broken <- r.pieces(ctx, source, pieces)
	}()
	var b importBatch
	var read int64
	for promised := range pieces {
		p := <-promised
		for _, e := range p.errors {
			r.skip(importPlace{e.Line, e.File}, e.Message)
		}
		b.drafts = append(b.drafts, p.drafts...)
		b.lines = append(b.lines, p.lines...)
		b.bytes += p.bytes
		if len(b.drafts) >= importTogether || b.bytes >= importTogetherBytes {
			if err := use(b); err != nil {
				return err
			}
			b = importBatch{}
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

// pieces reads the lines and has them prepared by as many workers as there are
// processors. What they will make of them is promised in order.
func (r *Importing) pieces(ctx context.Context, source *ImportSource, to chan<- chan importPieceRead) error {
	type work struct {
		lines []ImportLine
		done  chan importPieceRead
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
	var lines []ImportLine
	send := func() error {
		w := work{lines, make(chan importPieceRead, 1)}
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
			w.done <- importPieceRead{}
			return context.Cause(ctx)
		}
	}
	err := source.Lines(func(l ImportLine) error {
		if lines = append(lines, l); len(lines) < importPiece && ctx.Err() == nil {
			return nil
		}
		return send()
	})
	if err == nil && len(lines) > 0 {
		err = send()
	}
	return err
}

// Lines hands over the lines of a source, whatever its form is.
func (s *ImportSource) Lines(use func(ImportLine) error) error {
	if s.dir != "" {
		return s.noteLines(use)
	}
	in := bufio.NewReaderSize(s.Reader, 1<<20)
	if mark, err := in.Peek(3); err == nil && string(mark) == "\ufeff" {
		_, _ = in.Discard(len(mark)) // it is there
	}
	if s.Format != "jsonl" && isWhole(in) {
		return s.values(in, use)
	}
	for n := 1; ; n++ {
		raw, err := readahead.Line(in)
		long := errors.Is(err, readahead.ErrTooLong)
		if long || len(strings.TrimSpace(string(raw))) > 0 {
			if e := s.line(ImportLine{Number: n, raw: raw, long: long}, use); e != nil {
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

// prepare makes drafts of lines.
func (r *Importing) prepare(d *store.Drafter, lines []ImportLine) (p importPieceRead) {
	for _, l := range lines {
		p.read += int64(len(l.raw))
		m, wrong := r.Memory(l)
		if wrong != "" {
			p.errors = append(p.errors, importError{l.Number, l.file, wrong})
			continue
		}
		p.drafts = append(p.drafts, d.Draft(m))
		p.lines = append(p.lines, importPlace{l.Number, l.file})
		p.bytes += len(m.FullText)
	}
	return p
}

// Memory parses one line. wrong describes the error, if any.
func (r *Importing) Memory(l ImportLine) (m store.Memory, wrong string) {
	say := func(s tools.Text, args ...any) string { return r.Env.Localize(s, args...) }
	if l.fault != "" {
		return m, l.fault
	}
	if l.long {
		return m, say("has more than %d bytes", readahead.MaxLine)
	}
	if !utf8.Valid(l.raw) {
		return m, say("is not valid UTF-8")
	}
	var in memoryLine
	if err := json.Unmarshal(l.raw, &in); err != nil {
		return m, jsonFault(r.Env, err)
	}
	var faults []string
	fault := func(s tools.Text, args ...any) { faults = append(faults, say(s, args...)) }
	if in.FullText == nil || legible.Blank(*in.FullText) {
		fault("full_text is required")
		in.FullText = new(string)
	}
	if n := len(*in.FullText); n > store.MaxMemoryText {
		fault("full_text has %d bytes, at most %d", n, store.MaxMemoryText)
	}
	if in.UserID != "" && in.UserID != r.Env.User {
		fault("is of user %q; import it with --user", in.UserID)
	}
	if in.ID != "" && !memoryID(in.ID) {
		fault("id %q must be mem_ and letters and digits", in.ID)
	}
	if legible.Control(in.Session) || in.Session != "" && legible.Blank(in.Session) {
		fault("session must show something, without control characters")
	}
	if utf8.RuneCountInString(in.Caption) > 1000 || utf8.RuneCountInString(in.Session) > 200 {
		fault("caption has at most 1000 characters, session 200")
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
			fault("%s must be a time such as 2026-01-02T15:04:05Z, not %q", t.name, t.text)
		}
	}
	return m, strings.Join(faults, "; ")
}

// memoryID reports whether an id may be kept as it comes.
func memoryID(id string) bool {
	rest, ok := strings.CutPrefix(id, "mem_")
	return ok && rest != "" && len(rest) <= 56 && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}
