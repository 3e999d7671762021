package splice

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// TOML is the format TOML. Values are strings and lists of strings.
type TOML struct{}

// Get returns the value at a path.
func (TOML) Get(text []byte, path []string) (value any, ok bool, err error) {
	var v map[string]any
	if err := toml.Unmarshal(text, &v); err != nil {
		return nil, false, fmt.Errorf("not TOML: %w", err)
	}
	value = v
	for _, name := range path {
		table, _ := value.(map[string]any)
		if value, ok = table[name]; !ok {
			return nil, false, nil
		}
	}
	return value, true, nil
}

// Set sets a key of a table. A missing table is appended.
func (TOML) Set(text []byte, path []string, value any) ([]byte, error) {
	table, key := path[:len(path)-1], path[len(path)-1]
	set, err := tomlValue(value)
	if err != nil {
		return nil, err
	}
	f, err := findTOML(text, table, key)
	if err != nil {
		return nil, err
	}
	newline := newlineOf(text)
	line := key + " = " + set + newline
	var out []byte
	put := func(at, until int, s string) { out = slices.Concat(text[:at], []byte(s), text[until:]) }
	switch {
	case f.inWay:
		return nil, ErrShape
	case f.valueEnd > 0 && sameTOML(text[f.keyEnd:f.valueEnd], set):
		return text, nil
	case f.valueEnd > 0:
		put(f.keyEnd, f.valueEnd, " = "+set)
	case f.header > 0:
		if text[f.header-1] != '\n' { // the header is the last line and has no newline
			line = newline + line
		}
		put(f.header, f.header, line)
	case len(table) == 0 && f.tables:
		return nil, ErrShape // a key would have to be inserted above the tables
	case len(table) == 0:
		if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
			line = newline + line
		}
		put(len(text), len(text), line)
	default:
		before := ""
		if len(bytes.TrimSpace(text)) > 0 {
			before = newline
			if !bytes.HasSuffix(text, []byte("\n")) {
				before += newline
			}
		}
		put(len(text), len(text), before+"["+tomlPath(table)+"]"+newline+line)
	}
	var v map[string]any
	if err := toml.Unmarshal(out, &v); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrShape, err) // defined in a form that splice cannot edit
	}
	return out, nil
}

// place is the position of a key, or the position to insert it.
type place struct {
	header           int // end of the line of the table header
	keyEnd, valueEnd int
	inWay            bool // the key is inside a value, not in a table
	tables           bool // there are tables
}

func findTOML(text []byte, table []string, key string) (f place, err error) {
	var v map[string]any
	if err := toml.Unmarshal(text, &v); err != nil {
		return f, fmt.Errorf("not TOML: %w", err)
	}
	want := append(slices.Clone(table), key)
	var at []string // the current table
	p := unstable.Parser{}
	p.Reset(text)
	for p.NextExpression() {
		e := p.Expression()
		keys, _, end := keysOf(e)
		if e.Kind != unstable.KeyValue {
			at, f.tables = keys, true
			list := e.Kind == unstable.ArrayTable
			switch {
			case list && len(at) <= len(table) && slices.Equal(at, table[:len(at)]):
				f.inWay = true
			case slices.Equal(at, table):
				f.header = lineEnd(text, end)
			}
			continue
		}
		full := slices.Concat(at, keys)
		switch {
		case slices.Equal(full, want):
			f.keyEnd, f.valueEnd = end, int(e.Raw.Offset+e.Raw.Length)
		case len(full) < len(want) && slices.Equal(full, want[:len(full)]):
			f.inWay = true
		}
	}
	return f, p.Error()
}

func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// sameTOML reports whether the old value equals the new one.
func sameTOML(old []byte, set string) bool {
	var a, b struct{ X any }
	return toml.Unmarshal(append([]byte("X"), old...), &a) == nil && toml.Unmarshal([]byte("X = "+set), &b) == nil &&
		fmt.Sprintf("%#v", a) == fmt.Sprintf("%#v", b)
}

// tomlValue formats a string or a list of strings. JSON strings are valid TOML
// except for one character.
func tomlValue(value any) (string, error) {
	encoded, err := encode(value)
	if err != nil {
		return "", err
	}
	text := strings.ReplaceAll(string(encoded), "\x7f", `\u007F`)
	if list, ok := value.([]string); ok && len(list) > 1 {
		text = strings.ReplaceAll(text, `","`, `", "`)
	}
	return text, nil
}

func tomlPath(path []string) string {
	var parts []string
	for _, name := range path {
		if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" || name == "" {
			name, _ = tomlValue(name) // strings cannot fail
		}
		parts = append(parts, name)
	}
	return strings.Join(parts, ".")
}

// Remove removes the lines of a key or a table with all that is below it. Comments on
// lines of their own stay. A key inside an inline table is not found.
func (TOML) Remove(text []byte, path []string) ([]byte, error) {
	var v map[string]any
	if err := toml.Unmarshal(text, &v); err != nil {
		return nil, fmt.Errorf("not TOML: %w", err)
	}
	p := unstable.Parser{}
	p.Reset(text)
	var at []string // the current table
	var out []byte
	kept := 0
	for p.NextExpression() {
		e := p.Expression()
		keys, start, end := keysOf(e)
		full := slices.Concat(at, keys)
		if e.Kind != unstable.KeyValue {
			at, full = keys, keys
		} else {
			end = int(e.Raw.Offset + e.Raw.Length)
		}
		if len(full) >= len(path) && slices.Equal(full[:len(path)], path) {
			from := bytes.LastIndexByte(text[:start], '\n') + 1
			out = append(out, text[kept:from]...)
			kept = lineEnd(text, end)
		}
	}
	if err := p.Error(); err != nil {
		return nil, err
	}
	return append(out, text[kept:]...), nil
}

// keysOf returns the parts of the key of an expression, and where they start and end.
func keysOf(e *unstable.Node) (keys []string, start, end int) {
	for it := e.Key(); it.Next(); {
		k := it.Node()
		if len(keys) == 0 {
			start = int(k.Raw.Offset)
		}
		keys = append(keys, string(k.Data))
		end = int(k.Raw.Offset + k.Raw.Length)
	}
	return keys, start, end
}
