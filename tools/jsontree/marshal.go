package jsontree

import (
	"bytes"
	"encoding/json"
)

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
