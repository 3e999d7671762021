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

	"techo/internal/nearest"
)

// validator collects all faults of one input.
type validator struct {
	env    *Env
	faults []Detail
}

// validate checks an input against a schema and returns it as the tool's
// function reads it: optional nulls gone, defaults filled in, integers written
// plainly. All faults come at once.
func validate(env *Env, s *Schema, raw []byte) ([]byte, []Detail) {
	v := &validator{env: env}
	if len(raw) == 0 {
		raw = []byte("{}")
	}
	n, err := parse(raw)
	if err != nil {
		v.syntax(err)
		return nil, v.faults
	}
	v.check("", s, n)
	if len(v.faults) > 0 {
		return nil, v.faults
	}
	return n.append(nil), nil
}

// maxFaults is how many faults of one input are told.
const maxFaults = 100

func (v *validator) fault(path, hint string, message Say, args ...any) {
	if path == "" {
		message = Say{"the input " + message.EN, "入力は " + message.JA}
	}
	v.add(Detail{Path: path, Message: message.In(v.env.Lang, args...), Hint: hint})
}

func (v *validator) add(d Detail) {
	if len(v.faults) < maxFaults {
		v.faults = append(v.faults, d)
	}
}

func (v *validator) syntax(err error) {
	var s *syntaxError
	if !errors.As(err, &s) {
		v.fault("", "", Say{"%v", "%v"}, err)
		return
	}
	if s.text {
		v.fault(s.pointer, v.env.Say(Say{"Send texts as UTF-8", "文字列は UTF-8 で送ってください"}), Say{"is not valid UTF-8", "UTF-8 として正しくありません"})
		return
	}
	v.fault(s.pointer, v.env.Say(Say{"Send one JSON object", "JSON オブジェクトを一つ送ってください"}),
		Say{"is not JSON: %s (byte %d)", "JSON ではありません: %s（%d バイト目）"}, s.reason, s.offset)
}

// check checks one value. It changes the node into its plain form.
func (v *validator) check(path string, s *Schema, n *node) {
	switch s.Kind {
	case Object:
		if v.kind(path, n, '{', Say{"must be an object", "オブジェクトにしてください"}) {
			v.object(path, s, n)
		}
	case Array:
		if s.Lone && n.kind == '"' {
			*n = node{kind: '[', items: []*node{{kind: n.kind, text: n.text}}}
		}
		if v.kind(path, n, '[', Say{"must be a list", "リストにしてください"}) {
			v.array(path, s, n)
		}
	case String:
		if v.kind(path, n, '"', Say{"must be a text", "文字列にしてください"}) {
			v.text(path, s, n)
		}
	case Integer:
		v.integer(path, s, n)
	case Number:
		v.number(path, s, n)
	case Boolean:
		if n.kind != 't' && n.kind != 'f' {
			v.fault(path, "", Say{"must be true or false, not %s", "true か false にしてください（%s は不可）"}, v.show(n))
		}
	}
}

// kind checks a value's type.
func (v *validator) kind(path string, n *node, want byte, message Say) bool {
	if byte(n.kind) == want {
		return true
	}
	message.EN += ", not %s"
	message.JA += "（%s は不可）"
	v.fault(path, "", message, v.show(n))
	return false
}

// show writes a value, short enough for a message.
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
			v.fault(at, "", Say{"is given twice", "二重に指定されています"})
			continue
		case p == nil && !s.Open:
			if len(v.faults) < maxFaults { // to look for what is near is not for nothing
				v.add(UnknownField(v.env, at, m.name, s.Names()))
			}
			continue
		}
		given[m.name] = true
		spared := p != nil && n.spares(p)
		if m.value.kind == 'n' && (p == nil || !p.Required || spared) || spared && m.value.text == "" && m.value.kind == '"' {
			continue // null, or an empty text, is how strict callers leave a field out
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
			v.fault(path+"/"+p.Name, "", Say{"is required", "必須です"})
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

// spares reports whether an object has what a required property may be left out
// for.
func (n *node) spares(p *Property) bool {
	return slices.ContainsFunc(n.members, func(m member) bool {
		return slices.Contains(p.Unless, m.name) && m.value.kind != 'n' && (m.value.kind != '[' || len(m.value.items) > 0)
	})
}

// UnknownField is the fault of a field, or a flag, that is not among names. It
// may also be a misspelling of one of others.
func UnknownField(env *Env, path, name string, names []string, others ...string) Detail {
	d := Detail{Path: path, Message: env.Say(Say{"is not a field of this input", "この入力にない項目です"})}
	near := nearest.Of(name, append(slices.Clip(names), others...))
	switch {
	case len(near) > 0:
		d.Hint = env.DidYouMean(near)
	case len(names) == 0:
		d.Hint = env.Say(Say{"It takes no fields", "項目はありません"})
	default:
		d.Hint = env.Say(Say{"It takes: %s", "指定できる項目: %s"}, strings.Join(names, ", "))
	}
	return d
}

func (v *validator) array(path string, s *Schema, n *node) {
	if len(n.items) < s.Least {
		v.fault(path, "", Say{"must have at least %d", "%d 個以上にしてください"}, s.Least)
	}
	for i, item := range n.items {
		v.check(path+"/"+strconv.Itoa(i), s.Items, item)
	}
}

func (v *validator) text(path string, s *Schema, n *node) {
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, n.text) {
		hint := v.env.DidYouMean(nearest.Of(n.text, s.Enum))
		v.fault(path, hint, Say{"must be one of %s, not %s", "%s のいずれかにしてください（%s は不可）"}, strings.Join(s.Enum, ", "), v.show(n))
		return
	}
	if s.Min == nil && s.Max == nil {
		return
	}
	// Characters are code points of the composed form.
	count := int64(utf8.RuneCountInString(norm.NFC.String(n.text)))
	switch {
	case s.Min != nil && count < *s.Min && count == 0:
		v.fault(path, "", Say{"must not be empty", "空にできません"})
	case s.Min != nil && count < *s.Min:
		v.fault(path, "", Say{"must have at least %d characters, not %d", "%d 文字以上にしてください（現在 %d 文字）"}, *s.Min, count)
	case s.Max != nil && count > *s.Max:
		v.fault(path, "", Say{"must have at most %d characters, not %d", "%d 文字以内にしてください（現在 %d 文字）"}, *s.Max, count)
	}
}

func (v *validator) integer(path string, s *Schema, n *node) {
	if n.kind != '0' {
		v.kind(path, n, '0', Say{"must be a whole number", "整数にしてください"})
		return
	}
	i, ok := wholeNumber(n.text)
	if !ok {
		v.fault(path, "", Say{"must be a whole number, not %s", "整数にしてください（%s は不可）"}, v.show(n))
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
	if !v.kind(path, n, '0', Say{"must be a number", "数値にしてください"}) {
		return
	}
	f, err := strconv.ParseFloat(n.text, 64) // an error says that it is too large
	below := s.Min != nil && f < float64(*s.Min)
	if err != nil || below || s.Max != nil && f > float64(*s.Max) {
		v.outOfRange(path, s, n, below || f < 0)
	}
}

// bounds are those of 64 bits where the schema has none.
func (s *Schema) bounds() (low, high int64) {
	low, high = math.MinInt64, math.MaxInt64
	if s.Min != nil {
		low = *s.Min
	}
	if s.Max != nil {
		high = *s.Max
	}
	return low, high
}

func (v *validator) outOfRange(path string, s *Schema, n *node, below bool) {
	low, high := s.bounds()
	switch {
	case s.Min != nil && s.Max != nil:
		v.fault(path, "", Say{"must be between %d and %d, not %s", "%d から %d の間にしてください（%s は不可）"}, low, high, v.show(n))
	case below:
		v.fault(path, "", Say{"must be at least %d, not %s", "%d 以上にしてください（%s は不可）"}, low, v.show(n))
	default:
		v.fault(path, "", Say{"must be at most %d, not %s", "%d 以下にしてください（%s は不可）"}, high, v.show(n))
	}
}

// wholeNumber reads a JSON number that is an integer, exactly: 5, 5.0, 5e2.
func wholeNumber(text string) (*big.Int, bool) {
	// Reading digits takes the square of their number.
	if len(text) > 100 {
		return nil, false
	}
	if i, ok := new(big.Int).SetString(text, 10); ok {
		return i, true
	}
	// An exponent could make a short text a number of gigabytes.
	if _, exp, ok := strings.Cut(strings.ToLower(text), "e"); ok && len(strings.TrimLeft(exp, "+-0")) > 2 {
		return nil, false
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || !r.IsInt() {
		return nil, false
	}
	return r.Num(), true
}

// escapePointer writes a name as a step of a JSON pointer (RFC 6901).
func escapePointer(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}
