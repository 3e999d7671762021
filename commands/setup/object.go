package setup

import (
	"bytes"
	"encoding/json"
)

// member is one member of a JSON object.
type member struct {
	name  string
	value any
}

// object is a JSON object whose members stay in order.
type object []member

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		for j, v := range []any{m.name, m.value} {
			text, err := json.Marshal(v)
			if err != nil {
				return nil, err
			}
			b.Write(text)
			if j == 0 {
				b.WriteByte(':')
			}
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
