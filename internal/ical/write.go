package ical

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
)

// Writer builds a stream in memory.
type Writer struct{ b bytes.Buffer }

// String returns the stream.
func (w *Writer) String() string { return w.b.String() }

// Len returns the length of the stream in bytes.
func (w *Writer) Len() int { return w.b.Len() }

// WriteTo writes the stream, whole lines, and empties it.
func (w *Writer) WriteTo(to io.Writer) (int64, error) { return w.b.WriteTo(to) }

// Begin writes the BEGIN line of a component.
func (w *Writer) Begin(name string) { w.Line("BEGIN:" + name) }

// End writes the END line of a component.
func (w *Writer) End(name string) { w.Line("END:" + name) }

// Text writes a TEXT property. It writes nothing for an empty value.
func (w *Writer) Text(name, value string) {
	if value != "" {
		w.Line(name + ":" + Escape(value))
	}
}

// Line writes a content line, folded at 75 octets, never within a character.
func (w *Writer) Line(text string) {
	const maxOctets = 75
	if strings.ContainsAny(text, "\r\n") {
		text = strings.NewReplacer("\r", "", "\n", "").Replace(text)
	}
	room := maxOctets
	for len(text) > room {
		cut := room
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		w.b.WriteString(text[:cut] + "\r\n ")
		text, room = text[cut:], maxOctets-1
	}
	w.b.WriteString(text + "\r\n")
}

// Escape escapes a TEXT value. It drops control characters, which readers reject.
func Escape(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\\' || r == ';' || r == ',':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n' || r == '\r':
			b.WriteString(`\n`)
		case r < ' ' && r != '\t' || r == 0x7f:
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// String returns the property as an unfolded content line.
func (p *Property) String() string {
	var b strings.Builder
	b.WriteString(p.Name)
	for _, q := range p.Params {
		b.WriteString(";" + q.Name)
		for i, v := range q.Values {
			b.WriteByte("=,"[min(i, 1)])
			b.WriteString(ParamValue(v))
		}
	}
	return b.String() + ":" + p.Value
}

// ParamValue encodes a parameter value and quotes it where needed (RFC 6868).
func ParamValue(v string) string {
	if strings.ContainsAny(v, "^\n\r\"") {
		v = strings.NewReplacer("^", "^^", "\n", "^n", `"`, "^'", "\r", "").Replace(v)
	}
	if strings.ContainsAny(v, ",;: ") {
		return `"` + v + `"`
	}
	return v
}
