// Package ignore implements .gitignore rules: gitignore(5), and the behaviour of
// git where the manual is silent.
//
// The package matches patterns itself, because gitignore has no {a,b}, gives a
// trailing slash a meaning and works on bytes. Globs that users give to tools have
// another dialect, which tools/files documents (doublestar).
//
// Rules are indexed by name, by extension and by path, so the cost of a match does
// not depend on the number of rules. Only patterns with wildcards elsewhere are
// tried one by one.
package ignore

import (
	"bytes"
	"strings"
)

// Verdict is the result of matching a path.
type Verdict int8

// The verdicts.
const (
	Silent  Verdict = iota // no rule matches
	Ignored                // the path is ignored
	Kept                   // a rule with ! re-includes the path
)

// Rules are the rules of one file. They are safe for concurrent use. The zero
// value has no rules.
type Rules struct {
	rules    []rule
	names    map[string][]int32 // rules for a name at any depth
	endings  map[string][]int32 // rules of the form *.ext
	paths    map[string][]int32 // rules for one exact path
	patterns []int32            // all other rules

	fold bool // ASCII letters match in either case; texts are in lower case
}

type rule struct {
	text    string // without !, leading and trailing slashes
	prefix  int    // length of the literal prefix
	keep    bool   // starts with !
	folder  bool   // ends with /: matches folders only
	name    bool   // has no other /: matches the name at any depth
	special bool   // contains wildcards
	ending  bool   // a star followed by literal text
}

// Parse parses the text of a rules file. Invalid lines match nothing. With
// ignoreCase, ASCII letters match in either case.
func Parse(text []byte, ignoreCase bool) *Rules {
	r := &Rules{fold: ignoreCase, names: map[string][]int32{}, endings: map[string][]int32{},
		paths: map[string][]int32{}}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	for line := range bytes.Lines(text) {
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if one, ok := parseLine(string(line)); ok {
			if r.fold {
				one.fold()
			}
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

// fold changes the literal parts of the rule to lower case.
func (r *rule) fold() {
	end := r.prefix
	if r.ending {
		end = len(r.text)
	}
	r.text = string(lowerAll([]byte(r.text[:end]))) + r.text[end:]
}

// lowerAll returns b with ASCII capitals in lower case.
func lowerAll(b []byte) []byte {
	out := bytes.Clone(b)
	for i, c := range out {
		out[i] = lower(c)
	}
	return out
}

// trimBlanks removes trailing spaces, except one that is quoted with a backslash.
func trimBlanks(line string) string {
	end := -1 // start of the trailing spaces
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
	ending, isEnding := strings.CutPrefix(one.text, "*.") // index by the last extension
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

// Match returns the verdict for a path relative to the folder of the rules file;
// name is its last element. The last matching rule decides.
func (r *Rules) Match(path, name []byte, folder bool) Verdict {
	if r.Empty() {
		return Silent
	}
	if r.fold {
		path = lowerAll(path)
		name = path[len(path)-len(name):]
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
		if (folder || !one.folder) && one.matches(path, name, r.fold) {
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

// last returns the index of the last rule in some that applies, or before if that
// is larger.
func (r *Rules) last(before int32, some []int32, folder bool) int32 {
	for i := len(some) - 1; i >= 0 && some[i] > before; i-- {
		if folder || !r.rules[some[i]].folder {
			return some[i]
		}
	}
	return before
}

func (r *rule) matches(path, name []byte, fold bool) bool {
	if r.name {
		if r.ending {
			ending := r.text[1:]
			return len(name) >= len(ending) && string(name[len(name)-len(ending):]) == ending
		}
		return len(name) >= r.prefix && string(name[:r.prefix]) == r.text[:r.prefix] &&
			glob(r.text[r.prefix:], name[r.prefix:], globber{fold: fold})
	}
	// The literal prefix is compared first, and the rest is a pattern of its own:
	// a**/b is the literal a followed by **/b.
	if len(path) < r.prefix || string(path[:r.prefix]) != r.text[:r.prefix] {
		return false
	}
	return glob(r.text[r.prefix:], path[r.prefix:], globber{path: true, fold: fold})
}
