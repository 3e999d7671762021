package ignore

import (
	"bytes"
	"path/filepath"
	"strings"
)

// ExcludesFile returns core.excludesFile, the user's own rules, from the text of a
// git configuration. ok reports whether it is set; it may be set to "".
func ExcludesFile(config []byte, home string) (path string, ok bool) {
	section := ""
	for line := range bytes.Lines(config) {
		text := strings.TrimSpace(string(line))
		if name, rest, isSection := strings.Cut(strings.TrimPrefix(text, "["), "]"); strings.HasPrefix(text, "[") &&
			isSection {
			section = strings.ToLower(strings.TrimSpace(name))
			text = strings.TrimSpace(rest)
		}
		key, value, found := strings.Cut(text, "=")
		if section == "core" && found && strings.EqualFold(strings.TrimSpace(key), "excludesfile") {
			path, ok = configValue(value), true
		}
	}
	if rest, under := strings.CutPrefix(path, "~/"); under {
		path = filepath.Join(home, rest)
	}
	return path, ok
}

// configValue parses a value: it removes quotes, escapes and a comment.
func configValue(text string) string {
	var b strings.Builder
	quoted := false
	text = strings.TrimSpace(text)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		case !quoted && (c == '#' || c == ';'):
			return strings.TrimSpace(b.String())
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
