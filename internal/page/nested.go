package page

import (
	"slices"
	"strings"
)

// addRules adds a rule and the rules nested in it.
func (s *sheet) addRules(head, body string, depth int) {
	open := strings.IndexByte(body, '{')
	if open < 0 {
		s.addRule(head, body)
		return
	}
	if depth == maxNestedAt {
		s.cut = true
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
		s.addNested(head, strings.TrimSpace(body[from:open]), inner, depth+1)
		body = rest
		open = strings.IndexByte(body, '{')
	}
	own.WriteString(body)
	s.addRule(head, own.String())
}

// addNested adds a rule that is nested in the rule of a parent.
func (s *sheet) addNested(parent, head, body string, depth int) {
	if strings.HasPrefix(head, "@") {
		if recallApplies(s, head) {
			s.addRules(parent, body, depth)
		}
		return
	}
	around := ":is(" + parent + ")"
	parts := splitTop(head, ',')
	for i, one := range parts {
		if strings.Contains(one, "&") {
			parts[i] = strings.ReplaceAll(one, "&", around)
		} else {
			parts[i] = around + " " + strings.TrimSpace(one)
		}
		if len(parts[i]) > maxSelector {
			s.cut = true
			return
		}
	}
	s.addRules(strings.Join(parts, ","), body, depth)
}

// addRule keeps a rule if one of its properties can hide text, or show it again.
func (s *sheet) addRule(head, body string) {
	if s.used != nil && strings.IndexByte(head, ',') < 0 && !s.used.mayMatch(head) {
		return // the usual case
	}
	selectors := candidates(s, head)
	if len(selectors) == 0 {
		return
	}
	d := declare(body, s.known)
	if len(d.all) == 0 {
		return
	}
	s.noteHues(d)
	for _, one := range selectors {
		if len(one) > maxSelector || len(s.rules) == maxRules {
			s.cut = true
			return
		}
		c, err := parseComplex(strings.TrimSpace(one), 0)
		if err != nil || !isStatic(&c) {
			continue
		}
		s.note(&c)
		r := styleRule{selector: &c, declared: d, specificity: c.specificity, simple: c.isSimple(),
			around: namesAbove(&c)}
		r.names.addCompound(&c.parts[0])
		s.rules = append(s.rules, r)
	}
}

// candidates splits a list of selectors, without the ones that match nothing on the page. The
// next call reuses the result.
func candidates(s *sheet, head string) []string {
	all := s.chosen[:0]
	if strings.ContainsAny(head, "\\\"'([)]") {
		all = append(all, splitTop(head, ',')...)
	} else {
		for more := true; more; {
			var one string
			one, head, more = strings.Cut(head, ",")
			all = append(all, one)
		}
	}
	s.chosen = all
	if s.used == nil {
		return all
	}
	return slices.DeleteFunc(all, func(one string) bool { return !s.used.mayMatch(one) })
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
