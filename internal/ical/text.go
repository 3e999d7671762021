package ical

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// Text is a stream whose properties can be changed in place. Lines that are not changed keep
// their bytes, with their folds and line ends.
type Text struct {
	Sections []*Section // the components of the first VCALENDAR, in their order

	head, tail []Line // the lines around the sections
	lineEnd    string
}

// Section is a component of a Text.
type Section struct {
	Name  string // upper case
	Lines []Line // from BEGIN to END
}

// Line is a content line of a Text.
type Line struct {
	Property        // a zero Name for a line that is no content line
	Depth    int    // 1 for the lines of the section, more for those of a component in it
	raw      []byte // with its folds and its line end
}

// ParseText splits a stream. It finds no sections where Parse reports nesting faults.
func ParseText(data []byte) *Text {
	t := &Text{lineEnd: "\r\n"}
	if i := bytes.IndexByte(data, '\n'); i > 0 && data[i-1] != '\r' {
		t.lineEnd = "\n"
	}
	var open []string
	var section *Section
	done := false
	for l := range lines(data) {
		line := Line{raw: l.raw}
		if p, ok := parseLine(strings.ToValidUTF8(string(l.text), string(utf8.RuneError))); ok {
			p.Line = l.number
			line.Property = p
		}
		name := strings.ToUpper(strings.TrimSpace(line.Value))
		switch {
		case done:
		case line.Name == "BEGIN":
			open = append(open, name)
			if len(open) == 2 {
				section = &Section{Name: name}
				t.Sections = append(t.Sections, section)
			}
		case line.Name == "END" && (len(open) == 0 || open[len(open)-1] != name):
			return &Text{head: []Line{{raw: data}}, lineEnd: t.lineEnd} // badly nested
		}
		line.Depth = len(open) - 1
		switch {
		case section != nil && len(open) >= 2:
			section.Lines = append(section.Lines, line)
		case len(t.Sections) == 0:
			t.head = append(t.head, line)
		default:
			t.tail = append(t.tail, line)
		}
		if line.Name == "END" && !done {
			if open = open[:len(open)-1]; len(open) == 1 {
				section = nil
			}
			done = len(open) == 0
		}
	}
	if !done {
		return &Text{head: []Line{{raw: data}}, lineEnd: t.lineEnd}
	}
	return t
}

// String returns the stream.
func (t *Text) String() string {
	var b strings.Builder
	write := func(all []Line) {
		for _, l := range all {
			b.Write(l.raw)
		}
	}
	write(t.head)
	for _, s := range t.Sections {
		write(s.Lines)
	}
	write(t.tail)
	return b.String()
}

// At returns the section whose BEGIN is on a line of the stream, counted from 1, or nil.
func (t *Text) At(line int) *Section {
	for _, s := range t.Sections {
		if s.Lines[0].Line == line {
			return s
		}
	}
	return nil
}

// Remove removes a section.
func (t *Text) Remove(s *Section) {
	t.Sections = slices.DeleteFunc(t.Sections, func(o *Section) bool { return o == s })
}

// Add adds a section: a zone before the others, anything else behind them.
func (t *Text) Add(lines []string) {
	s := &Section{}
	for _, l := range lines {
		s.Lines = append(s.Lines, t.line(l))
	}
	if s.Name = strings.ToUpper(s.Lines[0].Value); s.Name == "VTIMEZONE" {
		t.Sections = append([]*Section{s}, t.Sections...)
		return
	}
	t.Sections = append(t.Sections, s)
}

// line returns an unfolded content line as one of the text.
func (t *Text) line(text string) Line {
	var w Writer
	w.Line(text)
	p, _ := parseLine(text)
	return Line{Property: p, Depth: 1, raw: []byte(strings.ReplaceAll(w.String(), "\r\n", t.lineEnd))}
}

// Own returns the lines of the properties of a section with a name, not those of the components
// in it.
func (s *Section) Own(name string) (all []Line) {
	for _, l := range s.Lines {
		if l.Depth == 1 && l.Name == name {
			all = append(all, l)
		}
	}
	return all
}

// Replace replaces the lines of the properties of a section with a name for which old reports true
// by others, which stand in the place of the first of them, or behind the other properties.
func (t *Text) Replace(s *Section, name string, old func(Line) bool, lines []string) {
	var made []Line
	for _, l := range lines {
		made = append(made, t.line(l))
	}
	at := -1
	var kept []Line
	for _, l := range s.Lines {
		if l.Depth == 1 && l.Name == name && old(l) {
			if at < 0 {
				at = len(kept)
			}
			continue
		}
		kept = append(kept, l)
	}
	if at < 0 { // before the first component in it
		at = slices.IndexFunc(kept, func(l Line) bool {
			return l.Depth > 1 || l.Depth == 1 && l.Name == "END"
		})
	}
	s.Lines = slices.Insert(kept, at, made...)
}

// Inner returns the components in a section, each as its unfolded lines.
func (s *Section) Inner() (all [][]string) {
	for _, l := range s.Lines {
		if l.Depth < 2 {
			continue
		}
		if l.Name == "BEGIN" && l.Depth == 2 {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], l.String())
	}
	return all
}

// RemoveInner removes the component in a section with a number.
func (s *Section) RemoveInner(n int) {
	var kept []Line
	at := -1
	for _, l := range s.Lines {
		if l.Depth == 2 && l.Name == "BEGIN" {
			at++
		}
		if l.Depth < 2 || at != n {
			kept = append(kept, l)
		}
	}
	s.Lines = kept
}

// AddInner adds a component at the end of a section.
func (t *Text) AddInner(s *Section, lines []string) {
	var made []Line
	for _, l := range lines {
		one := t.line(l)
		one.Depth = 2
		made = append(made, one)
	}
	s.Lines = slices.Insert(s.Lines, len(s.Lines)-1, made...)
}
