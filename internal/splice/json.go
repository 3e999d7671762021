// Package splice sets one value in the text of a configuration file, JSON or
// TOML, and leaves every other byte of it as it is.
package splice

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// ErrShape says that something else than an object or a table lies on the way
// to the value.
var ErrShape = errors.New("another kind of value is in the way")

// byteOrderMark may begin a text.
const byteOrderMark = "\xef\xbb\xbf"

// JSON returns text with the value at path set. Objects on the way are made
// when they are not there. A blank text is an empty object; a text that holds
// comments is no JSON and an error.
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

// jsonWriter writes as the text around it is written.
type jsonWriter struct{ unit, newline string }

// indentOf is the indent of the first line that has one.
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

// set sets a value in an object. indent is that of the line it begins on.
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
	if last == 1 { // the object is empty
		return []byte("{" + line + w.newline + indent + "}"), nil
	}
	return append(append(append([]byte{}, object[:last]...), ","+line...), object[last:]...), nil
}

// value writes a value, unless the old one means the same.
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

// member finds the value of a name in an object; the last one counts, as it
// does for most readers. start is -1 when there is none; last is where the
// last member ends.
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
