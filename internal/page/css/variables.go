package css

import (
	"strings"
	"unicode"
)

// variables are the custom properties of the page's own style sheets. A page
// usually declares each once, for its root: that declaration counts, and otherwise
// the first one.
type variables map[string]variable

type variable struct {
	value string
	root  bool // declared for the root
}

const (
	maxVariables = 5000
	maxResolved  = 1000 // bytes of a value
	maxReplaced  = 20   // variables in a value
)

// collect adds the custom properties of a style sheet. It looks for "--" and from there for
// the begin of the declaration, for most of a style sheet declares no variables.
func (v variables) collect(css string) {
	root, done := false, 0 // root is of the last rule before the position done
	for at := 0; len(v) < maxVariables; {
		n := strings.Index(css[at:], "--")
		if n < 0 {
			return
		}
		at += n
		from := done + len(strings.TrimRightFunc(css[done:at], unicode.IsSpace))
		if from > done && css[from-1] != ';' && css[from-1] != '{' && css[from-1] != '}' {
			at += len("--")
			continue
		}
		if open := strings.LastIndexByte(css[done:from], '{') + done; open >= done {
			root = isRootRule(css[:open])
		}
		end := len(css)
		if n := strings.IndexAny(css[at:], "{};"); n >= 0 {
			end = at + n
		}
		if end == len(css) || css[end] != '{' {
			v.declare(css[at:end], root)
		}
		at, done = end, end
	}
}

// isRootRule reports whether the text before a brace ends with a selector of the root.
func isRootRule(text string) bool {
	switch strings.TrimSpace(text[strings.LastIndexAny(text, "{};")+1:]) {
	case ":root", "html", "body", "*", ":host", ":root,:host", ":root, :host":
		return true
	}
	return false
}

// declare adds a declaration if it is one of a custom property.
func (v variables) declare(text string, root bool) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "--") || len(text) > maxResolved {
		return
	}
	name, value, ok := strings.Cut(text, ":")
	name = strings.TrimSpace(name)
	if old, known := v[name]; ok && (!known || root && !old.root) {
		v[name] = variable{strings.TrimSpace(value), root}
	}
}

// scope has the variables of a page and of a style attribute, which
// come first.
type scope struct{ own, page variables }

// with adds the variables that the declarations of a style declare.
func (v variables) with(style string) scope {
	s := scope{page: v}
	if !strings.Contains(style, "--") {
		return s
	}
	for one := range strings.SplitSeq(style, ";") {
		if strings.HasPrefix(strings.TrimSpace(one), "--") {
			if s.own == nil {
				s.own = variables{}
			}
			s.own.declare(one, true)
		}
	}
	return s
}

func (s scope) get(name string) (value string, ok bool) {
	known, ok := s.own[name]
	if !ok {
		known, ok = s.page[name]
	}
	return known.value, ok
}

// resolve replaces the variables in a value. A variable that is not known, without
// an alternative, stays.
func (s scope) resolve(text string) string {
	for range maxReplaced {
		at := strings.LastIndex(text, "var(") // the innermost one
		if at < 0 {
			break
		}
		end := strings.IndexByte(text[at:], ')')
		if end < 0 {
			break
		}
		name, value, alternative := strings.Cut(text[at+len("var("):at+end], ",")
		known, ok := s.get(strings.TrimSpace(name))
		switch {
		case ok:
			value = known
		case !alternative:
			return text
		}
		text = text[:at] + value + text[at+end+1:]
		if len(text) > maxResolved {
			return ""
		}
	}
	return text
}
