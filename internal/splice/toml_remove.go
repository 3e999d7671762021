package splice

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

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
