package css

import (
	"slices"
	"strings"
)

// parser reads the rules of style sheets.
type parser struct {
	sheet  *Sheet
	used   *used    // names in the page
	chosen []string // a buffer
}

// Read reads the style sheets of a page. The source shows the names that it has; foreign
// tells that it also has external style sheets, whose rules are unknown. The number of
// elements limits the comparisons: a page of WCXB takes at most 80 % of them.
func Read(sheets []string, source string, foreign bool, elements int) *Sheet {
	s := &Sheet{foreign: foreign, steps: min(1_250_000+250*elements, maxSteps)}
	s.Restart()
	if len(sheets) > 0 {
		p := parser{sheet: s, used: usedNames(source)}
		p.add(sheets)
	}
	for i := range s.rules {
		r := &s.rules[i]
		s.every.put(int32(i), &r.selector.parts[0])
		if r.declared.suspect || s.colours.camouflaged(r.declared) {
			s.suspects.put(int32(i), &r.selector.parts[0])
		}
	}
	return s
}

func (p *parser) add(sheets []string) {
	all := make([]string, len(sheets))
	for i, css := range sheets {
		p.sheet.cut = p.sheet.cut || len(css) > maxSheet
		all[i] = withoutComments(css[:min(len(css), maxSheet)])
	}
	if slices.ContainsFunc(all, func(css string) bool { return strings.Contains(css, "var(") }) {
		p.sheet.known = variables{}
		for _, css := range all {
			p.sheet.known.collect(css)
		}
	}
	for _, css := range all {
		p.read(css, 0)
	}
}

// read reads rules up to the end of the text.
func (p *parser) read(css string, depth int) {
	for open, from := -1, 0; from < len(css); {
		if open < from {
			n := strings.IndexByte(css[from:], '{')
			if n < 0 {
				n = len(css) - from
			}
			open = from + n
		}
		head := css[from:open]
		if end := strings.IndexByte(head, ';'); end >= 0 {
			if strings.HasPrefix(strings.TrimSpace(head[:end]), "@import") {
				p.sheet.foreign = true
			}
			from += end + 1
			continue
		}
		if open == len(css) {
			return
		}
		head = strings.TrimSpace(head)
		body := css[open+1:]
		body = body[:blockEnd(body)]
		from = open + 1 + len(body) + 1
		switch {
		case !strings.HasPrefix(head, "@"):
			p.addRules(head, body, depth)
		case depth == maxNestedAt:
			p.sheet.cut = true
		case applies(head):
			p.read(body, depth+1)
		}
	}
}

// withoutComments removes the comments of a style sheet.
func withoutComments(css string) string {
	if !strings.Contains(css, "/*") {
		return css
	}
	var b strings.Builder
	from := 0
	for i := 0; i < len(css); i++ {
		switch c := css[i]; c {
		case '"', '\'':
			if end := strings.IndexByte(css[i+1:], c); end >= 0 {
				i += end + 1
			}
		case '/':
			if i+1 == len(css) || css[i+1] != '*' {
				continue
			}
			b.WriteString(css[from:i])
			end := strings.Index(css[i+2:], "*/")
			if end < 0 {
				return b.String()
			}
			i += end + 3
			from = i + 1
		}
	}
	b.WriteString(css[from:])
	return b.String()
}

// blockEnd returns the position of the brace that ends a block, or the length of
// the text.
func blockEnd(text string) int {
	end := strings.IndexByte(text, '}')
	if end >= 0 && strings.IndexByte(text[:end], '{') < 0 && strings.IndexByte(text[:end], '"') < 0 &&
		strings.IndexByte(text[:end], '\'') < 0 {
		return end
	}
	depth := 0
	for i := 0; i < len(text); {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth == 0 {
				return i
			}
			depth--
		case '"', '\'':
			if end := strings.IndexByte(text[i+1:], text[i]); end >= 0 && end < 10_000 {
				i += end + 1
			}
		}
		i++
	}
	return len(text)
}

func (p *parser) addRules(head, body string, depth int) {
	open := strings.IndexByte(body, '{')
	if open < 0 {
		p.addRule(head, body)
		return
	}
	if depth == maxNestedAt {
		p.sheet.cut = true
		return
	}
	var own strings.Builder
	for open >= 0 {
		from := strings.LastIndexByte(body[:open], ';') + 1
		own.WriteString(body[:from])
		inner, rest := body[open+1:], ""
		if end := blockEnd(inner); end < len(inner) {
			inner, rest = inner[:end], inner[end+1:]
		}
		p.addNested(head, strings.TrimSpace(body[from:open]), inner, depth+1)
		body = rest
		open = strings.IndexByte(body, '{')
	}
	own.WriteString(body)
	p.addRule(head, own.String())
}

// addNested adds a rule that is nested in the rule of a parent.
func (p *parser) addNested(parent, head, body string, depth int) {
	if strings.HasPrefix(head, "@") {
		if applies(head) {
			p.addRules(parent, body, depth)
		}
		return
	}
	around := ":is(" + parent + ")"
	parts := splitList(head)
	for i, one := range parts {
		if strings.Contains(one, "&") {
			parts[i] = strings.ReplaceAll(one, "&", around)
		} else {
			parts[i] = around + " " + strings.TrimSpace(one)
		}
		if len(parts[i]) > maxSelector {
			p.sheet.cut = true
			return
		}
	}
	p.addRules(strings.Join(parts, ","), body, depth)
}

// addRule keeps a rule if one of its properties can hide text, or show it again.
func (p *parser) addRule(head, body string) {
	if strings.IndexByte(head, ',') < 0 && !p.used.mayMatch(head) {
		return // the usual case
	}
	selectors := p.candidates(head)
	if len(selectors) == 0 {
		return
	}
	d := declare(body, p.sheet.known)
	if len(d.all) == 0 {
		return
	}
	p.sheet.colours.noteAll(d)
	for _, one := range selectors {
		if len(one) > maxSelector || len(p.sheet.rules) == maxRules {
			p.sheet.cut = true
			return
		}
		c, err := parseComplex(strings.TrimSpace(one), 0)
		if err != nil || !isStatic(&c) {
			continue
		}
		p.sheet.note(&c)
		p.sheet.rules = append(p.sheet.rules, styleRule{selector: &c, declared: d, specificity: c.specificity,
			simple: c.isSimple()})
	}
}

// candidates splits a list of selectors, without the ones that match nothing on the page. The
// next call reuses the result.
func (p *parser) candidates(head string) []string {
	all := p.chosen[:0]
	if strings.ContainsAny(head, "\\\"'([)]") {
		all = append(all, splitList(head)...)
	} else {
		for more := true; more; {
			var one string
			one, head, more = strings.Cut(head, ",")
			all = append(all, one)
		}
	}
	p.chosen = all
	return slices.DeleteFunc(all, func(one string) bool { return !p.used.mayMatch(one) })
}

// isStatic reports whether a selector depends only on an element, the elements
// before it and those around it.
func isStatic(c *complexSelector) bool {
	for i := range c.parts {
		for _, p := range c.parts[i].pseudos {
			switch p.name {
			case "first-child", "nth-child", "nth-of-type", "root", "link", "any-link":
			case "not", "is", "where", "matches":
				for k := range p.of {
					if !isStatic(&p.of[k]) {
						return false
					}
				}
			default:
				return false
			}
		}
	}
	return true
}
