package ingest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sort"

	"techo/commands/readahead"
	"techo/tools"
)

// isWhole reports whether the input is a list or a document of several lines, not
// JSON Lines.
func isWhole(in *bufio.Reader) bool {
	head, _ := in.Peek(1 << 12) // short at the end of the input
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
	head, _ := in.Peek(1 << 12) // short at the end of the input
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
		if err := s.split(importLine{Number: counted.line(d.InputOffset() - int64(len(raw))), raw: raw},
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
