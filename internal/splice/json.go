// Package splice sets a value in the text of a JSON or TOML configuration file and
// leaves every other byte unchanged.
package splice

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// ErrShape reports that the path to the value crosses something other than an
// object or a table.
var ErrShape = errors.New("another kind of value is in the way")

// byteOrderMark may start a file.
const byteOrderMark = "\xef\xbb\xbf"

// JSON returns text with the value at path replaced or inserted. Missing objects
// are created, and an empty text counts as an empty object. Text with comments is
// not JSON and gives an error.
func JSON(text []byte, path []string, value any) ([]byte, error) {
	body, marked := bytes.CutPrefix(text, []byte(byteOrderMark))
	if len(bytes.TrimSpace(body)) == 0 {
		body = []byte("{}\n")
	}
	start := len(body) - len(bytes.TrimLeft(body, " \t\r\n"))
	end := len(bytes.TrimRight(body, " \t\r\n"))
	if !json.Valid(body[start:end]) {
		var v any
		return nil, fmt.Errorf("not JSON: %w", json.Unmarshal(body[start:end], &v))
	}
	w := jsonWriter{unit: indentOf(body), newline: newlineOf(body)}
	set, err := w.set(body[start:end], path, value, "")
	if err != nil {
		return nil, err
	}
	out := append(append(append([]byte{}, body[:start]...), set...), body[end:]...)
	if marked {
		out = append([]byte(byteOrderMark), out...)
	}
	return out, nil
}

// jsonWriter formats new text like the text around it.
type jsonWriter struct{ unit, newline string }

// indentOf returns the indentation of the first indented line.
func indentOf(text []byte) string {
	for line := range bytes.Lines(text) {
		if rest := bytes.TrimLeft(line, " \t"); len(rest) < len(line) && len(bytes.TrimSpace(rest)) > 0 {
			return string(line[:len(line)-len(rest)])
		}
	}
	return "  "
}

func newlineOf(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// set sets a value in an object. indent is the indentation of the line on which
// the object starts.
func (w jsonWriter) set(object []byte, path []string, value any, indent string) ([]byte, error) {
	start, end, last, err := member(object, path[0])
	if err != nil {
		return nil, err
	}
	if start >= 0 {
		old := object[start:end]
		var set []byte
		if len(path) > 1 {
			set, err = w.set(old, path[1:], value, indent+w.unit)
		} else {
			set, err = w.value(old, value, indent+w.unit)
		}
		if err != nil {
			return nil, err
		}
		return append(append(append([]byte{}, object[:start]...), set...), object[end:]...), nil
	}
	for i := len(path) - 1; i > 0; i-- {
		value = map[string]any{path[i]: value}
	}
	set, err := w.value(nil, value, indent+w.unit)
	if err != nil {
		return nil, err
	}
	name, err := json.Marshal(path[0])
	if err != nil {
		return nil, err
	}
	line := w.newline + indent + w.unit + string(name) + ": " + string(set)
	if last == 1 { // empty object
		return []byte("{" + line + w.newline + indent + "}"), nil
	}
	return append(append(append([]byte{}, object[:last]...), ","+line...), object[last:]...), nil
}

// value formats a value, or returns old if it has the same meaning.
func (w jsonWriter) value(old []byte, value any, indent string) ([]byte, error) {
	set, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var a, b any
	if old != nil && json.Unmarshal(old, &a) == nil && json.Unmarshal(set, &b) == nil && reflect.DeepEqual(a, b) {
		return old, nil
	}
	var out bytes.Buffer
	if err := json.Indent(&out, set, indent, w.unit); err != nil {
		return nil, err
	}
	return []byte(strings.ReplaceAll(out.String(), "\n", w.newline)), nil
}

// member finds the value of a name in an object. With duplicate names it returns
// the last, as most readers do. start is -1 if the name is missing; last is the
// end of the last member.
func member(object []byte, name string) (start, end, last int, err error) {
	d := json.NewDecoder(bytes.NewReader(object))
	t, err := d.Token()
	if err != nil || t != json.Delim('{') {
		return 0, 0, 0, ErrShape
	}
	start, last = -1, 1
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return 0, 0, 0, err
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return 0, 0, 0, err
		}
		last = int(d.InputOffset())
		if key == name {
			start, end = last-len(v), last
		}
	}
	return start, end, last, nil
}
