package schema_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// maker generates inputs for a schema as text, so that equal values occur in
// different spellings.
type maker struct {
	r     *rand.Rand
	spoil int // how many of 1000 values violate the schema
}

func (m *maker) bad() bool { return m.r.IntN(1000) < m.spoil }

func (m *maker) one(of ...string) string { return of[m.r.IntN(len(of))] }

// space returns white space that may separate two tokens.
func (m *maker) space() string {
	return m.one("", "", "", "", "", "", " ", "\n", "\t ", "\r\n")
}

func (m *maker) value(s *jsonschema.Schema) string {
	if m.bad() {
		return m.anything(2)
	}
	switch s.Type {
	case "object":
		return m.object(s)
	case "array":
		return m.array(s)
	case "string":
		return m.text(m.content(s))
	case "integer":
		return m.integer(s)
	case "number":
		return m.number(s)
	case "boolean":
		return m.one("true", "false")
	}
	return m.anything(3)
}

// anything returns an arbitrary JSON value.
func (m *maker) anything(depth int) string {
	if depth > 0 && m.r.IntN(3) == 0 {
		return "[" + m.anything(depth-1) + "," + m.anything(depth-1) + "]"
	}
	return m.one("null", "true", "false", "0", "-1", "2.5", "1e2", `""`, `"5"`, `"true"`, "[]", "[null]", "{}",
		`{"k":null}`, `{"k":[{"l":1}]}`)
}

func (m *maker) object(s *jsonschema.Schema) string {
	var members []string
	add := func(name, value string) {
		members = append(members, m.space()+m.text(name)+m.space()+":"+m.space()+value+m.space())
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		required := slices.Contains(s.Required, name)
		switch {
		case required && !m.bad():
			add(name, m.value(s.Properties[name]))
		case required && m.r.IntN(2) == 0:
			add(name, "null")
		case !required && m.r.IntN(8) == 0:
			add(name, "null")
		case !required && m.r.IntN(2) == 0:
			add(name, m.value(s.Properties[name]))
		}
	}
	if a := s.AdditionalProperties; a != nil && a.Not == nil {
		for i := range m.r.IntN(4) {
			value := m.value(a)
			if m.r.IntN(8) == 0 {
				value = "null"
			}
			add(m.one("", "k", "K", "é", "a/b~c")+strconv.Itoa(i), value)
		}
	}
	if m.bad() {
		add(m.one("nope", "", "Name", "names", "nam", "\x00", "count "), m.anything(1))
	}
	if len(members) > 0 && m.bad() {
		members = append(members, members[m.r.IntN(len(members))])
	}
	m.r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return m.space() + "{" + strings.Join(members, ",") + m.space() + "}" + m.space()
}

func (m *maker) array(s *jsonschema.Schema) string {
	low := 0
	if s.MinItems != nil {
		low = *s.MinItems
	}
	n := low + m.r.IntN(4)
	if low > 0 && m.bad() {
		n = low - 1
	}
	var items []string
	for range n {
		items = append(items, m.space()+m.value(s.Items)+m.space())
	}
	return "[" + strings.Join(items, ",") + m.space() + "]"
}

// content returns a text of an allowed length in characters. Some characters are
// several code points or several bytes.
func (m *maker) content(s *jsonschema.Schema) string {
	if len(s.Enum) > 0 {
		text := s.Enum[m.r.IntN(len(s.Enum))].(string)
		if m.bad() {
			return text + m.one("x", " ", "\u0301")
		}
		return text
	}
	low, high := 0, 6
	if s.MinLength != nil {
		low = *s.MinLength
	}
	if s.MaxLength != nil {
		high = *s.MaxLength
	}
	n := []int{low, high, low + m.r.IntN(high-low+1)}[m.r.IntN(3)]
	if m.bad() {
		n = []int{max(0, low-1), high + 1}[m.r.IntN(2)]
	}
	var b strings.Builder
	for range n {
		b.WriteString(m.one("a", "Z", " ", "\n", "\"", "\\", "/", "<", "\x00", "\u007f", "é", "e\u0301", "が",
			"か\u3099", "漢", "😀", "\u2028", "\u212a", "\u1112\u1161\u11ab"))
	}
	if m.bad() {
		b.WriteString(m.one("\u0301", "\u3099", "\u200d"))
	}
	return b.String()
}

// text writes a text in one of its JSON spellings.
func (m *maker) text(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range s {
		switch {
		case c > 0xffff && m.r.IntN(2) == 0:
			c -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04X`, 0xd800+c>>10, 0xdc00+c&0x3ff)
		case c <= 0xffff && (c < ' ' || m.r.IntN(8) == 0):
			fmt.Fprintf(&b, `\u%04x`, c)
		case c == '"' || c == '\\' || c == '/' && m.r.IntN(2) == 0:
			b.WriteString(`\` + string(c))
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// largest is the largest integer that all JSON parsers read exactly.
const largest = 1<<53 - 1

func (m *maker) integer(s *jsonschema.Schema) string {
	low, high := int64(*s.Minimum), int64(*s.Maximum)
	small := max(low, min(high, m.r.Int64N(2000)-1000))
	n := []int64{low, high, low + m.r.Int64N(high-low+1), small}[m.r.IntN(4)]
	if low == -largest && high == largest && m.r.IntN(4) == 0 {
		return m.one("900719925474099.1e1", "-90071992547409910e-1", "1e15")
	}
	if m.bad() {
		return m.one(strconv.FormatInt(low-1, 10), strconv.FormatInt(high+1, 10), "1.5", "1e30", "-1e99", "1e-1",
			"5.0000000000000000001",
			"9007199254740993", "9223372036854775808", "-9223372036854775809", "0e100", "1e1000")
	}
	text := strconv.FormatInt(n, 10)
	switch m.r.IntN(8) {
	case 0:
		return text + ".0"
	case 1:
		return text + "e0"
	case 2:
		return text + ".000E+00"
	case 3:
		return text + "00e-2"
	case 4:
		if whole, ok := strings.CutSuffix(text, "00"); ok && whole != "" && whole != "-" {
			return whole + "E2"
		}
		if n == 0 {
			return m.one("-0", "0.0", "-0e5")
		}
	}
	return text
}

func (m *maker) number(s *jsonschema.Schema) string {
	low, high := -1000.0, 1000.0
	if s.Minimum != nil {
		low = *s.Minimum
	}
	if s.Maximum != nil {
		high = *s.Maximum
	}
	f := []float64{low, high, low + m.r.Float64()*(high-low)}[m.r.IntN(3)]
	if m.bad() {
		f = []float64{low - 0.5, high + 0.5}[m.r.IntN(2)]
		if s.Minimum != nil && m.r.IntN(3) == 0 {
			return m.one("1e400", "-1e400")
		}
	}
	return strconv.FormatFloat(f, "gef"[m.r.IntN(3)], 6, 64)
}

// mangle damages an input as a faulty client might.
func (m *maker) mangle(raw []byte) []byte {
	for range 1 + m.r.IntN(2) {
		i := m.r.IntN(len(raw) + 1)
		j := min(len(raw), i+1+m.r.IntN(12))
		piece := []byte(m.one("{", "}", "[", "]", `"`, ",", ":", `\`, "0", "e", ".", "-", "null", "true", `""`, " ",
			"\x00", "\xff", "\xc3", `\ud800`, `\udc00x`, "//", "NaN", "\ufeff"))
		switch m.r.IntN(8) {
		case 0:
			raw = slices.Concat(raw[:i], raw[j:])
		case 1:
			raw = slices.Concat(raw[:i], piece, raw[i:])
		case 2:
			raw = slices.Concat(raw[:i], piece, raw[j:])
		case 3:
			raw = raw[:i]
		case 4:
			raw = slices.Concat(raw[:j], raw[i:])
		case 5:
			raw = slices.Concat(raw, piece)
		case 6:
			raw = slices.Concat(piece, raw)
		case 7:
			n := 1 + m.r.IntN(80)
			raw = slices.Concat(raw[:i], slices.Repeat([]byte("["), n), raw[i:j], slices.Repeat([]byte("]"), n),
				raw[j:])
		}
	}
	return raw
}
