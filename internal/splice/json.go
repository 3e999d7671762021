// Package splice sets and removes values in the text of a JSON or TOML configuration
// file, and leaves every other byte unchanged.
package splice

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// byteOrderMark may start a file.
const byteOrderMark = "\xef\xbb\xbf"

// JSON is the format JSON. An element of a path is the name of a member or the index
// of an element; "-" is the place after the last element. With duplicate names the
// last member counts, as for most readers.
type JSON struct {
	Comments bool // the file may have comments and trailing commas
}

type jsonText struct {
	mark    string // the byte order mark, or ""
	body    []byte
	root    hujson.Value
	unit    string // of indentation
	newline string
}

// edit replaces a part of a body.
type edit struct {
	from, until int
	text        string
}

// parse parses a text. An empty text is an empty object.
func (j JSON) parse(text []byte) (t jsonText, err error) {
	body, marked := bytes.CutPrefix(text, []byte(byteOrderMark))
	if marked {
		t.mark = byteOrderMark
	}
	if len(bytes.TrimSpace(body)) == 0 {
		body = []byte("{}\n")
	}
	if !j.Comments && !json.Valid(body) {
		var v any
		return t, fmt.Errorf("not JSON: %w", json.Unmarshal(body, &v))
	}
	if t.root, err = hujson.Parse(body); err != nil {
		return t, fmt.Errorf("not JSON: %w", err)
	}
	t.body, t.unit, t.newline = body, indentOf(body), newlineOf(body)
	return t, nil
}

// Get returns the value at a path. ok is false without one.
func (j JSON) Get(text []byte, path []string) (value any, ok bool, err error) {
	t, err := j.parse(text)
	if err != nil {
		return nil, false, err
	}
	at := t.at(path)
	if at == nil {
		return nil, false, nil
	}
	standard, err := hujson.Standardize(bytes.Clone(t.body[at.StartOffset:at.EndOffset]))
	if err == nil {
		err = json.Unmarshal(standard, &value)
	}
	return value, err == nil, err
}

// Set returns text with the value at a path replaced or inserted. Missing objects are
// created.
func (j JSON) Set(text []byte, path []string, value any) ([]byte, error) {
	t, err := j.parse(text)
	if err != nil {
		return nil, err
	}
	e, err := t.set(&t.root, path, value, "")
	if err != nil {
		return nil, err
	}
	return t.apply(e), nil
}

// Remove returns text without the member or element at a path; text itself without one.
// Comments stay.
func (j JSON) Remove(text []byte, path []string) ([]byte, error) {
	t, err := j.parse(text)
	if err != nil {
		return nil, err
	}
	at := t.at(path[:len(path)-1])
	if at == nil {
		return text, nil
	}
	items, _ := itemsOf(at)
	i := items.find(path[len(path)-1])
	if i < 0 {
		return text, nil
	}
	return t.apply(t.remove(at, items, i)...), nil
}

// at returns the value at a path, nil without one.
func (t jsonText) at(path []string) *hujson.Value {
	at := &t.root
	for _, name := range path {
		items, _ := itemsOf(at)
		i := items.find(name)
		if i < 0 {
			return nil
		}
		at = items[i].value
	}
	return at
}

// apply returns the text with edits, which are in the order of the body.
func (t jsonText) apply(edits ...edit) []byte {
	out := []byte(t.mark)
	at := 0
	for _, e := range edits {
		out = append(append(out, t.body[at:e.from]...), e.text...)
		at = e.until
	}
	return append(out, t.body[at:]...)
}

// item is a member of an object or an element of an array.
type item struct {
	name  string // of a member; of an element its index
	start int
	space int // length of the white space in front of it
	value *hujson.Value
}

// end returns the end of the item without a comma.
func (i item) end() int { return i.value.EndOffset }

// comma returns the place of the comma after an item that has one.
func (i item) comma() int { return i.value.EndOffset + len(i.value.AfterExtra) }

type items []item

// find returns the index of the last item with a name, -1 for none.
func (all items) find(name string) int {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].name == name {
			return i
		}
	}
	return -1
}

// itemsOf returns the items of an object or array, and what stands between the last one
// and the end. Other values have no items.
func itemsOf(v *hujson.Value) (all items, after hujson.Extra) {
	switch c := v.Value.(type) {
	case *hujson.Object:
		for i := range c.Members {
			m := &c.Members[i]
			name, _ := m.Name.Value.(hujson.Literal)
			all = append(all, item{name.String(), m.Name.StartOffset, spaceAtEnd(m.Name.BeforeExtra), &m.Value})
		}
		return all, c.AfterExtra
	case *hujson.Array:
		for i := range c.Elements {
			e := &c.Elements[i]
			all = append(all, item{strconv.Itoa(i), e.StartOffset, spaceAtEnd(e.BeforeExtra), e})
		}
		return all, c.AfterExtra
	}
	return nil, nil
}

// spaceAtEnd returns the length of the white space at the end of an extra. A line break
// that ends a line comment belongs to the white space.
func spaceAtEnd(extra hujson.Extra) int {
	return len(extra) - len(bytes.TrimRight(extra, " \t\r\n"))
}

// set sets a value in an object or array. indent is the indentation of the line on
// which it starts.
func (t jsonText) set(at *hujson.Value, path []string, value any, indent string) (edit, error) {
	all, _ := itemsOf(at)
	_, isObject := at.Value.(*hujson.Object)
	_, isArray := at.Value.(*hujson.Array)
	if i := all.find(path[0]); i >= 0 {
		old := all[i].value
		if len(path) > 1 {
			return t.set(old, path[1:], value, indent+t.unit)
		}
		set, err := t.format(t.body[old.StartOffset:old.EndOffset], value, indent+t.unit)
		return edit{old.StartOffset, old.EndOffset, set}, err
	}
	if !isObject && (!isArray || path[0] != "-") {
		return edit{}, ErrShape
	}
	for i := len(path) - 1; i > 0; i-- {
		if path[i] == "-" {
			value = []any{value}
		} else {
			value = map[string]any{path[i]: value}
		}
	}
	set, err := t.format(nil, value, indent+t.unit)
	if err != nil {
		return edit{}, err
	}
	if isObject {
		name, err := json.Marshal(path[0])
		if err != nil {
			return edit{}, err
		}
		set = string(name) + ": " + set
	}
	return t.insert(at, set, indent), nil
}

// insert inserts an item at the end of an object or array, after a comment on the line
// of the last item.
func (t jsonText) insert(at *hujson.Value, text, indent string) edit {
	all, after := itemsOf(at)
	line := t.newline + indent + t.unit + text
	if len(all) == 0 {
		if !bytes.Contains(after, []byte("\n")) {
			line += t.newline + indent
		}
		return edit{at.StartOffset + 1, at.StartOffset + 1, line}
	}
	last := all[len(all)-1]
	if last.value.AfterExtra != nil { // a comma follows
		from := last.comma() + 1 + restOfLine(after)
		return edit{from, from, line + ","}
	}
	from, until := last.end(), last.end()+restOfLine(after)
	return edit{from, until, "," + string(t.body[from:until]) + line}
}

// restOfLine returns the length of the blanks and comments at the start of an extra that
// end with the line, 0 without a comment.
func restOfLine(extra hujson.Extra) (n int) {
	for rest := extra; ; {
		blank := len(rest) - len(bytes.TrimLeft(rest, " \t"))
		comment := rest[blank:]
		size := 0
		switch {
		case bytes.HasPrefix(comment, []byte("//")):
			size = bytes.IndexAny(comment, "\r\n")
		case bytes.HasPrefix(comment, []byte("/*")):
			size = bytes.Index(comment, []byte("*/")) + len("*/")
		}
		if size <= 0 {
			return n
		}
		n += blank + size
		rest = comment[size:]
	}
}

// remove removes an item with its comma and the white space in front of it. An object or
// array without further content has no white space.
func (t jsonText) remove(at *hujson.Value, all items, i int) []edit {
	it, last := all[i], i == len(all)-1
	from, until := it.start-it.space, it.end()
	if !last || it.value.AfterExtra != nil {
		until = it.comma() + 1
	}
	switch {
	case len(all) == 1:
		inside := [2]int{at.StartOffset + 1, at.EndOffset - 1}
		rest := string(t.body[inside[0]:from]) + string(t.body[until:inside[1]])
		if strings.TrimSpace(rest) == "" {
			from, until = inside[0], inside[1]
		}
	case last && it.value.AfterExtra == nil:
		comma := all[i-1].comma()
		return []edit{{comma, comma + 1, ""}, {from, until, ""}}
	}
	return []edit{{from, until, ""}}
}

func (t jsonText) format(old []byte, value any, indent string) (string, error) {
	set, err := encode(value)
	if err != nil {
		return "", err
	}
	if old != nil {
		var was, is any
		standard, err := hujson.Standardize(bytes.Clone(old))
		if err == nil && json.Unmarshal(standard, &was) == nil && json.Unmarshal(set, &is) == nil &&
			reflect.DeepEqual(was, is) {
			return string(old), nil
		}
	}
	var out bytes.Buffer
	if err := json.Indent(&out, set, indent, t.unit); err != nil {
		return "", err
	}
	return strings.ReplaceAll(out.String(), "\n", t.newline), nil
}

// encode returns a value as JSON in one line.
func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

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

// ErrShape reports that the path to the value crosses something other than an
// object or a table.
var ErrShape = errors.New("another kind of value is in the way")

// Format is the format of a configuration file. Its methods fail for a text that they
// cannot parse; the errors of Set may also be ErrShape.
type Format interface {
	// Get returns the value at a path. ok is false without one.
	Get(text []byte, path []string) (value any, ok bool, err error)

	// Set returns text with the value at a path replaced or inserted.
	Set(text []byte, path []string, value any) ([]byte, error)

	// Remove returns text without the value at a path, and text itself without one.
	Remove(text []byte, path []string) ([]byte, error)
}
