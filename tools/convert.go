package tools

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// A conversion is one change of an input that had exactly one meaning under the schema
// but another form: a number that was sent as text, or a field with the name that another
// tool gives it. From and To are JSON values; a long one is the beginning of its text.
type conversion struct {
	path     string // JSON pointer
	from, to []byte
}

// convertedField is the field of a result with the conversions of its input.
const convertedField = "converted"

// maxConversions limits the conversions that a result lists.
const maxConversions = 100

// converter brings an input into the form that a schema requires. It changes only what
// the schema refuses, and nothing that could mean two things: the validator reports that.
type converter struct {
	tool  *Tool // for its aliases
	found []conversion
	more  int         // conversions that are not listed
	twice [][2]string // the pointer of a field with another name, and the name of the field that is given as well
}

// Converted returns an input of a tool in the form that the schema requires, as Invoke uses
// it. It returns an input that is not JSON unchanged.
func Converted(t *Tool, input []byte) []byte {
	n, err := parse(input)
	if err != nil {
		return input
	}
	c := converter{tool: t}
	c.value("", t.Input(), n)
	return n.append(nil)
}

// FieldsOf returns the fields of an input: an object, or its text, or a list of it. It returns nil
// for anything else.
func FieldsOf(input []byte) map[string]json.RawMessage {
	n, err := parse(input)
	if err != nil {
		return nil
	}
	for object := (&Schema{Kind: Object}).convert(n); object != nil; object = (&Schema{Kind: Object}).convert(n) {
		n = object
	}
	if n.kind != '{' {
		return nil
	}
	fields := map[string]json.RawMessage{}
	for _, m := range n.members {
		fields[m.name] = m.value.append(nil)
	}
	return fields
}

// readInput converts and validates an input of a tool. It returns the input in normal form or
// all problems.
func readInput(env *Env, t *Tool, raw []byte) (input []byte, c converter, problems []Detail) {
	v := &validator{env: env}
	n := v.parse(raw)
	if n == nil {
		return nil, c, v.problems
	}
	c.tool = t
	c.value("", t.Input(), n)
	for _, both := range c.twice {
		v.report(both[0], env.Hint("Give only %s", both[1]), "means %s, which is given as well", both[1])
	}
	input, problems = v.normal(t.Input(), n)
	return input, c, problems
}

// value converts a value and all values in it.
func (c *converter) value(path string, s *Schema, n *node) {
	given := *n
	for changed := s.convert(n); changed != nil; changed = s.convert(n) {
		*n = *changed
	}
	if n.kind != given.kind || n.text != given.text {
		c.report(path, given.append(nil), n.append(nil))
	}
	switch n.kind {
	case '{':
		c.object(path, s, n)
	case '[':
		if s.Kind == Array {
			for i, item := range n.items {
				c.value(path+"/"+strconv.Itoa(i), s.Items, item)
			}
		}
	}
}

// object converts the names and values of fields, and leaves out fields whose empty text
// means that they are not given.
func (c *converter) object(path string, s *Schema, n *node) {
	if s.Kind == Array && s.Items.Kind == Object { // one object may stand for a list of one
		s = s.Items
	}
	var kept []member
	meant, renamed := map[string]bool{}, map[string]bool{} // fields with another name
	for _, m := range n.members {
		if name := fieldOf(c.tool.Name, s, m.name); name != m.name && m.value.isGiven() {
			meant[name] = true
		}
	}
	for _, m := range n.members {
		if meant[m.name] && !m.value.isGiven() {
			continue
		}
		at := path + "/" + escapePointer(m.name)
		if fields, ok := switchOf(c.tool.Name, s, m); ok {
			c.report(at, m.value.append(nil), (&node{kind: '{', members: fields}).append(nil))
			kept = append(kept, fields...)
			continue
		}
		if name := fieldOf(c.tool.Name, s, m.name); name != m.name {
			if same := n.member(name); renamed[name] || same.isGiven() || same != nil && !m.value.isGiven() {
				c.twice = append(c.twice, [2]string{at, name})
				continue
			}
			c.report(at, AppendText(nil, m.name), AppendText(nil, name))
			m.name, at = name, path+"/"+escapePointer(name)
			renamed[name] = true
		}
		p, below := s.Property(m.name), s.Items // of a map
		if p != nil {
			below = p.Schema
		}
		if p != nil && m.value.kind == '"' && m.value.text == "" && c.skipsEmpty(p) {
			c.report(at, []byte(`""`), []byte("null"))
			continue
		}
		if below != nil {
			c.value(at, below, m.value)
		}
		kept = append(kept, m)
	}
	n.members = kept
}

// isGiven reports whether a field has a value other than null and the empty text.
func (n *node) isGiven() bool {
	return n != nil && n.kind != 'n' && (n.kind != '"' || n.text != "")
}

// report adds a conversion.
func (c *converter) report(path string, from, to []byte) {
	if len(c.found) == maxConversions {
		c.more++
		return
	}
	c.found = append(c.found, conversion{path, shown(from), shown(to)})
}

// shown returns a JSON value, or the beginning of a long one as a text.
func shown(value []byte) []byte {
	const limit = 200
	if len(value) <= limit {
		return value
	}
	return AppendText(nil, cut(string(value), limit)+"…")
}

// convert returns the value that a value stands for, or nil if it has the right kind
// already or could mean something else. The values in it are not converted yet.
func (s *Schema) convert(n *node) *node {
	switch {
	case n.kind == 'n' || s.Kind == Any:
		return nil
	case s.Kind == Array:
		return s.convertToList(n)
	case s.Alternatives && n.kind == '"':
		return alternatives(n.text)
	case n.fitsExactly(s.Kind):
		return nil
	case s.Kind == Object && s.OrText != "" && n.kind == '"':
		if object := parsed(n.text, '{'); object != nil {
			return object
		}
		return nil
	case n.kind == '[' && len(n.items) == 1:
		return s.single(n.items[0])
	case n.kind == '"':
		return s.read(n.text)
	case s.Kind == String && !s.AllowNumber && (n.kind == '0' || n.kind == 't' || n.kind == 'f'):
		return &node{kind: '"', text: string(n.append(nil))}
	}
	return nil
}

// fitsExactly reports whether a value has the kind.
func (n *node) fitsExactly(k Kind) bool {
	if k == String {
		return n.kind == '"'
	}
	return n.fits(k)
}

// single returns the only element of a list as a value for the schema, or nil.
func (s *Schema) single(item *node) *node {
	if item.kind == 'n' {
		return nil
	}
	if item.fitsExactly(s.Kind) || s.AllowNumber && item.kind == '0' {
		return item
	}
	return s.convertScalar(item)
}

// convertScalar is convert for a value in a list, which is not unwrapped again.
func (s *Schema) convertScalar(n *node) *node {
	if n.kind == '[' {
		return nil
	}
	return s.convert(n)
}

// convertToList is convert for a list.
func (s *Schema) convertToList(n *node) *node {
	if n.kind == '[' {
		return nil
	}
	if n.kind == '"' {
		if list := parsed(n.text, '['); list != nil {
			return list
		}
		if object := parsed(n.text, '{'); object != nil && s.Items.Kind == Object {
			return &node{kind: '[', items: []*node{object}}
		}
		if s.AllowSingle || mayBeSeveral(n.text) {
			return nil
		}
	}
	if s.AllowSingle && n.kind == '{' && s.Items.Kind == Object {
		return nil
	}
	item := n
	if !n.fitsExactly(s.Items.Kind) && (s.Items.OrText == "" || n.kind != '"') {
		if item = s.Items.convertScalar(n); item == nil {
			return nil
		}
	}
	only := *item
	return &node{kind: '[', items: []*node{&only}}
}

// mayBeSeveral reports whether a text for a list may mean something else than its one element:
// several elements, a damaged list, or none.
func mayBeSeveral(text string) bool {
	text = strings.TrimSpace(text)
	return text == "" || text == "null" || text[0] == '[' || text[0] == '{' || strings.ContainsAny(text, ",、\n")
}

// read returns the JSON value of a text, or nil if it is not exactly one of the
// schema's kind.
func (s *Schema) read(text string) *node {
	switch s.Kind {
	case Integer:
		if n := parsed(text, '0'); n != nil {
			if _, whole := wholeNumber(n.text); whole {
				return n
			}
		}
	case Number:
		return parsed(text, '0')
	case Boolean:
		if n := parsed(text, 't'); n != nil {
			return n
		}
		return parsed(text, 'f')
	case Object:
		return parsed(text, '{')
	}
	return nil
}

// parsed returns the JSON value that a text is, or nil if it is not one of this kind.
func parsed(text string, kind byte) *node {
	if start := strings.TrimLeft(text, " \t\r\n"); start == "" || kind != '0' && start[0] != kind {
		return nil
	}
	n, err := parse([]byte(text))
	if err != nil || byte(n.kind) != kind {
		return nil
	}
	return n
}

// skipsEmpty reports whether an empty text in a field can only mean that the field is not
// given. In a tool that changes a record, it could also mean to clear a text or a list.
func (c *converter) skipsEmpty(p *Property) bool {
	mayClear := c.tool.Effect == Changes
	switch {
	case p.Required:
		return false
	case p.Kind == String && len(p.Enum) == 0:
		return p.MinLength > 0 && !mayClear
	case p.Kind == Array:
		return !mayClear || p.Items.Kind == Object && p.Items.OrText == ""
	case p.Kind == Object:
		return p.OrText == ""
	}
	return p.Kind != Any
}

// alternatives returns a text with commas between patterns, such as *.py,*.js, as the pattern
// {*.py,*.js}, or nil. Commas in braces and brackets and after \ are the pattern's. A part
// without a wildcard may be a piece of a name with a comma.
func alternatives(text string) *node {
	var parts []string
	depth, start := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, text[start:i])
				start = i + 1
			}
		}
	}
	if parts == nil || depth != 0 {
		return nil
	}
	parts = append(parts, text[start:])
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	switch {
	case len(parts) == 0, slices.ContainsFunc(parts, func(s string) bool {
		return s[0] == '!' || !strings.ContainsAny(s, "*?[{")
	}):
		return nil
	case len(parts) == 1:
		return &node{kind: '"', text: parts[0]}
	}
	return &node{kind: '"', text: "{" + strings.Join(parts, ",") + "}"}
}

// withConverted returns a document with the conversions of the input in it.
func (c *converter) withConverted(document []byte) []byte {
	if len(c.found) == 0 || len(document) < 2 || document[0] != '{' {
		return document
	}
	var list [][]byte
	for _, one := range c.found {
		list = append(list, AppendObject(nil, []Field{{"path", AppendText(nil, one.path)}, {"from", one.from},
			{"to", one.to}}))
	}
	b := append(slices.Clone(document[:len(document)-1]), `,"`+convertedField+`":`...)
	if document[1] == '}' {
		b = []byte(`{"` + convertedField + `":`)
	}
	b = AppendList(b, list)
	if c.more > 0 {
		b = strconv.AppendInt(append(b, `,"converted_omitted":`...), int64(c.more), 10)
	}
	return append(b, '}')
}
