package css

import (
	"golang.org/x/net/html"

	"techo/internal/page/runes"
)

// path is an element and those around it as far as style rules can tell them from
// others. Elements on one path look the same, unless a rule depends on siblings. Lists
// and tables have many elements on one path, and Plain meets the same paths as Parse.
type path struct {
	number int32
	known  bool // the look of its elements, which depends on the look above

	above, own Look
	hidden     bool

	names, around names // of the element, and of those around it
}

// paths has the paths of a page by the path of the parent, the tag and those attributes
// that rules ask for.
type paths struct {
	all  map[string]*path
	list []*path // by number
	full bool    // no more paths are kept
	key  []byte  // a buffer

	classes, ids map[string]int32 // numbers of the names in selectors
	valued       map[string]bool  // attributes whose value selectors compare
}

const (
	maxPaths   = 20_000
	maxPathKey = 2000 // bytes
	noPath     = -1   // of elements beyond the limits
)

func (p *path) index() int32 {
	if p == nil {
		return noPath
	}
	return p.number
}

// name notes a class or an id that a selector has.
func (p *paths) name(names *map[string]int32, name string) {
	if *names == nil {
		*names = map[string]int32{}
	}
	if _, ok := (*names)[name]; !ok {
		(*names)[name] = int32(len(*names))
	}
}

// pathOf returns the path of an element in an element with the path above. It returns nil
// beyond the limits, and without rules, for then a look at the attributes takes less.
func (s *Sheet) pathOf(n *html.Node, above int32) *path {
	p := &s.paths
	if len(s.rules) == 0 {
		return nil
	}
	if p.all == nil {
		p.all, p.list = map[string]*path{}, []*path{{}}
	}
	if above == noPath || int(above) >= len(p.list) {
		return nil
	}
	p.key = append(addNumber(p.key[:0], above), n.Data...)
	for i := range n.Attr {
		s.addToPath(&n.Attr[i])
		if len(p.key) > maxPathKey {
			return nil
		}
	}
	at, ok := p.all[string(p.key)]
	if !ok && !p.full {
		p.full = len(p.list) == maxPaths
		at = &path{number: int32(len(p.list)), around: p.list[above].around}
		at.around.addAll(&p.list[above].names)
		at.names.addElement(n)
		p.list = append(p.list, at)
		p.all[string(p.key)] = at
	}
	return at
}

// addToPath adds to the key what rules can tell of an attribute.
func (s *Sheet) addToPath(a *html.Attribute) {
	const class, id, present, other = 1, 2, 3, 4 // no part of a tag
	p := &s.paths
	switch a.Key {
	case "class", "id":
		names, kind := p.classes, byte(class)
		if a.Key == "id" {
			names, kind = p.ids, id
		}
		if s.foreign && a.Val != "" {
			p.key = append(p.key, present, kind) // external rules may apply
		}
		if !p.valued[a.Key] && addNames(p, kind, names, a.Val) {
			return
		}
	case "style", "color", "bgcolor":
	default:
		if s.attrs == nil || !s.attrs[a.Key] {
			return
		}
		if !p.valued[a.Key] {
			p.key = append(append(p.key, present, byte(min(len(a.Val), 1))), a.Key...)
			return
		}
	}
	if len(a.Val) > maxPathKey {
		p.key = append(p.key, a.Val...)
		return
	}
	p.key = append(addNumber(append(p.key, other), int32(len(a.Key)<<16+len(a.Val))), a.Key...)
	p.key = append(p.key, a.Val...)
}

// addNames adds those names in an attribute that selectors have. It reports whether
// nothing else counts.
func addNames(p *paths, kind byte, names map[string]int32, list string) bool {
	for i := range len(list) {
		if c := list[i]; c >= 0x80 || c < ' ' && !runes.IsGap(c) {
			return false
		}
	}
	if kind != 1 {
		if number, ok := names[list]; ok {
			p.key = addNumber(append(p.key, kind), number)
		}
		return true
	}
	for from := 0; from < len(list); from++ {
		to := from
		for to < len(list) && list[to] > ' ' {
			to++
		}
		if to > from {
			if number, ok := names[list[from:to]]; ok {
				p.key = addNumber(append(p.key, kind), number)
			}
		}
		from = to
	}
	return true
}

func addNumber(key []byte, n int32) []byte {
	return append(key, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
}

// recall returns the look of an element and whether it is hidden, like examine.
func (s *Sheet) recall(n *html.Node, up Look, at *path) (own Look, hidden bool) {
	if at != nil && at.known && at.above == up {
		return at.own, at.hidden
	}
	s.matcher.varies, s.matcher.names, s.matcher.around = false, &allNames, &allNames
	if at != nil {
		s.matcher.names, s.matcher.around = &at.names, &at.around
	}
	own, hidden = s.examine(n, up)
	if at != nil && !s.matcher.varies && !s.matcher.spent {
		at.known, at.above, at.own, at.hidden = true, up, own, hidden
	}
	return own, hidden
}
