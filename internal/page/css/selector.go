package css

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"techo/internal/page/runes"
)

// Selector is a parsed list of CSS selectors. It has elements, classes, ids,
// attributes, the four combinators, and the pseudo-classes of pseudoOf.
type Selector []complexSelector

// complexSelector is a chain of compounds, the last one first.
type complexSelector struct {
	parts       []compound
	specificity int
}

// compound is a selector without combinators.
type compound struct {
	tag      string // "" matches every element
	id       string
	classes  []string
	attrs    []attrTest
	pseudos  []pseudo
	combined byte // combinator before the compound: ' ', '>', '+', '~', or 0 for the first
}

// attrTest is a condition on an attribute. Without an operator the attribute only
// has to be present.
type attrTest struct {
	name, value string
	operator    byte // '=', '~', '|', '^', '$', '*' or 0
	fold        bool
}

type pseudo struct {
	name string
	of   Selector // of :not, :is and :where
	a, b int      // of :nth-child: positions a*n+b
}

// ErrSelector means that a selector is not valid, or that it uses an unsupported
// part of CSS.
var ErrSelector = errors.New("unsupported or invalid selector")

const (
	maxSelector  = 4000 // bytes of a selector
	maxCompounds = 16
	maxNesting   = 4 // of :not and :is
)

// ParseSelector parses a list of selectors, separated by commas.
func ParseSelector(text string) (Selector, error) {
	if len(text) > maxSelector {
		return nil, ErrSelector
	}
	return parseSelectors(text, 0)
}

func parseSelectors(text string, depth int) (Selector, error) {
	if depth > maxNesting {
		return nil, ErrSelector
	}
	var all Selector
	for _, one := range splitList(text) {
		c, err := parseComplex(strings.TrimSpace(one), depth)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// splitList splits a list of selectors at the commas outside of brackets, parentheses and quotes.
func splitList(text string) (parts []string) {
	if !strings.Contains(text, ",") {
		return []string{text}
	}
	depth, from, quote := 0, 0, byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, text[from:i])
			from = i + 1
		}
	}
	return append(parts, text[from:])
}

type selectorReader struct {
	text  string
	at    int
	depth int
}

func parseComplex(text string, depth int) (c complexSelector, err error) {
	r := &selectorReader{text: text, depth: depth}
	combined := byte(0)
	for {
		one := compound{combined: combined}
		weight, err := r.compound(&one)
		if err != nil || len(c.parts) == maxCompounds {
			return c, ErrSelector
		}
		c.specificity += weight
		c.parts = append(c.parts, one)
		if combined = r.combinator(); combined == 0 {
			break
		}
	}
	if r.at < len(r.text) {
		return c, ErrSelector
	}
	slices.Reverse(c.parts)
	return c, nil
}

// combinator reads a combinator and the blanks around it. It returns 0 at the end.
func (r *selectorReader) combinator() byte {
	from := r.at
	r.blanks()
	if r.at == len(r.text) {
		return 0
	}
	if c := r.text[r.at]; c == '>' || c == '+' || c == '~' {
		r.at++
		r.blanks()
		return c
	}
	if r.at > from {
		return ' '
	}
	return 0
}

func (r *selectorReader) blanks() {
	for r.at < len(r.text) && strings.IndexByte(" \t\r\n\f", r.text[r.at]) >= 0 {
		r.at++
	}
}

func (r *selectorReader) name() string {
	from := r.at
	for r.at < len(r.text) && isNameByte(r.text[r.at]) {
		r.at++
	}
	plain := r.text[from:r.at]
	if r.at == len(r.text) || r.text[r.at] != '\\' {
		return plain
	}
	var b strings.Builder
	b.WriteString(plain)
	for r.at < len(r.text) {
		c := r.text[r.at]
		switch {
		case isNameByte(c):
			b.WriteByte(c)
			r.at++
		case c == '\\' && r.at+1 < len(r.text):
			r.at++
			r.escape(&b)
		default:
			return b.String()
		}
	}
	return b.String()
}

func isNameByte(c byte) bool { return runes.IsWord(c) || c == '-' || c == '_' || c >= 0x80 }

// escape reads the rest of an escape: up to six hexadecimal digits and a blank, or
// one character.
func (r *selectorReader) escape(b *strings.Builder) {
	n := 0
	for n < 6 && r.at+n < len(r.text) && runes.IsDigit(r.text[r.at+n], true) {
		n++
	}
	if n == 0 {
		b.WriteByte(r.text[r.at])
		r.at++
		return
	}
	code, _ := strconv.ParseUint(r.text[r.at:r.at+n], 16, 32)
	b.WriteRune(rune(code))
	if r.at += n; r.at < len(r.text) && r.text[r.at] == ' ' {
		r.at++
	}
}

func (r *selectorReader) compound(c *compound) (weight int, err error) {
	from := r.at
	if strings.HasPrefix(r.text[r.at:], "*") {
		r.at++
	} else if c.tag = strings.ToLower(r.name()); c.tag != "" {
		weight++
	}
loop:
	for r.at < len(r.text) {
		switch r.text[r.at] {
		case '#':
			r.at++
			c.id = r.name()
			weight += 1 << 16
			if c.id == "" {
				return 0, ErrSelector
			}
		case '.':
			r.at++
			class := r.name()
			if class == "" {
				return 0, ErrSelector
			}
			c.classes = append(c.classes, class)
			weight += 1 << 8
		case '[':
			if err := r.attribute(c); err != nil {
				return 0, err
			}
			weight += 1 << 8
		case ':':
			more, err := r.pseudo(c)
			if err != nil {
				return 0, err
			}
			weight += more
		default:
			break loop
		}
	}
	if r.at == from {
		return 0, ErrSelector
	}
	return weight, nil
}

func (r *selectorReader) attribute(c *compound) error {
	r.at++
	r.blanks()
	a := attrTest{name: strings.ToLower(r.name())}
	r.blanks()
	rest := r.text[r.at:]
	if a.name == "" || rest == "" {
		return ErrSelector
	}
	if rest[0] != ']' {
		if rest[0] == '=' {
			a.operator = '='
			r.at++
		} else if len(rest) > 1 && rest[1] == '=' && strings.IndexByte("~|^$*", rest[0]) >= 0 {
			a.operator = rest[0]
			r.at += 2
		} else {
			return ErrSelector
		}
		r.blanks()
		value, ok := r.value()
		if !ok {
			return ErrSelector
		}
		a.value = value
		r.blanks()
		if flag := r.name(); flag != "" {
			a.fold = strings.EqualFold(flag, "i")
			r.blanks()
		}
	}
	if r.at >= len(r.text) || r.text[r.at] != ']' {
		return ErrSelector
	}
	r.at++
	c.attrs = append(c.attrs, a)
	return nil
}

func (r *selectorReader) value() (string, bool) {
	if r.at >= len(r.text) {
		return "", false
	}
	quote := r.text[r.at]
	if quote != '"' && quote != '\'' {
		name := r.name()
		return name, name != ""
	}
	end := strings.IndexByte(r.text[r.at+1:], quote)
	if end < 0 {
		return "", false
	}
	value := r.text[r.at+1 : r.at+1+end]
	r.at += end + 2
	return value, true
}

func (r *selectorReader) pseudo(c *compound) (weight int, err error) {
	r.at++
	p := pseudo{name: strings.ToLower(r.name())}
	argument, given, err := r.argument()
	if err != nil {
		return 0, err
	}
	weight = 1 << 8
	switch p.name {
	case "first-child", "last-child", "only-child", "root", "link", "any-link", "empty":
		if given {
			return 0, ErrSelector
		}
	case "not", "is", "where", "matches":
		if p.of, err = parseSelectors(argument, r.depth+1); err != nil || !given {
			return 0, ErrSelector
		}
		weight = 0
		if p.name != "where" {
			for _, one := range p.of {
				weight = max(weight, one.specificity)
			}
		}
	case "nth-child", "nth-of-type":
		if p.a, p.b, err = parseNth(argument); err != nil {
			return 0, ErrSelector
		}
	default:
		return 0, ErrSelector
	}
	c.pseudos = append(c.pseudos, p)
	return weight, nil
}

func (r *selectorReader) argument() (text string, given bool, err error) {
	if r.at >= len(r.text) || r.text[r.at] != '(' {
		return "", false, nil
	}
	depth := 0
	for i := r.at; i < len(r.text); i++ {
		switch r.text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				text, r.at = r.text[r.at+1:i], i+1
				return text, true, nil
			}
		}
	}
	return "", false, ErrSelector
}
