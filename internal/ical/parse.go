// Package ical reads and writes iCalendar streams (RFC 5545, 6868).
//
// Reading is tolerant: what is wrong is reported with its line, and the rest is
// kept. Nothing here knows what an event means; that is for those who store it.
package ical

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// Component is what stands between BEGIN and END.
type Component struct {
	Name       string // in capitals
	Line       int    // of its BEGIN, from 1
	Properties []Property
	Components []*Component
}

// Property is one content line.
type Property struct {
	Name   string // in capitals
	Params []Param
	Value  string // as it was written, escapes and all
	Line   int
}

// Param is a parameter of a property, such as TZID.
type Param struct {
	Name   string // in capitals
	Values []string
}

// Fault is a kind of what may be wrong with a stream.
type Fault string

// The faults.
const (
	BadLine   Fault = "bad_line"   // it is no content line
	StrayEnd  Fault = "stray_end"  // END of what was not begun
	NoEnd     Fault = "no_end"     // a component that was not ended
	BadText   Fault = "bad_text"   // not UTF-8
	TooDeep   Fault = "too_deep"   // components within components without end
	TooLong   Fault = "too_long"   // a line that was cut
	NoContent Fault = "no_content" // there is no component at all
)

// Problem is what is wrong at a line.
type Problem struct {
	Line  int
	Fault Fault
	Text  string // what it was about, short
}

// Limits that no calendar reaches in good faith.
const (
	maxDepth    = 16
	maxLine     = 1 << 20 // bytes of a value that are kept
	maxProblems = 1000    // that are told one by one
)

// Parse reads a stream. Components that stand outside of a VCALENDAR are
// returned as well.
func Parse(data []byte) ([]*Component, []Problem) {
	p := parse(data, nil)
	return p.root.Components, p.problems
}

// Each reads a stream of any length and hands out its events, tasks, journals,
// free times and time zones one by one, each with the calendar that it stands
// in, nil for none. What was handed out is not kept. It returns the first
// problems, and how many there are.
func Each(data []byte, yield func(c, calendar *Component)) (problems []Problem, total int) {
	p := parse(data, yield)
	return p.problems, p.total
}

func parse(data []byte, yield func(c, calendar *Component)) *parser {
	p := &parser{latin: !hasWide(data), yield: yield}
	p.stack = []*Component{&p.root}
	for l := range lines(data) {
		p.line(l)
	}
	for _, c := range p.stack[1:] {
		p.problem(c.Line, NoEnd, c.Name)
	}
	p.pop(1)
	if !p.began {
		p.problem(1, NoContent, "")
	}
	return p
}

type parser struct {
	root     Component
	stack    []*Component
	problems []Problem
	total    int  // problems, those that are not kept among them
	latin    bool // no character of several bytes is in it: bytes that are not UTF-8 are Windows-1252
	began    bool // there is a component
	yield    func(c, calendar *Component)
}

// pop ends all components from a place of the stack on, and hands out what is
// to be handed out of them.
func (p *parser) pop(n int) {
	for i := len(p.stack) - 1; i >= n; i-- {
		c, above := p.stack[i], p.stack[i-1]
		p.stack = p.stack[:i]
		if p.yield == nil || c.Name == "VALARM" || !slices.Contains(siblings, c.Name) || slices.ContainsFunc(p.stack, func(o *Component) bool { return slices.Contains(siblings, o.Name) }) {
			continue
		}
		above.Components = nil // all that it had was handed out
		calendar := (*Component)(nil)
		if n := slices.IndexFunc(p.stack, func(o *Component) bool { return o.Name == "VCALENDAR" }); n >= 0 {
			calendar = p.stack[n]
		}
		p.yield(c, calendar)
	}
}

// hasWide reports whether a text has characters of several bytes.
func hasWide(b []byte) bool {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r != utf8.RuneError && n > 1 {
			return true
		}
		b = b[n:]
	}
	return false
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
		if text = string([]rune(text)); p.latin {
			text = latin(l.text)
		}
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

// siblings are the components that never stand within one of their own kind,
// so that a second BEGIN means that the first was not ended.
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

// physical is a content line, unfolded, with the number of its first line.
type physical struct {
	text   []byte
	number int
}

// lines unfolds by octets, since some programs fold within a character.
func lines(data []byte) func(func(physical) bool) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	return func(yield func(physical) bool) {
		var l physical
		number, soft := 0, false
		for len(data) > 0 {
			raw := data
			if i := bytes.IndexAny(data, "\r\n"); i >= 0 {
				raw, data = data[:i], data[i:]
				if bytes.HasPrefix(data, []byte("\r\n")) {
					data = data[2:]
				} else {
					data = data[1:]
				}
			} else {
				data = nil
			}
			number++
			switch {
			case soft: // quoted-printable goes on in the next line
				l.text = append(l.text[:len(l.text)-1], raw...)
			case l.text != nil && len(raw) > 0 && (raw[0] == ' ' || raw[0] == '\t'):
				l.text = append(l.text, raw[1:]...)
			default:
				if l.text != nil && !yield(l) {
					return
				}
				l = physical{slices.Clip(raw), number}
			}
			soft = bytes.HasSuffix(l.text, []byte("=")) && bytes.Contains(bytes.ToUpper(l.text[:min(200, len(l.text))]), []byte("QUOTED-PRINTABLE"))
		}
		if l.text != nil {
			yield(l)
		}
	}
}

// parseLine reads NAME;PARAM=value,"value":value.
func parseLine(text string) (p Property, ok bool) {
	end := strings.IndexAny(text, ";:")
	if end <= 0 {
		return p, false
	}
	p.Name = strings.ToUpper(strings.TrimSpace(text[:end]))
	if !isName(p.Name) {
		return p, false
	}
	rest := text[end:]
	for strings.HasPrefix(rest, ";") {
		var param Param
		if param, rest, ok = parseParam(rest[1:]); !ok {
			return p, false
		}
		if param.Name != "" {
			p.Params = append(p.Params, param)
		}
	}
	if !strings.HasPrefix(rest, ":") {
		return p, false
	}
	p.Value = rest[1:]
	if strings.EqualFold(p.Param("ENCODING"), "QUOTED-PRINTABLE") {
		p.Value = quotedPrintable(p.Value)
	}
	return p, true
}

func isName(s string) bool {
	for _, c := range []byte(s) {
		if (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' && c != '/' {
			return false
		}
	}
	return s != ""
}

// parseParam reads one parameter, up to the ";" or ":" behind it.
func parseParam(text string) (p Param, rest string, ok bool) {
	end := strings.IndexAny(text, "=;:")
	if end < 0 {
		return p, "", false
	}
	p.Name = strings.ToUpper(strings.TrimSpace(text[:end]))
	if text[end] != '=' { // vCalendar 1.0 writes values alone
		if strings.EqualFold(p.Name, "QUOTED-PRINTABLE") {
			p.Name, p.Values = "ENCODING", []string{p.Name}
		}
		return p, text[end:], true
	}
	for rest = text[end:]; rest != "" && (rest[0] == '=' || rest[0] == ','); {
		rest = rest[1:]
		var value string
		if strings.HasPrefix(rest, `"`) {
			if i := strings.IndexByte(rest[1:], '"'); i >= 0 {
				value, rest = rest[1:i+1], rest[i+2:]
				p.Values = append(p.Values, decodeParam(value))
				continue
			}
		}
		i := strings.IndexAny(rest, ",;:")
		if i < 0 {
			return p, "", false
		}
		value, rest = rest[:i], rest[i:]
		p.Values = append(p.Values, decodeParam(value))
	}
	return p, rest, rest != ""
}

// decodeParam undoes RFC 6868.
func decodeParam(s string) string {
	if !strings.Contains(s, "^") {
		return s
	}
	return strings.NewReplacer("^^", "^", "^n", "\n", "^'", `"`).Replace(s)
}

func quotedPrintable(s string) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '=' && i+2 < len(s)+0 {
			h, ok1 := hex(s[i+1])
			l, ok2 := hex(s[i+2])
			if ok1 && ok2 {
				b = append(b, h<<4|l)
				i += 2
				continue
			}
		}
		b = append(b, s[i])
	}
	if !utf8.Valid(b) {
		return latin(b)
	}
	return string(b)
}

func hex(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

// latin reads bytes that are not UTF-8: whole characters stay, other bytes are
// those of Windows-1252, as far as it is Latin-1.
func latin(b []byte) string {
	var s strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			r = rune(b[0])
		}
		s.WriteRune(r)
		b = b[n:]
	}
	return s.String()
}

// Param returns a parameter's first value, "" when there is none.
func (p *Property) Param(name string) string {
	for _, q := range p.Params {
		if q.Name == name && len(q.Values) > 0 {
			return q.Values[0]
		}
	}
	return ""
}

// Text returns the value without the escapes of a text.
func (p *Property) Text() string { return Unescape(p.Value) }

// Property returns the first property of a name, nil when there is none.
func (c *Component) Property(name string) *Property {
	for i := range c.Properties {
		if c.Properties[i].Name == name {
			return &c.Properties[i]
		}
	}
	return nil
}

// Unescape reads the escapes of a text.
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
