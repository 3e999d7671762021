package files

import (
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"techo/internal/walk"
	"techo/tools"
)

// glob is a pattern for paths, as doublestar has them: * and ? are within one
// element, ** is any number of them, [ab] and {a,b} are choices. One without a
// slash is for the name, at any depth.
type glob struct {
	pattern string
	byName  bool
	ending  string // when all it asks for is how the name ends
}

// newGlob reads a pattern; anyDepth says what one without a slash is for: names
// at any depth, or the first level. When it is wrong, at is where, in bytes; -1
// is that it is right.
func newGlob(pattern string, anyDepth bool) (g glob, at int) {
	if !doublestar.ValidatePattern(pattern) {
		return g, brokenAt(pattern)
	}
	g.pattern = strings.TrimPrefix(pattern, "./")
	name, deep := strings.CutPrefix(g.pattern, "**/")
	if g.byName = (deep || anyDepth) && !strings.Contains(name, "/") && name != "**"; g.byName {
		g.pattern = name
		if ending, ok := strings.CutPrefix(name, "*"); ok && ending != "" && !strings.ContainsAny(ending, `*?[]{}\`) {
			g.ending = ending
		}
	}
	return g, -1
}

// brokenAt finds where what is wrong begins: behind the longest beginning that
// is right.
func brokenAt(pattern string) int {
	for n := len(pattern) - 1; n > 0; n-- {
		if doublestar.ValidatePattern(pattern[:n]) {
			return n
		}
	}
	return 0
}

// matches reports whether a path matches, given with its name.
func (g glob) matches(path, name string) bool {
	switch {
	case g.ending != "":
		return strings.HasSuffix(name, g.ending)
	case g.byName:
		return doublestar.MatchUnvalidated(g.pattern, name)
	}
	return doublestar.MatchUnvalidated(g.pattern, path)
}

// selection says which files are wanted, by their names.
type selection struct {
	include, exclude *glob
	kinds            []glob // one of them; none is any
}

// selectFiles reads what is asked for, and adds what is wrong to faults.
func selectFiles(env *tools.Env, include, exclude, kind string, wrong *[]tools.Detail) (s selection) {
	read := func(field, pattern string) *glob {
		if pattern == "" {
			return nil
		}
		g, at := newGlob(pattern, true)
		if at >= 0 {
			*wrong = append(*wrong, globFault(env, field, pattern, at))
			return nil
		}
		return &g
	}
	s.include, s.exclude = read("include", include), read("exclude", exclude)
	if kind != "" {
		patterns, ok := kinds()[kind]
		if !ok {
			*wrong = append(*wrong, kindFault(env, kind))
		}
		for _, p := range patterns {
			g, _ := newGlob(p, true)
			s.kinds = append(s.kinds, g)
		}
	}
	return s
}

func globFault(env *tools.Env, field, pattern string, at int) tools.Detail {
	return tools.Detail{Path: "/" + field,
		Message: env.Say(tools.Say{EN: "is no glob pattern: %q at character %d", JA: "glob パターンとして正しくありません: %[2]d 文字目の %[1]q"}, pattern[at:], characters(pattern[:at])+1),
		Hint:    env.Say(tools.Say{EN: `Close every [ and {, or write \[ and \{ for the signs themselves`, JA: `[ と { を閉じるか、記号そのものは \[ \{ と書いてください`})}
}

// narrow confines a tree to what is wanted. Where that is all, no path has to be
// made for asking.
func (s *selection) narrow(t *tree) {
	if s.include != nil || s.exclude != nil || len(s.kinds) > 0 {
		t.selects = s.selects
	}
}

// selects reports whether a file is wanted, or a folder may hold such.
func (s *selection) selects(e walk.Entry, path, name string) bool {
	if e.Kind == walk.Dir {
		return !s.pruned(path, name)
	}
	return s.wanted(path, name)
}

// wanted reports whether a file is among those asked for.
func (s *selection) wanted(path, name string) bool {
	if s.include != nil && !s.include.matches(path, name) || s.exclude != nil && s.exclude.matches(path, name) {
		return false
	}
	for i := range s.kinds {
		if s.kinds[i].matches(path, name) {
			return true
		}
	}
	return len(s.kinds) == 0
}

// pruned reports whether nothing in a folder is asked for.
func (s *selection) pruned(folder, name string) bool {
	return s.exclude != nil && (s.exclude.matches(folder, name) || s.exclude.matches(folder+"/", name))
}

// shown joins the path that a caller gave with one below it.
func shown(given, below string) string {
	if below == "" {
		return given
	}
	return above(given) + below
}

// above is what stands before the paths below one that a caller gave.
func above(given string) string {
	switch clean := path.Clean(filepath.ToSlash(given)); clean {
	case ".":
		return ""
	case "/":
		return clean
	default:
		return clean + "/"
	}
}

// pathLines writes n paths below a given one, a line each with a tail behind
// it, and returns the paths too: they are parts of the text, which for tens of
// thousands of them halves the memory.
func pathLines(given string, n int, at func(i int) (path, tail string)) (text string, paths []string) {
	var b strings.Builder
	before, size := above(given), 0
	for i := range n {
		path, tail := at(i)
		size += len(before) + len(path) + len(tail) + 1
	}
	b.Grow(size)
	paths = make([]string, n)
	for i := range n {
		path, tail := at(i)
		begin := b.Len()
		b.WriteString(before)
		b.WriteString(path)
		paths[i] = b.String()[begin:] // the text does not move any more
		b.WriteString(tail)
		b.WriteByte('\n')
	}
	return b.String(), paths
}

// characters counts code points.
func characters(text string) int { return utf8.RuneCountInString(text) }
