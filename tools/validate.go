package tools

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
)

// validator collects all problems of one input.
type validator struct {
	env      *Env
	problems []Detail
}

// validate checks an input against a schema. It returns the input in normal form,
// without optional nulls, with defaults filled in and integers as plain digits, or
// all problems at once.
func validate(env *Env, s *Schema, raw []byte) ([]byte, []Detail) {
	v := &validator{env: env}
	n := v.parse(raw)
	if n == nil {
		return nil, v.problems
	}
	return v.normal(s, n)
}

// parse parses a document; an empty one is {}. It returns nil and reports the problem if it
// is not JSON.
func (v *validator) parse(raw []byte) *node {
	if len(raw) == 0 {
		raw = []byte("{}")
	}
	n, err := parse(raw)
	if err != nil {
		v.syntax(err)
		return nil
	}
	return n
}

// normal checks a document and returns it in normal form, or all problems.
func (v *validator) normal(s *Schema, n *node) ([]byte, []Detail) {
	v.check("", s, n)
	if len(v.problems) > 0 {
		return nil, v.problems
	}
	return n.append(nil), nil
}

// maxProblems limits the number of reported problems.
const maxProblems = 100

func (v *validator) report(path, hint string, message Text, args ...any) {
	text := v.env.Localize(message, args...)
	if path == "" {
		text = v.env.Localize("the input %s", text)
	}
	v.add(Detail{Path: path, Message: text, Hint: hint})
}

func (v *validator) add(d Detail) {
	if len(v.problems) < maxProblems {
		v.problems = append(v.problems, d)
	}
}

func (v *validator) syntax(err error) {
	var s *syntaxError
	if !errors.As(err, &s) {
		v.report("", "", "%v", err)
		return
	}
	if s.text {
		v.report(s.pointer, v.env.Localize("Send texts as UTF-8"), "is not valid UTF-8")
		return
	}
	v.report(s.pointer, v.env.Localize("Send one JSON object"),
		"is not JSON: %v (byte %d)", s.reason, s.at)
}

// check checks one value and changes the node to its normal form.
func (v *validator) check(path string, s *Schema, n *node) {
	switch s.Kind {
	case Object:
		if s.OrText != "" && n.kind == '"' {
			*n = node{kind: '{', members: []member{{s.OrText, &node{kind: n.kind, text: n.text}}}}
		}
		if v.kind(path, n, '{', "must be an object") {
			v.object(path, s, n)
		}
	case Array:
		if s.AllowSingle && (n.kind == '"' || n.kind == '{' && s.Items.Kind == Object) {
			single := *n
			*n = node{kind: '[', items: []*node{&single}}
		}
		if v.kind(path, n, '[', "must be a list") {
			v.array(path, s, n)
		}
	case String:
		if s.AllowNumber && n.kind == '0' {
			n.kind = '"'
		}
		if v.kind(path, n, '"', "must be a text") {
			v.text(path, s, n)
		}
	case Integer:
		v.integer(path, s, n)
	case Number:
		v.number(path, s, n)
	case Boolean:
		if n.kind != 't' && n.kind != 'f' {
			v.report(path, "", "must be true or false, not %s", v.show(n))
		}
	}
}

// kind checks a value's type.
func (v *validator) kind(path string, n *node, want byte, message Text) bool {
	if byte(n.kind) == want {
		return true
	}
	v.report(path, "", "%s, not %s", v.env.Localize(message), v.show(n))
	return false
}

// show returns a value, shortened for a message.
func (v *validator) show(n *node) string {
	b := []rune(string(n.append(nil)))
	if len(b) > 40 {
		return string(b[:40]) + "…"
	}
	return string(b)
}

func (v *validator) object(path string, s *Schema, n *node) {
	s.sort(n.members)
	given := map[string]bool{}
	var kept []member
	for _, m := range n.members {
		at := path + "/" + escapePointer(m.name)
		p := s.Property(m.name)
		switch {
		case given[m.name]:
			v.report(at, "", "is given twice")
			continue
		case p == nil && !s.Open:
			if len(v.problems) < maxProblems { // searching for similar names takes time
				v.add(UnknownField(v.env, at, m.name, s.Names()))
			}
			continue
		}
		given[m.name] = true
		spared := p != nil && n.spares(p)
		if m.value.kind == 'n' && (p == nil || !p.Required || spared) || spared && m.value.text == "" &&
			m.value.kind == '"' {
			continue // strict callers send null or an empty text for a field that is not given
		}
		switch {
		case p != nil:
			v.check(at, p.Schema, m.value)
		case s.Items != nil:
			v.check(at, s.Items, m.value)
		}
		kept = append(kept, m)
	}
	for _, p := range s.Properties {
		set := slices.ContainsFunc(kept, func(m member) bool { return m.name == p.Name })
		switch {
		case p.Required && !given[p.Name] && !n.spares(&p):
			v.report(path+"/"+p.Name, "", "is required")
		case !set && p.Default != "":
			d, err := parse([]byte(p.Default))
			if err != nil {
				panic(fmt.Sprintf("tools: default of %s: %v", p.Name, err))
			}
			kept = append(kept, member{p.Name, d})
		}
	}
	s.sort(kept)
	n.members = kept
}

// spares reports whether an object has a field that makes a required property
// optional.
func (n *node) spares(p *Property) bool {
	return slices.ContainsFunc(n.members, func(m member) bool {
		return slices.Contains(p.RequiredUnless, m.name) && m.value.kind != 'n' &&
			(m.value.kind != '[' || len(m.value.items) > 0)
	})
}

// UnknownField describes a field or flag that is not in names. Its hint may
// suggest a name from others as well.
func UnknownField(env *Env, path, name string, names []string, others ...string) Detail {
	d := Detail{Path: path, Message: env.Localize("is not a field of this input")}
	near := nearest.Of(name, append(slices.Clip(names), others...))
	switch {
	case path == "/"+spaceField:
		d.Hint = env.Hint("It works with your own records only, not in shared spaces")
	case len(near) > 0:
		d.Hint = env.DidYouMean(near)
	case len(names) == 0:
		d.Hint = env.Hint("It takes no fields")
	default:
		d.Hint = env.Hint("It takes: %s", strings.Join(names, ", "))
	}
	return d
}

func (v *validator) array(path string, s *Schema, n *node) {
	if len(n.items) < s.MinItems {
		v.report(path, "", "must have at least %d", s.MinItems)
	}
	for i, item := range n.items {
		v.check(path+"/"+strconv.Itoa(i), s.Items, item)
	}
}

func (v *validator) text(path string, s *Schema, n *node) {
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, n.text) {
		hint := v.env.DidYouMean(nearest.Of(n.text, s.Enum))
		v.report(path, hint, "must be one of %s, not %s", strings.Join(s.Enum, ", "), v.show(n))
		return
	}
	switch {
	case s.Format != "" && n.text != "" && legible.Blank(n.text):
		v.report(path, "", "must not be blank")
		return
	case s.Format == "name" && legible.Control(n.text):
		v.report(path, "", "must not have control characters or line ends")
		return
	}
	if s.MinLength == 0 && s.MaxLength == 0 {
		return
	}
	// Characters are code points after composition (NFC). JSON Schema counts code
	// points as sent; a few letters are longer when composed. The smaller count
	// accepts every text that the advertised schema accepts.
	count := min(utf8.RuneCountInString(norm.NFC.String(n.text)), utf8.RuneCountInString(n.text))
	switch {
	case count < s.MinLength && count == 0:
		v.report(path, "", "must not be empty")
	case count < s.MinLength:
		v.report(path, "", "must have at least %d characters, not %d", s.MinLength, count)
	case s.MaxLength > 0 && count > s.MaxLength:
		v.report(path, "", "must have at most %d characters, not %d", s.MaxLength, count)
	}
}

func (v *validator) integer(path string, s *Schema, n *node) {
	if n.kind != '0' {
		v.kind(path, n, '0', "must be a whole number")
		return
	}
	i, ok := wholeNumber(n.text)
	if !ok {
		v.report(path, "", "must be a whole number, not %s", v.show(n))
		return
	}
	low, high := s.bounds()
	below := i.Cmp(big.NewInt(low)) < 0
	if below || i.Cmp(big.NewInt(high)) > 0 {
		v.outOfRange(path, s, n, below)
		return
	}
	n.text = i.String()
}

func (v *validator) number(path string, s *Schema, n *node) {
	if !v.kind(path, n, '0', "must be a number") {
		return
	}
	f, err := strconv.ParseFloat(n.text, 64) // the error means overflow
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

func (v *validator) outOfRange(path string, s *Schema, n *node, below bool) {
	low, high := s.bounds()
	switch {
	case low > -maxInteger && high < maxInteger:
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

// escapePointer escapes a name as a step of a JSON pointer (RFC 6901).
func escapePointer(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}
