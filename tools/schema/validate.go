package schema

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"techo/internal/legible"
	"techo/internal/nearest"
	"techo/tools/failure"
	"techo/tools/jsontree"
	"techo/tools/message"
)

// validator collects all problems of one input.
type validator struct {
	words    message.Localizer
	problems []failure.Detail
}

// Validate checks an input against a schema. It returns the input in normal form,
// without optional nulls, with defaults filled in and integers as plain digits, or
// all problems at once.
func Validate(l message.Localizer, s *Schema, raw []byte) ([]byte, []failure.Detail) {
	v := &validator{words: l}
	n := v.parse(raw)
	if n == nil {
		return nil, v.problems
	}
	return v.normal(s, n)
}

// parse parses a document; an empty one is {}. It returns nil and reports the problem if it
// is not JSON.
func (v *validator) parse(raw []byte) *jsontree.Node {
	if len(raw) == 0 {
		raw = []byte("{}")
	}
	n, err := jsontree.Parse(raw)
	if err != nil {
		v.syntax(err)
		return nil
	}
	return n
}

// normal checks a document and returns it in normal form, or all problems.
func (v *validator) normal(s *Schema, n *jsontree.Node) ([]byte, []failure.Detail) {
	v.check("", s, n)
	if len(v.problems) > 0 {
		return nil, v.problems
	}
	return n.Append(nil), nil
}

// maxProblems limits the number of reported problems.
const maxProblems = 100

func (v *validator) report(path, hint string, problem message.Text, args ...any) {
	text := v.words.Localize(problem, args...)
	if path == "" {
		text = v.words.Localize("the input %s", text)
	}
	v.add(failure.Detail{Path: path, Message: text, Hint: hint})
}

func (v *validator) add(d failure.Detail) {
	if len(v.problems) < maxProblems {
		v.problems = append(v.problems, d)
	}
}

func (v *validator) syntax(err error) {
	var s *jsontree.SyntaxError
	if !errors.As(err, &s) {
		v.report("", "", "%v", err)
		return
	}
	if s.Text {
		v.report(s.Pointer, v.words.Localize("Send texts as UTF-8"), "is not valid UTF-8")
		return
	}
	v.report(s.Pointer, v.words.Localize("Send one JSON object"),
		"is not JSON: %v (byte %d)", s.Reason, s.At)
}

// check checks one value and changes the node to its normal form.
func (v *validator) check(path string, s *Schema, n *jsontree.Node) {
	switch s.Kind {
	case Object:
		if s.OrText != "" && n.Kind == '"' {
			text := *n
			*n = jsontree.Node{Kind: '{', Members: []jsontree.Member{{Name: s.OrText, Value: &text}}}
		}
		if v.kind(path, n, '{', "must be an object") {
			v.object(path, s, n)
		}
	case Array:
		if s.AllowSingle && (n.Kind == '"' || n.Kind == '{' && s.Items.Kind == Object) {
			single := *n
			*n = jsontree.Node{Kind: '[', Items: []*jsontree.Node{&single}}
		}
		if v.kind(path, n, '[', "must be a list") {
			v.array(path, s, n)
		}
	case String:
		if s.AllowNumber && n.Kind == '0' {
			n.Kind = '"'
		}
		if v.kind(path, n, '"', "must be a text") {
			v.text(path, s, n)
		}
	case Integer:
		v.integer(path, s, n)
	case Number:
		v.number(path, s, n)
	case Boolean:
		if n.Kind != 't' && n.Kind != 'f' {
			v.report(path, "", "must be true or false, not %s", v.show(n))
		}
	}
}

// kind checks a value's type.
func (v *validator) kind(path string, n *jsontree.Node, want byte, problem message.Text) bool {
	if byte(n.Kind) == want {
		return true
	}
	v.report(path, "", "%s, not %s", v.words.Localize(problem), v.show(n))
	return false
}

// show returns a value, shortened for a message.
func (v *validator) show(n *jsontree.Node) string {
	b := []rune(string(n.Append(nil)))
	if len(b) > 40 {
		return string(b[:40]) + "…"
	}
	return string(b)
}

func (v *validator) object(path string, s *Schema, n *jsontree.Node) {
	s.sort(n.Members)
	given := map[string]bool{}
	var kept []jsontree.Member
	for _, m := range n.Members {
		at := path + "/" + jsontree.EscapePointer(m.Name)
		p := s.Property(m.Name)
		switch {
		case given[m.Name]:
			v.report(at, "", "is given twice")
			continue
		case p == nil && !s.Open:
			if len(v.problems) < maxProblems { // searching for similar names takes time
				v.add(UnknownField(v.words, at, m.Name, s.Names()))
			}
			continue
		}
		given[m.Name] = true
		spared := p != nil && spares(n, p)
		if m.Value.Kind == 'n' && (p == nil || !p.Required || spared) || spared && m.Value.Text == "" &&
			m.Value.Kind == '"' {
			continue // strict callers send null or an empty text for a field that is not given
		}
		switch {
		case p != nil:
			v.check(at, p.Schema, m.Value)
		case s.Items != nil:
			v.check(at, s.Items, m.Value)
		}
		kept = append(kept, m)
	}
	for _, p := range s.Properties {
		set := slices.ContainsFunc(kept, func(m jsontree.Member) bool { return m.Name == p.Name })
		switch {
		case p.Required && !given[p.Name] && !spares(n, &p):
			v.missing(path+"/"+p.Name, p.Schema)
		case !set && p.Default != "":
			d, err := jsontree.Parse([]byte(p.Default))
			if err != nil {
				panic(fmt.Sprintf("tools: default of %s: %v", p.Name, err))
			}
			kept = append(kept, jsontree.Member{Name: p.Name, Value: d})
		}
	}
	s.sort(kept)
	n.Members = kept
}

// missing reports a required property that is absent, with the values that it may have.
func (v *validator) missing(path string, s *Schema) {
	low, high := s.bounds()
	switch {
	case len(s.Enum) > 0:
		v.report(path, "", "is required: one of %s", strings.Join(s.Enum, ", "))
	case s.Kind == Integer && s.bounded():
		v.report(path, "", "is required: a number from %d to %d", low, high)
	default:
		v.report(path, "", "is required")
	}
}

// spares reports whether an object has a field that makes a required property
// optional.
func spares(n *jsontree.Node, p *Property) bool {
	return slices.ContainsFunc(n.Members, func(m jsontree.Member) bool {
		return slices.Contains(p.RequiredUnless, m.Name) && m.Value.Kind != 'n' &&
			(m.Value.Kind != '[' || len(m.Value.Items) > 0)
	})
}

// UnknownField describes a field or flag that is not in names. Its hint may
// suggest a name from others as well.
func UnknownField(l message.Localizer, path, name string, names []string, others ...string) failure.Detail {
	d := failure.Detail{Path: path, Message: l.Localize("is not a field of this input")}
	near := nearest.Of(name, append(slices.Clip(names), others...))
	switch {
	case path == "/"+SpaceField:
		d.Hint = l.Hint("It works with your own records only, not in shared spaces")
	case len(near) > 0:
		d.Hint = l.DidYouMean(near)
	case len(names) == 0:
		d.Hint = l.Hint("It takes no fields")
	default:
		d.Hint = l.Hint("It takes: %s", strings.Join(names, ", "))
	}
	return d
}

func (v *validator) array(path string, s *Schema, n *jsontree.Node) {
	if len(n.Items) < s.MinItems {
		v.report(path, "", "must have at least %d", s.MinItems)
	}
	if got := different(s, n); s.MaxItems > 0 && got > s.MaxItems {
		v.add(failure.Detail{Path: path, Limit: true,
			Message: v.words.Localize("must have at most %d, not %d", s.MaxItems, got)})
	}
	for i, item := range n.Items {
		v.check(path+"/"+strconv.Itoa(i), s.Items, item)
	}
}

// different returns the number of items of a list. A text that is repeated, such as a tag, counts once.
func different(s *Schema, n *jsontree.Node) int {
	if s.MaxItems == 0 || len(n.Items) <= s.MaxItems || s.Items.Kind != String {
		return len(n.Items)
	}
	texts := map[string]bool{}
	for _, item := range n.Items {
		texts[item.Text] = true
	}
	return len(texts)
}

func (v *validator) text(path string, s *Schema, n *jsontree.Node) {
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, n.Text) {
		hint := v.words.DidYouMean(nearest.Of(n.Text, s.Enum))
		v.report(path, hint, "must be one of %s, not %s", strings.Join(s.Enum, ", "), v.show(n))
		return
	}
	switch {
	case s.Format != "" && n.Text != "" && legible.Blank(n.Text):
		v.report(path, "", "must not be blank")
		return
	case s.Format == "name" && legible.Control(n.Text):
		v.report(path, "", "must not have control characters or line ends")
		return
	}
	if s.MinLength == 0 && s.MaxLength == 0 {
		return
	}
	// Characters are code points after composition (NFC). JSON Schema counts code
	// points as sent; a few letters are longer when composed. The smaller count
	// accepts every text that the advertised schema accepts.
	count := min(utf8.RuneCountInString(norm.NFC.String(n.Text)), utf8.RuneCountInString(n.Text))
	switch {
	case count < s.MinLength && count == 0:
		v.report(path, "", "must not be empty")
	case count < s.MinLength:
		v.report(path, "", "must have at least %d characters, not %d", s.MinLength, count)
	case s.MaxLength > 0 && count > s.MaxLength:
		v.report(path, "", "must have at most %d characters, not %d", s.MaxLength, count)
	}
}

func (v *validator) integer(path string, s *Schema, n *jsontree.Node) {
	low, high := s.bounds()
	i, ok := (*big.Int)(nil), false
	if n.Kind == '0' {
		i, ok = wholeNumber(n.Text)
	}
	if !ok {
		if s.bounded() {
			v.report(path, "", "must be a whole number from %d to %d, not %s", low, high, v.show(n))
		} else {
			v.report(path, "", "must be a whole number, not %s", v.show(n))
		}
		return
	}
	below := i.Cmp(big.NewInt(low)) < 0
	if below || i.Cmp(big.NewInt(high)) > 0 {
		v.outOfRange(path, s, n, below)
		return
	}
	n.Text = i.String()
}

func (v *validator) number(path string, s *Schema, n *jsontree.Node) {
	if !v.kind(path, n, '0', "must be a number") {
		return
	}
	f, err := strconv.ParseFloat(n.Text, 64) // the error means overflow
	below := s.Minimum != nil && f < float64(*s.Minimum)
	if err != nil || below || s.Maximum != nil && f > float64(*s.Maximum) {
		v.outOfRange(path, s, n, below || f < 0)
	}
}

// bounds returns the range of an integer, 64 bits by default.
func (s *Schema) bounds() (low, high int64) {
	low, high = math.MinInt64, math.MaxInt64
	if s.Minimum != nil {
		low = *s.Minimum
	}
	if s.Maximum != nil {
		high = *s.Maximum
	}
	return low, high
}

// bounded reports whether a number has a range that a caller should know.
func (s *Schema) bounded() bool {
	low, high := s.bounds()
	return low > -MaxInteger && high < MaxInteger
}

func (v *validator) outOfRange(path string, s *Schema, n *jsontree.Node, below bool) {
	low, high := s.bounds()
	switch {
	case s.bounded():
		v.report(path, "", "must be between %d and %d, not %s", low, high, v.show(n))
	case below:
		v.report(path, "", "must be at least %d, not %s", low, v.show(n))
	default:
		v.report(path, "", "must be at most %d, not %s", high, v.show(n))
	}
}

// wholeNumber parses a JSON number with an integer value exactly: 5, 5.0, 5e2.
func wholeNumber(text string) (*big.Int, bool) {
	mantissa, exponent, scientific := strings.Cut(strings.ToLower(text), "e")
	if whole, fraction, ok := strings.Cut(mantissa, "."); ok && strings.Trim(fraction, "0") == "" {
		mantissa = whole // 5.000
	}
	if mantissa == "0" || mantissa == "-0" { // with any exponent
		return new(big.Int), true
	}
	if text = mantissa; scientific {
		text += "e" + exponent
	}
	// Parsing takes quadratic time in the number of digits.
	if len(text) > 100 {
		return nil, false
	}
	if i, ok := new(big.Int).SetString(text, 10); ok {
		return i, true
	}
	// A large exponent would expand a short text to gigabytes.
	if _, exp, ok := strings.Cut(strings.ToLower(text), "e"); ok && len(strings.TrimLeft(exp, "+-0")) > 2 {
		return nil, false
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || !r.IsInt() {
		return nil, false
	}
	return r.Num(), true
}
