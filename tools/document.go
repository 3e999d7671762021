package tools

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth limits the nesting of arrays and objects in an input.
const maxDepth = 64

// node is one value of a JSON document. Numbers keep their original digits.
type node struct {
	kind    jsontext.Kind // as of jsontext: n t f " 0 { [
	text    string        // a string's content, a number's digits
	members []member
	items   []*node
}

// member is one field of an object. Objects keep the order of the input.
type member struct {
	name  string
	value *node
}

// syntaxError reports the position at which a document is not valid JSON.
type syntaxError struct {
	pointer string
	at      int64 // counted in bytes from 1
	reason  error
	text    bool // the syntax is right, but a text is not valid UTF-8
}

func (e *syntaxError) Error() string { return e.reason.Error() }

var errTooDeep = NewError("nested too deeply")

// parse reads one JSON document. It keeps duplicate names, so that the validator
// can report them by name.
func parse(raw []byte) (*node, error) {
	d := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true))
	n, err := parseValue(d)
	if err == nil {
		_, err = d.ReadToken()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err == nil {
			err = NewError("more than one JSON document")
		}
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	s := &syntaxError{pointer: string(d.StackPointer()), at: max(1, d.InputOffset()), reason: err}
	if e := new(jsontext.SyntacticError); errors.As(err, &e) {
		s.pointer, s.at, s.reason = string(e.JSONPointer), e.ByteOffset+1, &decodeError{e.Err}
		s.text = bytes.HasPrefix([]byte(s.reason.Error()), []byte("invalid UTF-8")) ||
			bytes.HasPrefix([]byte(s.reason.Error()), []byte("invalid surrogate"))
	}
	return nil, s
}

func parseValue(d *jsontext.Decoder) (*node, error) {
	t, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	n := &node{kind: t.Kind()}
	switch n.kind {
	case '"', '0':
		n.text = t.String()
		return n, nil
	case '{', '[':
	default:
		return n, nil
	}
	if d.StackDepth() > maxDepth {
		return nil, errTooDeep
	}
	for d.PeekKind() != '}' && d.PeekKind() != ']' {
		var name string
		if n.kind == '{' {
			t, err := d.ReadToken()
			if err != nil {
				return nil, err
			}
			name = t.String()
		}
		v, err := parseValue(d)
		if err != nil {
			return nil, err
		}
		if n.kind == '{' {
			n.members = append(n.members, member{name, v})
		} else {
			n.items = append(n.items, v)
		}
	}
	_, err = d.ReadToken()
	return n, err
}

// append writes the node as compact JSON.
func (n *node) append(b []byte) []byte {
	switch n.kind {
	case 'n':
		return append(b, "null"...)
	case 't', 'f':
		return strconv.AppendBool(b, n.kind == 't')
	case '0':
		return append(b, n.text...)
	case '"':
		return AppendText(b, n.text)
	case '[':
		b = append(b, '[')
		for i, v := range n.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = v.append(b)
		}
		return append(b, ']')
	}
	b = append(b, '{')
	for i, m := range n.members {
		if i > 0 {
			b = append(b, ',')
		}
		b = m.value.append(append(AppendText(b, m.name), ':'))
	}
	return append(b, '}')
}

// AppendText appends a text as a JSON string. Invalid UTF-8 is copied unchanged, so
// that the parser rejects it wherever it came from.
func AppendText(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	plain := 0 // start of the characters that need no escape
	for i := range len(s) {
		c := s[i]
		if c > '\\' || c >= ' ' && c != '"' && c != '\\' { // most characters need one comparison
			continue
		}
		b = append(b, s[plain:i]...)
		plain = i + 1
		switch short := strings.IndexByte("\b\f\n\r\t", c); {
		case c >= ' ':
			b = append(b, '\\', c)
		case short >= 0: // the short escapes of encoding/json
			b = append(b, '\\', "bfnrt"[short])
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(b, s[plain:]...), '"')
}

// IsJSON reports whether raw is exactly one JSON document in valid UTF-8.
func IsJSON(raw []byte) bool {
	_, err := parse(raw)
	return err == nil
}

// Field is one field of an object, with its value as JSON.
type Field struct {
	Name  string
	Value []byte
}

// AppendObject appends an object with its fields in the given order.
func AppendObject(b []byte, fields []Field) []byte {
	b = append(b, '{')
	for i, f := range fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(AppendText(b, f.Name), ':'), f.Value...)
	}
	return append(b, '}')
}

// AppendList appends a list of JSON values.
func AppendList(b []byte, items [][]byte) []byte {
	return append(append(append(b, '['), bytes.Join(items, []byte(","))...), ']')
}

// AppendValue appends the JSON value of a command-line text for an expected kind.
// A text that does not fit the kind stays a text, which the validator rejects.
func AppendValue(b []byte, k Kind, text string) []byte {
	if k == String {
		return AppendText(b, text)
	}
	if n, err := parse([]byte(text)); err == nil && n.fits(k) {
		return append(b, text...)
	}
	return AppendText(b, text)
}

// Texts returns the elements of a JSON array of texts. ok is false for anything else.
func Texts(document string) (texts []string, ok bool) {
	n, err := parse([]byte(document))
	if err != nil || n.kind != '[' {
		return nil, false
	}
	for _, item := range n.items {
		if item.kind != '"' {
			return nil, false
		}
		texts = append(texts, item.text)
	}
	return texts, true
}

func (n *node) fits(k Kind) bool {
	switch k {
	case Integer, Number:
		return n.kind == '0'
	case Boolean:
		return n.kind == 't' || n.kind == 'f'
	case Array:
		return n.kind == '['
	case Object:
		return n.kind == '{'
	}
	return true
}
