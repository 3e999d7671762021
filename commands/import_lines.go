package commands

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

	"techo/store"
	"techo/tools"
)

// importSource is where memories come from.
type importSource struct {
	env    *tools.Env
	reader io.Reader
	dir    string // instead of a reader: a folder of notes, or one
	format string
	size   int64 // 0 is not known
	close_ func() error
}

func (s *importSource) close() {
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

// importLine is a line that was read.
type importLine struct {
	number int
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
func (r *importing) batches(ctx context.Context, source *importSource, use func(importBatch) error) error {
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
		r.env.Step(read, source.size)
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
func (r *importing) pieces(ctx context.Context, source *importSource, to chan<- chan importPieceRead) error {
	type work struct {
		lines []importLine
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
	var lines []importLine
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
	err := source.lines(func(l importLine) error {
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

// lines hands over the lines of a source, whatever its form is.
func (s *importSource) lines(use func(importLine) error) error {
	if s.dir != "" {
		return s.noteLines(use)
	}
	in := bufio.NewReaderSize(s.reader, 1<<20)
	if mark, err := in.Peek(3); err == nil && string(mark) == "\ufeff" {
		_, _ = in.Discard(len(mark)) // it is there
	}
	if s.format != "jsonl" && isWhole(in) {
		return s.values(in, use)
	}
	for n := 1; ; n++ {
		raw, err := readLong(in)
		long := errors.Is(err, errLineTooLong)
		if long || len(strings.TrimSpace(string(raw))) > 0 {
			if e := s.line(importLine{number: n, raw: raw, long: long}, use); e != nil {
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
func (r *importing) prepare(d *store.Drafter, lines []importLine) (p importPieceRead) {
	for _, l := range lines {
		p.read += int64(len(l.raw))
		m, wrong := r.memory(l)
		if wrong != "" {
			p.errors = append(p.errors, importError{l.number, l.file, wrong})
			continue
		}
		p.drafts = append(p.drafts, d.Draft(m))
		p.lines = append(p.lines, importPlace{l.number, l.file})
		p.bytes += len(m.FullText)
	}
	return p
}

// memory reads one line, or says what is wrong with it.
func (r *importing) memory(l importLine) (m store.Memory, wrong string) {
	say := func(s tools.Say, args ...any) string { return r.env.Say(s, args...) }
	if l.fault != "" {
		return m, l.fault
	}
	if l.long {
		return m, say(tools.Say{EN: "has more than %d bytes", JA: "%d バイトを超えています"}, maxLine)
	}
	if !utf8.Valid(l.raw) {
		return m, say(tools.Say{EN: "is not valid UTF-8", JA: "UTF-8 として正しくありません"})
	}
	var in memoryLine
	if err := json.Unmarshal(l.raw, &in); err != nil {
		return m, jsonFault(r.env, err)
	}
	var faults []string
	fault := func(s tools.Say, args ...any) { faults = append(faults, say(s, args...)) }
	if in.FullText == nil || strings.TrimSpace(*in.FullText) == "" {
		fault(tools.Say{EN: "full_text is required", JA: "full_text は必須です"})
		in.FullText = new(string)
	}
	if n := len(*in.FullText); n > store.MaxMemoryText {
		fault(tools.Say{EN: "full_text has %d bytes, at most %d", JA: "full_text は%dバイトあります（最大%d）"}, n, store.MaxMemoryText)
	}
	if in.UserID != "" && in.UserID != r.env.User {
		fault(tools.Say{EN: "is of user %q; import it with --user", JA: "ユーザー「%s」の記憶です。--user を指定してください"}, in.UserID)
	}
	if in.ID != "" && !memoryID(in.ID) {
		fault(tools.Say{EN: "id %q must be mem_ and letters and digits", JA: "id（%q）は mem_ と英小文字・数字にしてください"}, in.ID)
	}
	if utf8.RuneCountInString(in.Caption) > 1000 || utf8.RuneCountInString(in.Session) > 200 {
		fault(tools.Say{EN: "caption has at most 1000 characters, session 200", JA: "caption は1000文字、session は200文字までです"})
	}
	m = store.Memory{ID: in.ID, User: r.env.User, Caption: in.Caption, FullText: *in.FullText, Session: in.Session}
	for _, t := range []struct {
		name, text string
		to         *time.Time
	}{{"created_at", in.CreatedAt, &m.CreatedAt}, {"updated_at", in.UpdatedAt, &m.UpdatedAt}} {
		var err error
		if t.text == "" {
			continue
		}
		if *t.to, err = time.Parse(time.RFC3339Nano, t.text); err != nil {
			fault(tools.Say{EN: "%s must be a time such as 2026-01-02T15:04:05Z, not %q", JA: "%s は 2026-01-02T15:04:05Z のような時刻にしてください（%q は不可）"}, t.name, t.text)
		}
	}
	return m, strings.Join(faults, "; ")
}

// memoryID reports whether an id may be kept as it comes.
func memoryID(id string) bool {
	rest, ok := strings.CutPrefix(id, "mem_")
	return ok && rest != "" && len(rest) <= 56 && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}
