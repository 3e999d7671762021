package search

import (
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/text/unicode/norm"

	"techo/internal/charset"
	"techo/internal/walk"
	"techo/tools"
	"techo/tools/files/paths"
)

// glob is a compiled pattern in the dialect of doublestar, the only one that techo
// offers to users: * and ? stay within a path element, ** spans any number of
// elements, [ab] and {a,b} are alternatives. A pattern without a slash applies to
// names. (.gitignore has its own rules; see internal/ignore.)
type glob struct {
	pattern string
	byName  bool
	suffix  string // set if the pattern only requires this suffix of the name
	nfc     string // the composed form of a pattern beyond ASCII, for names in the other form
}

// newGlob compiles a pattern. If anyDepth is set, a pattern without a slash
// matches names at any depth, otherwise only at the first level. at is the offset
// of an error in bytes, or -1.
func newGlob(pattern string, anyDepth bool) (g glob, at int) {
	if !doublestar.ValidatePattern(pattern) {
		return g, errorOffset(pattern)
	}
	g.pattern = strings.TrimPrefix(pattern, "./")
	name, deep := strings.CutPrefix(g.pattern, "**/")
	if g.byName = (deep || anyDepth) && !strings.Contains(name, "/") && name != "**"; g.byName {
		g.pattern = name
		if ending, ok := strings.CutPrefix(name, "*"); ok && ending != "" && !strings.ContainsAny(ending, `*?[]{}\`) {
			g.suffix = ending
		}
	}
	if !charset.IsASCII(g.pattern) {
		g.nfc = norm.NFC.String(g.pattern)
	}
	return g, -1
}

// errorOffset returns the length of the longest valid prefix of a pattern, where
// the error begins.
func errorOffset(pattern string) int {
	for n := len(pattern) - 1; n > 0; n-- {
		if doublestar.ValidatePattern(pattern[:n]) {
			return n
		}
	}
	return 0
}

// matches reports whether a path matches, in composed or decomposed form (NFC, NFD).
// name is its last element.
func (g glob) matches(path, name string) bool {
	return g.matchesExactly(path, name) || g.nfc != "" && !charset.IsASCII(path) &&
		glob{pattern: g.nfc, byName: g.byName}.matchesExactly(norm.NFC.String(path), norm.NFC.String(name))
}

func (g glob) matchesExactly(path, name string) bool {
	switch {
	case g.suffix != "":
		return strings.HasSuffix(name, g.suffix)
	case g.byName:
		return doublestar.MatchUnvalidated(g.pattern, name)
	}
	return doublestar.MatchUnvalidated(g.pattern, path)
}

// selection is the filter of a search by path and file type.
type selection struct {
	include, exclude, types []glob // one of each kind must match; empty accepts all, and excludes nothing
}

// newSelection builds a filter. It appends invalid options to problems.
func newSelection(env *tools.Env, include, exclude, kind string, problems *[]tools.Detail) (s selection) {
	read := func(field, pattern string) (all []glob) {
		if pattern == "" {
			return nil
		}
		if _, at := newGlob(pattern, true); at >= 0 {
			*problems = append(*problems, globProblem(env, field, pattern, at))
			return nil
		}
		for _, one := range alternatives(pattern) {
			g, _ := newGlob(one, true)
			all = append(all, g)
			if strings.Contains(one, "[") { // it may also name a folder such as [id]
				g, _ = newGlob(literalBrackets(one), true)
				all = append(all, g)
			}
		}
		return all
	}
	s.include, s.exclude = read("include", include), read("exclude", exclude)
	if kind == "" {
		return s
	}
	known := fileTypes()
	for name := range strings.SplitSeq(kind, ",") {
		patterns, ok := known[name]
		if !ok {
			*problems = append(*problems, typeProblem(env, name))
		}
		for _, p := range patterns {
			g, _ := newGlob(p, true)
			s.types = append(s.types, g)
		}
	}
	return s
}

func globProblem(env *tools.Env, field, pattern string, at int) tools.Detail {
	return tools.Detail{Path: "/" + field,
		Message: env.Localize("is not a valid glob pattern: %q at character %d", pattern[at:],
			utf8.RuneCountInString(pattern[:at])+1),
		Hint: env.Hint(`Close every [ and {, or write \[ and \{ for literal brackets`)}
}

// applyTo sets the filter of a tree. Without any condition it sets no filter,
// which saves building a path for each entry.
func (s *selection) applyTo(t *tree) {
	if len(s.include)+len(s.exclude)+len(s.types) > 0 {
		t.wanted = s.accepts
	}
}

// accepts reports whether a file is selected, or a folder may contain selected
// files.
func (s *selection) accepts(e walk.Entry, path, name string) bool {
	if e.Kind == walk.Dir {
		return !s.excludesFolder(path, name)
	}
	return (len(s.include) == 0 || anyMatches(s.include, path, name)) && !anyMatches(s.exclude, path, name) &&
		(len(s.types) == 0 || anyMatches(s.types, path, name))
}

func anyMatches(all []glob, path, name string) bool {
	for i := range all {
		if all[i].matches(path, name) {
			return true
		}
	}
	return false
}

func (s *selection) excludesFolder(folder, name string) bool {
	return anyMatches(s.exclude, folder, name) || len(s.exclude) > 0 && anyMatches(s.exclude, folder+"/", name)
}

// displayPath joins the caller's path with a path below it.
func displayPath(given, below string) string {
	if below == "" {
		return given
	}
	return paths.Show(displayPrefix(given) + below)
}

// displayPrefix returns the prefix for paths below the caller's path.
func displayPrefix(given string) string {
	switch clean := path.Clean(filepath.ToSlash(paths.Plain(given))); clean {
	case ".":
		return ""
	case "/":
		return clean
	default:
		return clean + "/"
	}
}

// literalBrackets returns a pattern whose brackets stand for themselves.
func literalBrackets(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\' && i+1 < len(pattern):
			b.WriteString(pattern[i : i+2])
			i++
			continue
		case c == '[' || c == ']':
			b.WriteByte('\\')
		}
		b.WriteByte(pattern[i])
	}
	return b.String()
}

// withExisting returns a pattern in which elements with brackets that exist, from a folder on, stand for themselves:
// app/[id]/* means the folder [id] if there is one.
func withExisting(pattern string, exists func(path string) bool) string {
	elements := strings.Split(pattern, "/")
	at := ""
	for i, element := range elements {
		if element == "**" || strings.ContainsAny(element, `*?{\\`) {
			break
		}
		if at += element; strings.Contains(element, "[") && exists(at) {
			elements[i] = literalBrackets(element)
		} else if strings.Contains(element, "[") {
			break
		}
		at += "/"
	}
	return strings.Join(elements, "/")
}

// alternatives returns the parts of a glob that is one list in braces, each of
// which is a glob of its own; and any other glob as it is.
func alternatives(glob string) []string {
	if len(glob) < 2 || glob[0] != '{' || glob[len(glob)-1] != '}' {
		return []string{glob}
	}
	inner := glob[1 : len(glob)-1]
	var parts []string
	depth, begin := 0, 0
	for i := 0; i < len(inner); i++ {
		switch c := inner[i]; {
		case c == '\\':
			i++
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth < 0 {
				return []string{glob} // as in {a}b{c}
			}
		case c == ',' && depth == 0:
			parts = append(parts, inner[begin:i])
			begin = i + 1
		}
	}
	return append(parts, inner[begin:])
}

var wrongCursor = tools.Text("must be the next_cursor of a result")

// cursor is a position in the results.
type cursor struct {
	path string // relative to the searched folder
	line int    // the last line that was returned
	part int    // unless 0, only the first matches of the line were returned
}

func (c cursor) String() string {
	text := paths.Show(c.path) + ":" + strconv.Itoa(c.line)
	if c.part > 0 {
		text += "." + strconv.Itoa(c.part)
	}
	return text
}

// skips returns the number of the last line that a search from here skips.
func (c cursor) skips() int {
	if c.part > 0 {
		return c.line - 1
	}
	return c.line
}

func parseCursor(text string) (c cursor, err error) {
	if text == "" {
		return c, nil
	}
	at := strings.LastIndexByte(text, ':')
	if at < 0 {
		return c, strconv.ErrSyntax
	}
	c.path = paths.Plain(text[:at])
	line, part, parted := strings.Cut(text[at+1:], ".")
	if parted {
		c.part, err = strconv.Atoi(part)
	}
	if err == nil {
		c.line, err = strconv.Atoi(line)
	}
	if c.line < 0 || c.part < 0 {
		err = strconv.ErrRange
	}
	return c, err
}

// wholeFile is the line of a cursor after the last line of a file.
const wholeFile = 1 << 30
