package plainjson

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"techo/internal/testenv"
)

// record has a member of each kind.
type record struct {
	Text   string `json:"text"`
	Other  string `json:"other,omitempty"`
	Number uint32 `json:"number"`
	Count  int    `json:"count"`
	Time   int64  `json:"time,omitempty"`
	Kept   bool   `json:"kept"`
}

func (r *record) ReadMember(o *Object) bool {
	switch o.Name() {
	case "text":
		r.Text = o.Text()
	case "other":
		r.Other = o.Text()
	case "number":
		r.Number = o.Uint32()
	case "count":
		r.Count = o.Int()
	case "time":
		r.Time = o.Int64()
	case "kept":
		r.Kept = o.Bool()
	default:
		return false
	}
	return true
}

// random returns a record with the characters that matter to JSON.
func random(r *rand.Rand) record {
	text := func() string {
		signs := []string{"a", "z", "\"", "\\", "/", "\n", "\t", "\r", "\b", "\f", "é", "山", "🎉",
			"\u2028", "\x01", "\xff"}
		if r.IntN(2) == 0 {
			signs = signs[:13]
		}
		var s strings.Builder
		for range r.IntN(8) {
			s.WriteString(signs[r.IntN(len(signs))])
		}
		return s.String()
	}
	number := func() int64 { return (r.Int64() - r.Int64()) >> r.IntN(64) }
	return record{text(), text(), uint32(number()), int(number()), number(), r.IntN(2) == 0}
}

// TestAsEncodingJSON reads records, and damaged ones, as encoding/json does or not at all.
func TestAsEncodingJSON(t *testing.T) {
	r := testenv.Random(t)
	whole := 0
	for range 100_000 {
		b, err := json.Marshal(random(r))
		if err != nil {
			t.Fatal(err)
		}
		for range r.IntN(3) {
			i := r.IntN(len(b))
			switch r.IntN(3) {
			case 0:
				b = append(b[:i], b[i+1:]...)
			case 1:
				b[i] = "{}[]:,\"\\0123456789-+.eE tfn\x00\xff"[r.IntN(29)]
			case 2:
				b = append(b[:i], append([]byte{b[i]}, b[i:]...)...)
			}
		}
		var got, want record
		if !Read(b, &got) {
			continue
		}
		whole++
		if err := json.Unmarshal(b, &want); err != nil || got != want {
			t.Fatalf("%q: %+v, encoding/json %+v, %v", b, got, want, err)
		}
	}
	if whole < 20_000 {
		t.Errorf("only %d objects were read", whole)
	}
}

// TestRead reads what is plain and leaves the rest.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		text  string
		plain bool
	}{
		{`{}`, true}, {`{"text":"a\n\"b\\","number":7,"count":-3,"kept":true}`, true},
		{`{"text":"山"}`, true}, {`{"count":-0}`, true}, {`{"count":0}`, true},
		{``, false}, {`{`, false}, {`{"text"}`, false}, {`{"text":"a"`, false}, {`{"text":"a",}`, false},
		{`{} `, false}, {`{"text":"\u0041"}`, false}, {`{"text":"\`, false}, {`{"text":"` + "\xff" + `"}`, false},
		{`{"text":"` + "\n" + `"}`, false}, {`{"count":01}`, false}, {`{"count":1.5}`, false}, {`{"count":1e3}`, false},
		{`{"count":-}`, false}, {`{"number":-1}`, false}, {`{"number":4294967296}`, false},
		{`{"time":1234567890123456789}`, false}, {`{"kept":null}`, false}, {`{"kept":True}`, false},
		{`{"text":null}`, false}, {`{"others":1}`, false}, {`{"Text":"a"}`, false}, {`[]`, false},
	} {
		if got := Read([]byte(c.text), new(record)); got != c.plain {
			t.Errorf("%s: %v, want %v", c.text, got, c.plain)
		}
	}
}
