package schema

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"techo/internal/dates"
	"techo/tools/failure"
	"techo/tools/jsontree"
	"techo/tools/message"
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

// Conversions are the conversions of an input.
type Conversions struct {
	found []conversion
	more  int // conversions that are not listed
}

// converter brings an input into the form that a schema requires. It changes only what
// the schema refuses, and nothing that could mean two things: the validator reports that.
type converter struct {
	*Conversions
	of    Input
	twice [][2]string // the pointer of a field with another name, and the name of the field that is given as well
}

// Input is the input of a tool.
type Input struct {
	Schema   *Schema
	Tool     string // its name, for the names that other tools give to its fields
	MayClear bool   // an empty text in a field may mean that a record loses the value
}

// Converted returns an input in the form that the schema requires, as Read uses it. It returns
// an input that is not JSON unchanged.
func (in Input) Converted(raw []byte) []byte {
	n, err := jsontree.Parse(raw)
	if err != nil {
		return raw
	}
	c := converter{Conversions: &Conversions{}, of: in}
	c.value("", in.Schema, n)
	return n.Append(nil)
}

// FieldsOf returns the fields of an input: an object, or its text, or a list of it. It returns nil
// for anything else.
func FieldsOf(input []byte) map[string]json.RawMessage {
	n, err := jsontree.Parse(input)
	if err != nil {
		return nil
	}
	for object := (&Schema{Kind: Object}).convert(n); object != nil; object = (&Schema{Kind: Object}).convert(n) {
		n = object
	}
	if n.Kind != '{' {
		return nil
	}
	fields := map[string]json.RawMessage{}
	for _, m := range n.Members {
		fields[m.Name] = m.Value.Append(nil)
	}
	return fields
}

// Read converts and validates an input. It returns the input in normal form with the
// conversions, or all problems.
func (in Input) Read(l message.Localizer, raw []byte) (input []byte, c *Conversions, problems []failure.Detail) {
	v := &validator{words: l}
	n := v.parse(raw)
	if n == nil {
		return nil, nil, v.problems
	}
	c = &Conversions{}
	convert := converter{Conversions: c, of: in}
	convert.value("", in.Schema, n)
	for _, both := range convert.twice {
		v.report(both[0], l.Hint("Give only %s", both[1]), "means %s, which is given as well", both[1])
	}
	input, problems = v.normal(in.Schema, n)
	return input, c, problems
}

func (c *converter) value(path string, s *Schema, n *jsontree.Node) {
	given := *n
	for changed := s.convert(n); changed != nil; changed = s.convert(n) {
		*n = *changed
	}
	if n.Kind != given.Kind || n.Text != given.Text {
		c.report(path, given.Append(nil), n.Append(nil))
	}
	switch n.Kind {
	case '{':
		c.object(path, s, n)
	case '[':
		if s.Kind == Array {
			for i, item := range n.Items {
				c.value(path+"/"+strconv.Itoa(i), s.Items, item)
			}
		}
	}
}

// object converts the names and values of fields, and leaves out fields whose empty text
// means that they are not given.
func (c *converter) object(path string, s *Schema, n *jsontree.Node) {
	if s.Kind == Array && s.Items.Kind == Object { // one object may stand for a list of one
		s = s.Items
	}
	var kept []jsontree.Member
	meant, renamed := map[string]bool{}, map[string]bool{} // fields with another name
	for _, m := range n.Members {
		if name := fieldOf(c.of.Tool, s, m.Name); name != m.Name && isGiven(m.Value) {
			meant[name] = true
		}
	}
	for _, m := range n.Members {
		if meant[m.Name] && !isGiven(m.Value) {
			continue
		}
		at := path + "/" + jsontree.EscapePointer(m.Name)
		if fields, ok := switchOf(c.of.Tool, s, m); ok {
			c.report(at, m.Value.Append(nil), (&jsontree.Node{Kind: '{', Members: fields}).Append(nil))
			kept = append(kept, fields...)
			continue
		}
		if name := fieldOf(c.of.Tool, s, m.Name); name != m.Name {
			if same := n.Member(name); renamed[name] || isGiven(same) || same != nil && !isGiven(m.Value) {
				c.twice = append(c.twice, [2]string{at, name})
				continue
			}
			c.report(at, jsontree.AppendText(nil, m.Name), jsontree.AppendText(nil, name))
			m.Name, at = name, path+"/"+jsontree.EscapePointer(name)
			renamed[name] = true
		}
		p, below := s.Property(m.Name), s.Items // of a map
		if p != nil {
			below = p.Schema
		}
		if p != nil && m.Value.Kind == '"' && m.Value.Text == "" && c.skipsEmpty(p) {
			c.report(at, []byte(`""`), []byte("null"))
			continue
		}
		if below != nil {
			c.value(at, below, m.Value)
		}
		kept = append(kept, m)
	}
	n.Members = kept
}

// isGiven reports whether a field has a value other than null and the empty text.
func isGiven(n *jsontree.Node) bool {
	return n != nil && n.Kind != 'n' && (n.Kind != '"' || n.Text != "")
}

func (c *Conversions) report(path string, from, to []byte) {
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
	return jsontree.AppendText(nil, jsontree.Cut(string(value), limit)+"…")
}

// convert returns the value that a value stands for, or nil if it has the right kind
// already or could mean something else. The values in it are not converted yet.
func (s *Schema) convert(n *jsontree.Node) *jsontree.Node {
	switch {
	case n.Kind == 'n' || s.Kind == Any:
		return nil
	case s.Kind == Array:
		return s.convertToList(n)
	case s.Alternatives && n.Kind == '"':
		return alternatives(n.Text)
	case s.Label != nil && n.Kind == '"' && !slices.Contains(s.Enum, n.Text):
		if name := s.Label(n.Text); slices.Contains(s.Enum, name) {
			return &jsontree.Node{Kind: '"', Text: name}
		}
		return nil
	case fitsExactly(n, s.Kind):
		return nil
	case s.Kind == Object && s.OrText != "" && n.Kind == '"':
		if object := parsed(n.Text, '{'); object != nil {
			return object
		}
		return nil
	case n.Kind == '[' && len(n.Items) == 1:
		return s.single(n.Items[0])
	case n.Kind == '"':
		return s.read(n.Text)
	case s.Kind == String && !s.AllowNumber && (n.Kind == '0' || n.Kind == 't' || n.Kind == 'f'):
		return &jsontree.Node{Kind: '"', Text: string(n.Append(nil))}
	}
	return nil
}

func fitsExactly(n *jsontree.Node, k Kind) bool {
	if k == String {
		return n.Kind == '"'
	}
	return fits(n, k)
}

// single returns the only element of a list as a value for the schema, or nil.
func (s *Schema) single(item *jsontree.Node) *jsontree.Node {
	if item.Kind == 'n' {
		return nil
	}
	if fitsExactly(item, s.Kind) || s.AllowNumber && item.Kind == '0' {
		return item
	}
	return s.convertScalar(item)
}

// convertScalar is convert for a value in a list, which is not unwrapped again.
func (s *Schema) convertScalar(n *jsontree.Node) *jsontree.Node {
	if n.Kind == '[' {
		return nil
	}
	return s.convert(n)
}

func (s *Schema) convertToList(n *jsontree.Node) *jsontree.Node {
	if n.Kind == '[' {
		return nil
	}
	if n.Kind == '"' {
		if list := parsed(n.Text, '['); list != nil {
			return list
		}
		if object := parsed(n.Text, '{'); object != nil && s.Items.Kind == Object {
			return &jsontree.Node{Kind: '[', Items: []*jsontree.Node{object}}
		}
		if s.AllowSingle || mayBeSeveral(n.Text) {
			return nil
		}
	}
	if s.AllowSingle && n.Kind == '{' && s.Items.Kind == Object {
		return nil
	}
	item := n
	if !fitsExactly(n, s.Items.Kind) && (s.Items.OrText == "" || n.Kind != '"') {
		if item = s.Items.convertScalar(n); item == nil {
			return nil
		}
	}
	only := *item
	return &jsontree.Node{Kind: '[', Items: []*jsontree.Node{&only}}
}

// mayBeSeveral reports whether a text for a list may mean something else than its one element:
// several elements, a damaged list, or none.
func mayBeSeveral(text string) bool {
	text = strings.TrimSpace(text)
	return text == "" || text == "null" || text[0] == '[' || text[0] == '{' || strings.ContainsAny(text, ",、\n")
}

// read returns the JSON value of a text, or nil if it is not exactly one of the
// schema's kind.
func (s *Schema) read(text string) *jsontree.Node {
	switch s.Kind {
	case Integer:
		if length, ok := dates.Length(text); ok && s.Format == "minutes" && length%time.Minute == 0 { // 1h30
			text = strconv.Itoa(int(length / time.Minute))
		}
		if n := parsed(text, '0'); n != nil {
			if _, whole := wholeNumber(n.Text); whole {
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
func parsed(text string, kind byte) *jsontree.Node {
	raw := jsontree.WithoutBOM([]byte(text))
	if start := bytes.TrimLeft(raw, " \t\r\n"); len(start) == 0 || kind != '0' && start[0] != kind {
		return nil
	}
	n, err := jsontree.Parse(raw)
	if err != nil || byte(n.Kind) != kind {
		return nil
	}
	return n
}

// skipsEmpty reports whether an empty text in a field can only mean that the field is not
// given. In a tool that changes a record, it could also mean to clear a text or a list.
func (c *converter) skipsEmpty(p *Property) bool {
	mayClear := c.of.MayClear
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
func alternatives(text string) *jsontree.Node {
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
		return &jsontree.Node{Kind: '"', Text: parts[0]}
	}
	return &jsontree.Node{Kind: '"', Text: "{" + strings.Join(parts, ",") + "}"}
}

// AddTo returns a document with the conversions of the input in it.
func (c *Conversions) AddTo(document []byte) []byte {
	if c == nil || len(c.found) == 0 || len(document) < 2 || document[0] != '{' {
		return document
	}
	var list [][]byte
	for _, one := range c.found {
		list = append(list, jsontree.AppendObject(nil, []jsontree.Field{
			{Name: "path", Value: jsontree.AppendText(nil, one.path)},
			{Name: "from", Value: one.from}, {Name: "to", Value: one.to}}))
	}
	b := append(slices.Clone(document[:len(document)-1]), `,"`+convertedField+`":`...)
	if document[1] == '}' {
		b = []byte(`{"` + convertedField + `":`)
	}
	b = jsontree.AppendList(b, list)
	if c.more > 0 {
		b = strconv.AppendInt(append(b, `,"converted_omitted":`...), int64(c.more), 10)
	}
	return append(b, '}')
}

// AppendValue appends the JSON value of a command-line text for an expected kind.
// A text that does not fit the kind stays a text, which the validator rejects.
func AppendValue(b []byte, k Kind, text string) []byte {
	if k == String {
		return jsontree.AppendText(b, text)
	}
	raw := jsontree.WithoutBOM([]byte(text))
	if n, err := jsontree.Parse(raw); err == nil && fits(n, k) {
		return append(b, raw...)
	}
	return jsontree.AppendText(b, text)
}

func fits(n *jsontree.Node, k Kind) bool {
	switch k {
	case Integer, Number:
		return n.Kind == '0'
	case Boolean:
		return n.Kind == 't' || n.Kind == 'f'
	case Array:
		return n.Kind == '['
	case Object:
		return n.Kind == '{'
	}
	return true
}
