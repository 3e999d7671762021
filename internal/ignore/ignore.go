// Package ignore reads the rules of .gitignore files and says which paths they
// ignore, as git does in all its corners (gitignore(5), and what git does where
// that is silent).
//
// A file's rules are looked up by name, by ending and by path, so that hundreds
// of them cost as much as one; only patterns in the middle of which something
// is open are tried one by one.
package ignore

import (
	"bytes"
	"strings"
)

// Verdict is what rules say of a path.
type Verdict int8

// The verdicts.
const (
	Silent  Verdict = iota // no rule is about it
	Ignored                // it is ignored
	Kept                   // a rule with ! takes it back
)

// Rules are those of one file. They are safe for use by many at once. The zero
// value is silent.
type Rules struct {
	rules    []rule
	names    map[string][]int32 // rules for one name, at any depth
	endings  map[string][]int32 // rules of the form *.ending
	paths    map[string][]int32 // rules for one path
	patterns []int32            // all others
}

// rule is one line.
type rule struct {
	text    string // without its signs
	prefix  int    // how much of it is to be taken to the letter
	keep    bool   // it begins with !
	folder  bool   // it ends with /: for folders only
	name    bool   // it has no other /: for the name, at any depth
	special bool   // it is a pattern
	ending  bool   // it is a star and then plain text
}

// Parse reads the text of a file. A line that makes no sense matches nothing.
func Parse(text []byte) *Rules {
	r := &Rules{names: map[string][]int32{}, endings: map[string][]int32{}, paths: map[string][]int32{}}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	for line := range bytes.Lines(text) {
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if one, ok := parseLine(string(line)); ok {
			r.add(one)
		}
	}
	return r
}

// Empty reports whether there are no rules.
func (r *Rules) Empty() bool { return r == nil || len(r.rules) == 0 }

func parseLine(line string) (r rule, ok bool) {
	line, _, _ = strings.Cut(line, "\x00")
	if strings.HasPrefix(line, "#") {
		return r, false
	}
	line = trimBlanks(line)
	line, r.keep = strings.CutPrefix(line, "!")
	line, r.folder = strings.CutSuffix(line, "/")
	if line == "" {
		return r, false
	}
	r.name = !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	r.text = line
	r.prefix = strings.IndexAny(line, `*?[\`)
	if r.special = r.prefix >= 0; !r.special {
		r.prefix = len(line)
	}
	r.ending = r.prefix == 0 && line[0] == '*' && !strings.ContainsAny(line[1:], `*?[\`)
	return r, true
}

// trimBlanks cuts the blanks at the end of a line, but for one that a backslash
// stands before.
func trimBlanks(line string) string {
	end := -1 // where the blanks at the end begin
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			if end < 0 {
				end = i
			}
			continue
		case '\\':
			i++
			if i == len(line) {
				return line
			}
		}
		end = -1
	}
	if end >= 0 {
		return line[:end]
	}
	return line
}

func (r *Rules) add(one rule) {
	n := int32(len(r.rules))
	r.rules = append(r.rules, one)
	ending, isEnding := strings.CutPrefix(one.text, "*.") // of one dot: the last
	switch {
	case !one.special && one.name:
		r.names[one.text] = append(r.names[one.text], n)
	case !one.special:
		r.paths[one.text] = append(r.paths[one.text], n)
	case one.name && one.ending && isEnding && !strings.Contains(ending, "."):
		r.endings[ending] = append(r.endings[ending], n)
	default:
		r.patterns = append(r.patterns, n)
	}
}

// Match says what the rules say of a path below the file's folder; name is its
// last element. The last rule that matches decides.
func (r *Rules) Match(path, name []byte, folder bool) Verdict {
	if r.Empty() {
		return Silent
	}
	last := r.last(-1, r.names[string(name)], folder)
	if len(r.endings) > 0 {
		if dot := bytes.LastIndexByte(name, '.'); dot >= 0 {
			last = r.last(last, r.endings[string(name[dot+1:])], folder)
		}
	}
	if len(r.paths) > 0 {
		last = r.last(last, r.paths[string(path)], folder)
	}
	for i := len(r.patterns) - 1; i >= 0 && r.patterns[i] > last; i-- {
		one := &r.rules[r.patterns[i]]
		if (folder || !one.folder) && one.matches(path, name) {
			last = r.patterns[i]
			break
		}
	}
	switch {
	case last < 0:
		return Silent
	case r.rules[last].keep:
		return Kept
	}
	return Ignored
}

// last is the last of some rules that is for what is asked, or what was before.
func (r *Rules) last(before int32, some []int32, folder bool) int32 {
	for i := len(some) - 1; i >= 0 && some[i] > before; i-- {
		if folder || !r.rules[some[i]].folder {
			return some[i]
		}
	}
	return before
}

// matches tries a pattern.
func (r *rule) matches(path, name []byte) bool {
	if r.name {
		if r.ending {
			ending := r.text[1:]
			return len(name) >= len(ending) && string(name[len(name)-len(ending):]) == ending
		}
		return len(name) >= r.prefix && string(name[:r.prefix]) == r.text[:r.prefix] && glob(r.text[r.prefix:], name[r.prefix:], false)
	}
	// What stands before the first sign is compared to the letter, and the rest
	// is a pattern of its own: so a**/b is a, then **/b.
	if len(path) < r.prefix || string(path[:r.prefix]) != r.text[:r.prefix] {
		return false
	}
	return glob(r.text[r.prefix:], path[r.prefix:], true)
}
