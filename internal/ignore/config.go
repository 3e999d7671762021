package ignore

import (
	"path"
	"path/filepath"
	"strings"
)

// Config has the settings of git that affect ignore rules.
type Config struct {
	ExcludesFile string // core.excludesFile, a file with the user's own rules
	Excludes     bool   // core.excludesFile is set; it may be set to ""
	IgnoreCase   bool   // core.ignoreCase

	read int // files
}

// ConfigReader reads git's configuration files.
type ConfigReader struct {
	Home   string // replaces ~ in paths
	GitDir string // of the repository, absolute: for [includeIf "gitdir:…"]
	Branch string // that is checked out, or "": for [includeIf "onbranch:…"]

	// Read returns the content of a file, or nil.
	Read func(path string) []byte
}

// Limits of includes: git's of nested ones, and one of all, because each file may include many.
const (
	maxIncludes = 10
	maxConfigs  = 100
)

// Add reads a configuration file and the files that it includes. A later setting
// replaces an earlier one, so the files with less precedence are added first.
func (c *Config) Add(file string, r ConfigReader) { c.add(file, r, 0) }

func (c *Config) add(file string, r ConfigReader, depth int) {
	if c.read++; depth > maxIncludes || c.read > maxConfigs {
		return
	}
	for _, s := range parseConfig(string(r.Read(file))) {
		switch {
		case s.key == "core.excludesfile":
			c.ExcludesFile, c.Excludes = r.expand(s.value), true
		case s.key == "core.ignorecase":
			c.IgnoreCase = isTrue(s)
		case s.key == "include.path", s.key == "includeif.path" && r.holds(s.name, file):
			to := r.expand(s.value)
			if !filepath.IsAbs(to) {
				to = path.Join(path.Dir(filepath.ToSlash(file)), to)
			}
			c.add(to, r, depth+1)
		}
	}
}

// expand replaces ~ at the beginning of a path.
func (r ConfigReader) expand(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		return path.Join(filepath.ToSlash(r.Home), rest)
	}
	return name
}

func (r ConfigReader) holds(condition, file string) bool {
	kind, pattern, _ := strings.Cut(condition, ":")
	switch kind {
	case "onbranch":
		return r.Branch != "" && matchesConfig(pattern, r.Branch, false)
	case "gitdir", "gitdir/i":
		if rest, ok := strings.CutPrefix(pattern, "./"); ok {
			pattern = path.Join(path.Dir(filepath.ToSlash(file)), rest) + pattern[len(strings.TrimRight(pattern, "/")):]
		}
		pattern = r.expandFolder(pattern)
		if !path.IsAbs(pattern) && !filepath.IsAbs(pattern) {
			pattern = "**/" + pattern
		}
		return r.GitDir != "" && matchesConfig(pattern, filepath.ToSlash(r.GitDir), kind == "gitdir/i")
	}
	return false // other conditions are not known
}

// expandFolder is expand for a pattern whose final slash has a meaning.
func (r ConfigReader) expandFolder(pattern string) string {
	if expanded := r.expand(pattern); strings.HasSuffix(pattern, "/") {
		return strings.TrimSuffix(expanded, "/") + "/"
	} else {
		return expanded
	}
}

// matchesConfig matches a pattern of a condition; one that ends in a slash matches
// everything below.
func matchesConfig(pattern, text string, fold bool) bool {
	if strings.HasSuffix(pattern, "/") {
		pattern += "**"
	}
	if fold {
		text = strings.ToLower(text)
	}
	return globber{path: true, fold: fold}.match(pattern, 0, []byte(text)) == yes
}

// setting is a line of a configuration.
type setting struct {
	key   string // section and name in lower case, with a dot between
	name  string // the subsection
	value string
	flag  bool // there is no =, which means true
}

func isTrue(s setting) bool {
	switch strings.ToLower(s.value) {
	case "true", "yes", "on", "1":
		return true
	}
	return s.flag
}

// parseConfig parses a configuration. It skips lines that it does not understand.
func parseConfig(text string) (all []setting) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	section, name := "", ""
	for text != "" {
		text = strings.TrimLeft(text, " \t\n")
		switch {
		case text == "":
		case text[0] == '#' || text[0] == ';':
			_, text, _ = strings.Cut(text, "\n")
		case text[0] == '[':
			section, name, text = parseHeader(text[1:])
		default:
			end := strings.IndexAny(text, "=\n")
			s := setting{name: name, flag: end < 0 || text[end] == '\n'}
			key := text
			switch {
			case end < 0:
				text = ""
			case s.flag:
				key, text = text[:end], text[end+1:]
			default:
				key = text[:end]
				s.value, text = parseValue(text[end+1:])
			}
			key, _, _ = strings.Cut(key, "#")
			s.key = section + "." + strings.ToLower(strings.TrimSpace(key))
			all = append(all, s)
		}
	}
	return all
}

// parseHeader parses [section "name"] behind its bracket.
func parseHeader(text string) (section, name, rest string) {
	end := strings.IndexAny(text, "\"]\n")
	if end < 0 {
		return "", "", ""
	}
	section = strings.ToLower(strings.TrimSpace(text[:end]))
	if text[end] != '"' {
		return section, "", text[end+1:]
	}
	var b strings.Builder
	i := end + 1
	for ; i < len(text) && text[i] != '"' && text[i] != '\n'; i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		b.WriteByte(text[i])
	}
	_, rest, _ = strings.Cut(text[min(i+1, len(text)):], "]")
	return section, b.String(), rest
}

// parseValue parses a value: it removes quotes, escapes and a comment, and joins
// lines that end in a backslash.
func parseValue(text string) (value, rest string) {
	var b strings.Builder
	quoted, kept := false, 0 // kept is the length without blanks at the end
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			return strings.TrimLeft(b.String()[:kept], " \t"), text[i+1:]
		case c == '"':
			quoted = !quoted
			kept = b.Len()
		case c == '\\' && i+1 < len(text):
			if i++; text[i] == '\n' {
				continue
			}
			b.WriteByte(escaped(text[i]))
			kept = b.Len()
		case !quoted && (c == '#' || c == ';'):
			_, rest, _ = strings.Cut(text[i:], "\n")
			return strings.TrimLeft(b.String()[:kept], " \t"), rest
		default:
			if b.WriteByte(c); quoted || c != ' ' && c != '\t' {
				kept = b.Len()
			}
		}
	}
	return strings.TrimLeft(b.String()[:kept], " \t"), ""
}

// escaped returns the character that a backslash and c stand for.
func escaped(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'b':
		return '\b'
	}
	return c
}
