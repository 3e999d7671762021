package page

import (
	"maps"
	"strings"
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

// collect adds the custom properties of a style sheet.
func (v variables) collect(css string) {
	from, root := 0, false // of the current rule or declaration
	for i := 0; i < len(css) && len(v) < maxVariables; i++ {
		switch css[i] {
		case '{':
			switch strings.TrimSpace(css[from:i]) {
			case ":root", "html", "body", "*", ":host", ":root,:host", ":root, :host":
				root = true
			default:
				root = false
			}
			from = i + 1
		case '}', ';':
			v.declare(css[from:i], root)
			from = i + 1
		}
	}
	v.declare(css[min(from, len(css)):], root)
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

// with returns the variables with those that a style attribute declares.
func (v variables) with(style string) variables {
	own := variables{}
	for one := range strings.SplitSeq(style, ";") {
		own.declare(one, true)
	}
	if len(own) == 0 {
		return v
	}
	all := maps.Clone(v)
	if all == nil {
		return own
	}
	maps.Copy(all, own)
	return all
}

// resolve replaces the variables in a value. A variable that is not known, without
// an alternative, stays.
func (v variables) resolve(text string) string {
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
		known, ok := v[strings.TrimSpace(name)]
		switch {
		case ok:
			value = known.value
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
