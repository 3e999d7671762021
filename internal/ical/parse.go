// Package ical reads and writes iCalendar streams (RFC 5545, RFC 6868).
//
// The reader is tolerant: it reports malformed lines and keeps everything else.
// The package handles syntax only; the meaning of events belongs to its callers.
package ical

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"techo/internal/charset"
)

// Component is a BEGIN/END block.
type Component struct {
	Name       string // upper case
	Line       int    // line number of BEGIN, from 1
	Properties []Property
	Components []*Component
}

// Property is one content line.
type Property struct {
	Name   string // upper case
	Params []Param
	Value  string // as written, with escapes
	Line   int
}

// Param is a parameter of a property, such as TZID.
type Param struct {
	Name   string // upper case
	Values []string
}

// Fault classifies problems in a stream.
type Fault string

// The kinds of problems.
const (
	BadLine   Fault = "bad_line"   // not a content line
	StrayEnd  Fault = "stray_end"  // END without BEGIN
	NoEnd     Fault = "no_end"     // BEGIN without END
	BadText   Fault = "bad_text"   // not valid UTF-8
	TooDeep   Fault = "too_deep"   // components nested deeper than maxDepth
	TooLong   Fault = "too_long"   // value cut at maxLine
	NoContent Fault = "no_content" // no component at all
)

// Problem is a fault and its position.
type Problem struct {
	Line  int
	Fault Fault
	Text  string // excerpt of the line
}

// Limits far above any real calendar.
const (
	maxDepth    = 16
	maxLine     = 1 << 20 // bytes of a value
	maxProblems = 1000    // problems reported in full; more are only counted
)

// Parse reads a stream. It also returns components outside a VCALENDAR.
func Parse(data []byte) ([]*Component, []Problem) {
	p := parse(data, nil)
	return p.root.Components, p.problems
}

// Each reads a stream and yields its events, to-dos, journals, free/busy times and
// time zones one by one, each with the enclosing VCALENDAR or nil. Memory use does
// not grow with the stream: yielded components are not retained. It returns the
// first problems and their total number.
func (s *Stream) Each(yield func(c, calendar *Component)) (problems []Problem, total int, err error) {
	p := newParser(yield)
	if err := s.lines(func(l physical) bool { p.line(l); return true }); err != nil {
		return nil, 0, err
	}
	p.finish()
	return p.problems, p.total, nil
}

func parse(data []byte, yield func(c, calendar *Component)) *parser {
	p := newParser(yield)
	for l := range lines(data) {
		p.line(l)
	}
	p.finish()
	return p
}

func newParser(yield func(c, calendar *Component)) *parser {
	p := &parser{yield: yield}
	p.stack = []*Component{&p.root}
	return p
}

func (p *parser) finish() {
	for _, c := range p.stack[1:] {
		p.problem(c.Line, NoEnd, c.Name)
	}
	p.pop(1)
	if !p.began {
		p.problem(1, NoContent, "")
	}
}

type parser struct {
	root     Component
	stack    []*Component
	problems []Problem
	total    int  // number of problems, including those beyond maxProblems
	began    bool // a component was found
	yield    func(c, calendar *Component)
}

// pop closes all components from stack index n on and yields the ones that Each
// returns.
func (p *parser) pop(n int) {
	for i := len(p.stack) - 1; i >= n; i-- {
		c, above := p.stack[i], p.stack[i-1]
		p.stack = p.stack[:i]
		if p.yield == nil || c.Name == "VALARM" || !slices.Contains(siblings, c.Name) ||
			slices.ContainsFunc(p.stack, func(o *Component) bool { return slices.Contains(siblings, o.Name) }) {
			continue
		}
		above.Components = nil // its components were yielded
		calendar := (*Component)(nil)
		if n := slices.IndexFunc(p.stack, func(o *Component) bool { return o.Name == "VCALENDAR" }); n >= 0 {
			calendar = p.stack[n]
		}
		p.yield(c, calendar)
	}
}

func (p *parser) problem(line int, f Fault, text string) {
	if len(text) > 60 {
		text = strings.ToValidUTF8(text[:60], "") + "…"
	}
	if p.total++; p.total <= maxProblems {
		p.problems = append(p.problems, Problem{line, f, text})
	}
}

func (p *parser) top() *Component { return p.stack[len(p.stack)-1] }

func (p *parser) line(l physical) {
	text := string(l.text)
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, string(utf8.RuneError))
		p.problem(l.number, BadText, text)
	}
	if len(text) > maxLine {
		text = strings.ToValidUTF8(text[:maxLine], "")
		p.problem(l.number, TooLong, "")
	}
	prop, ok := parseLine(text)
	prop.Line = l.number
	switch {
	case !ok:
		if strings.TrimSpace(text) != "" {
			p.problem(l.number, BadLine, text)
		}
	case prop.Name == "BEGIN":
		p.begin(strings.ToUpper(strings.TrimSpace(prop.Value)), l.number)
	case prop.Name == "END":
		p.end(strings.ToUpper(strings.TrimSpace(prop.Value)), l.number)
	default:
		p.top().Properties = append(p.top().Properties, prop)
	}
}

// siblings are the components that never nest in their own kind. A second BEGIN of
// one implies the missing END of the first.
var siblings = []string{"VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY", "VTIMEZONE", "VALARM"}

func (p *parser) begin(name string, line int) {
	if slices.Contains(siblings, name) {
		if i := slices.IndexFunc(p.stack, func(c *Component) bool { return c.Name == name }); i > 0 {
			p.problem(p.stack[i].Line, NoEnd, name)
			p.pop(i)
		}
	}
	if name == "VCALENDAR" && len(p.stack) > 1 {
		p.problem(p.stack[1].Line, NoEnd, p.stack[1].Name)
		p.pop(1)
	}
	if len(p.stack) > maxDepth {
		p.problem(line, TooDeep, name)
		return
	}
	c := &Component{Name: name, Line: line}
	p.began = true
	p.top().Components = append(p.top().Components, c)
	p.stack = append(p.stack, c)
}

func (p *parser) end(name string, line int) {
	for i := len(p.stack) - 1; i > 0; i-- {
		if p.stack[i].Name != name {
			continue
		}
		for _, open := range p.stack[i+1:] {
			p.problem(open.Line, NoEnd, open.Name)
		}
		p.pop(i)
		return
	}
	p.problem(line, StrayEnd, name)
}

// decode returns a stream in UTF-8 and the name of the encoding that it was in. A stream of which only a
// few characters are not in UTF-8 stays as it is. Some programs fold within a character, so an encoding is
// looked for in the unfolded lines; they keep their numbers.
func decode(data []byte) (text []byte, encoding string) {
	if c := withoutMark(data); c != nil {
		return []byte(c.Decode(data).String), c.Name()
	}
	if utf8.Valid(data) && !bytes.Contains(data, escape) {
		return data, utf8Name
	}
	if mark := charset.Marked(data); mark == nil || mark.Name() == utf8Name {
		var valid bool
		if text, valid = unfolded(data); valid {
			return text, utf8Name
		}
		if decoded, name := charset.DecodePage(text, ""); name != utf8Name {
			return []byte(decoded), name
		}
		return data, utf8Name
	}
	decoded, encoding := charset.DecodePage(data, "")
	return []byte(decoded), encoding
}

const utf8Name = "utf-8"

// escape begins two-byte characters in iso-2022-jp, whose bytes are also UTF-8.
var escape = []byte("\x1b$")

// withoutMark returns the form of UTF-16 that a stream is in without a mark, or nil.
func withoutMark(data []byte) *charset.Charset {
	begin := bytes.TrimLeft(data[:min(len(data), 64)], "\r\n\t ")
	for _, name := range []string{"utf-16le", "utf-16be"} {
		c, _ := charset.Find(name)
		if b, _ := c.Encode("BEGIN:"); bytes.HasPrefix(begin, b) {
			return c
		}
	}
	return nil
}

// unfolded returns the lines of a stream without their folds, of which the line ends follow them. It
// reports whether these lines are in UTF-8.
func unfolded(data []byte) (all []byte, valid bool) {
	for l := range lines(data) {
		all = append(all, l.text...)
		all = append(all, bytes.Repeat([]byte("\n"), max(1, bytes.Count(l.raw, []byte("\n"))))...)
	}
	return all, utf8.Valid(all) && !bytes.Contains(all, escape)
}

// physical is an unfolded content line, its bytes as they are, and the number of its first physical
// line.
type physical struct {
	text   []byte
	raw    []byte // with its folds and its line end
	number int
}

// lines unfolds at the byte level, because some programs fold within a multi-byte
// character.
func lines(data []byte) func(func(physical) bool) {
	return func(yield func(physical) bool) {
		var u unfolder
		start, at := 0, 0
		if bytes.HasPrefix(data, byteOrderMark) {
			at = len(byteOrderMark)
		}
		for at < len(data) {
			from := at
			text, rest := cutLine(data[at:])
			at = len(data) - len(rest)
			if l, ok := u.add(text); ok {
				l.raw = data[start:from]
				start = from
				if !yield(l) {
					return
				}
			}
		}
		if u.line.text != nil {
			u.line.raw = data[start:]
			yield(u.line)
		}
	}
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// cutLine returns the first physical line of a stream, without its end, and the rest behind that.
func cutLine(data []byte) (text, rest []byte) {
	i := bytes.IndexAny(data, "\r\n")
	if i < 0 {
		return data, nil
	}
	if text, rest = data[:i], data[i+1:]; data[i] == '\r' && len(rest) > 0 && rest[0] == '\n' {
		rest = rest[1:]
	}
	return text, rest
}

// unfolder joins physical lines.
type unfolder struct {
	line   physical // that may go on
	joined bool     // its text is a copy, which may be written to
	soft   bool     // it ends in a soft line break of quoted-printable
	number int
}

// add adds a physical line. done is the content line that ends before it, if ok.
func (u *unfolder) add(text []byte) (done physical, ok bool) {
	u.number++
	switch l := &u.line; {
	case len(l.text) > tooLong && (u.soft || len(text) > 0 && (text[0] == ' ' || text[0] == '\t')):
	case u.soft:
		u.join(len(l.text)-1, text)
	case l.text != nil && len(text) > 0 && (text[0] == ' ' || text[0] == '\t'):
		u.join(len(l.text), text[1:])
	default:
		done, ok = *l, l.text != nil
		*l, u.joined = physical{text: text, number: u.number}, false
	}
	if l := u.line.text; len(l) <= tooLong {
		text = l
	}
	u.soft = bytes.HasSuffix(text, []byte("=")) &&
		bytes.Contains(bytes.ToUpper(u.line.text[:min(200, len(u.line.text))]), []byte("QUOTED-PRINTABLE"))
	return done, ok
}

// join appends text to the first n bytes of the line.
func (u *unfolder) join(n int, text []byte) {
	begin := u.line.text[:n]
	if !u.joined {
		begin = slices.Clip(begin)
	}
	u.line.text, u.joined = append(begin, text...), true
}

// tooLong is the length in bytes from which nothing is added to a line, of which Each cuts more than maxLine off.
const tooLong = maxLine + utf8.UTFMax

// Param returns the first value of a parameter, or "".
func (p *Property) Param(name string) string {
	for _, q := range p.Params {
		if q.Name == name && len(q.Values) > 0 {
			return q.Values[0]
		}
	}
	return ""
}

// Text returns the value as unescaped text.
func (p *Property) Text() string { return Unescape(p.Value) }

// Property returns the first property with the name, or nil.
func (c *Component) Property(name string) *Property {
	for i := range c.Properties {
		if c.Properties[i].Name == name {
			return &c.Properties[i]
		}
	}
	return nil
}

// Unescape decodes the escapes of a TEXT value.
func Unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			switch s[i] {
			case 'n', 'N':
				b = append(b, '\n')
			case '\\', ';', ',', ':':
				b = append(b, s[i])
			default:
				b = append(b, '\\', s[i])
			}
			continue
		}
		b = append(b, s[i])
	}
	return string(b)
}
