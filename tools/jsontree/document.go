// Package jsontree reads JSON documents as trees of values, changes and writes them.
package jsontree

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"techo/tools/message"
)

// maxDepth limits the nesting of arrays and objects in an input.
const maxDepth = 64

// Node is one value of a JSON document. Numbers keep their original digits.
type Node struct {
	Kind    jsontext.Kind // as of jsontext: n t f " 0 { [
	Text    string        // a string's content, a number's digits
	Members []Member
	Items   []*Node
}

// Member is one field of an object. Objects keep the order of the input.
type Member struct {
	Name  string
	Value *Node
}

// SyntaxError reports the position at which a document is not valid JSON.
type SyntaxError struct {
	Pointer string
	At      int64 // counted in bytes from 1
	Reason  error
	Text    bool // the syntax is right, but a text is not valid UTF-8
}

func (e *SyntaxError) Error() string { return e.Reason.Error() }

var errTooDeep = message.NewError("nested too deeply")

// Parse reads one JSON document. It keeps duplicate names, so that the validator
// can report them by name.
func Parse(raw []byte) (*Node, error) {
	d := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true))
	n, err := parseValue(d)
	if err == nil {
		_, err = d.ReadToken()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err == nil {
			err = message.NewError("more than one JSON document")
		}
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	s := &SyntaxError{Pointer: string(d.StackPointer()), At: max(1, d.InputOffset()), Reason: err}
	if e := new(jsontext.SyntacticError); errors.As(err, &e) {
		s.Pointer, s.At, s.Reason = string(e.JSONPointer), e.ByteOffset+1, &message.DecodeError{Err: e.Err}
		s.Text = bytes.HasPrefix([]byte(s.Reason.Error()), []byte("invalid UTF-8")) ||
			bytes.HasPrefix([]byte(s.Reason.Error()), []byte("invalid surrogate"))
	}
	return nil, s
}

func parseValue(d *jsontext.Decoder) (*Node, error) {
	t, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	n := &Node{Kind: t.Kind()}
	switch n.Kind {
	case '"', '0':
		n.Text = t.String()
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
		if n.Kind == '{' {
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
		if n.Kind == '{' {
			n.Members = append(n.Members, Member{name, v})
		} else {
			n.Items = append(n.Items, v)
		}
	}
	_, err = d.ReadToken()
	return n, err
}

// Append writes the node as compact JSON.
func (n *Node) Append(b []byte) []byte {
	switch n.Kind {
	case 'n':
		return append(b, "null"...)
	case 't', 'f':
		return strconv.AppendBool(b, n.Kind == 't')
	case '0':
		return append(b, n.Text...)
	case '"':
		return AppendText(b, n.Text)
	case '[':
		b = append(b, '[')
		for i, v := range n.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = v.Append(b)
		}
		return append(b, ']')
	}
	b = append(b, '{')
	for i, m := range n.Members {
		if i > 0 {
			b = append(b, ',')
		}
		b = m.Value.Append(append(AppendText(b, m.Name), ':'))
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
	_, err := Parse(raw)
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

// Texts returns the elements of a JSON array of texts. ok is false for anything else.
func Texts(document string) (texts []string, ok bool) {
	n, err := Parse([]byte(document))
	if err != nil || n.Kind != '[' {
		return nil, false
	}
	for _, item := range n.Items {
		if item.Kind != '"' {
			return nil, false
		}
		texts = append(texts, item.Text)
	}
	return texts, true
}

// EscapePointer escapes a name as a step of a JSON pointer (RFC 6901).
func EscapePointer(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// WithoutBOM returns a document without the byte order marks at its start, which some clients on
// Windows send, one or two of them, perhaps after blank lines (RFC 8259, 8.1).
func WithoutBOM(raw []byte) []byte {
	for {
		after, marked := bytes.CutPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("\ufeff"))
		if !marked {
			return raw
		}
		raw = after
	}
}

// Marshal encodes a value as compact JSON, without HTML escapes.
func Marshal(v any) ([]byte, error) {
	if d, ok := v.(json.Marshaler); ok { // already compact
		return d.MarshalJSON()
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Fields holds the fields of a result to keep. nil keeps a field with
// everything below it.
type Fields map[string]Fields

// Pick keeps only the fields of a document that are in the tree.
func Pick(document []byte, tree Fields) []byte {
	if tree == nil {
		return document
	}
	n, err := Parse(document)
	if err != nil {
		return document
	}
	n.pick(tree)
	return n.Append(nil)
}

func (n *Node) pick(tree Fields) {
	for _, item := range n.Items {
		item.pick(tree)
	}
	n.Members = slices.DeleteFunc(n.Members, func(m Member) bool {
		sub, ok := tree[m.Name]
		if ok && sub != nil {
			m.Value.pick(sub)
		}
		return !ok
	})
}
