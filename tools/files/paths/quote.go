package paths

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// # Unusual names
//
// A name that is not valid UTF-8 cannot be in JSON. Results show its path in double
// quotes with escapes, as git does: "caf\351". Tools take paths in this form too. In
// text output, so are names with control characters, which would break the lines.

// Show returns a path as results show it.
func Show(path string) string {
	path = filepath.ToSlash(path) // Windows takes both
	if utf8.ValidString(path) && !strings.HasPrefix(path, `"`) {
		return path
	}
	return quotePath(path)
}

// ShowLine returns a path that a result shows as one line of text shows it.
func ShowLine(shown string) string {
	if strings.IndexFunc(shown, unicode.IsControl) < 0 {
		return shown
	}
	return quotePath(shown)
}

func quotePath(path string) string {
	var b strings.Builder
	b.WriteByte('"')
	for len(path) > 0 {
		r, n := utf8.DecodeRuneInString(path)
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + path[:n])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == utf8.RuneError && n == 1, unicode.IsControl(r):
			for _, c := range []byte(path[:n]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		default:
			b.WriteString(path[:n])
		}
		path = path[n:]
	}
	b.WriteByte('"')
	return b.String()
}

// Plain returns the path that a caller means: of one in double quotes, the path in
// them if it needs the quotes.
func Plain(given string) string {
	if len(given) < 3 || given[0] != '"' || given[len(given)-1] != '"' {
		return given
	}
	plain, err := strconv.Unquote(given)
	if err != nil || Show(plain) == plain && ShowLine(plain) == plain {
		return given
	}
	return plain
}
