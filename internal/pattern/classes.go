package pattern

import (
	"fmt"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The members of \w, \d and \s as in Python's re module for text: letters, numbers
// and the underscore; decimal digits; white space with the separators of ASCII.
// Each ends in a category, so that a dash may follow it in a class.
const (
	wordClass  = `_\pL\pN`
	digitClass = `\p{Nd}`
	spaceClass = `\t-\r\x1c-\x1f\x85\pZ`
)

// unicodeClasses replaces \w, \d, \s and their negations, which are ASCII in
// package syntax, by their Unicode forms. The expression must be valid.
func unicodeClasses(e string) string {
	if !strings.Contains(e, `\`) {
		return e
	}
	var b strings.Builder
	class := 0 // 0 outside of a class; in a class, the offset of its first member
	for i := 0; i < len(e); {
		switch {
		case e[i] == '\\' && i+1 < len(e):
			n := len(`\x`)
			switch c := e[i+1]; {
			case c == 'Q' && class == 0:
				n = len(e) - i
				if end := strings.Index(e[i:], `\E`); end >= 0 {
					n = end + len(`\E`)
				}
				b.WriteString(e[i : i+n])
			case strings.IndexByte("wWdDsS", c) >= 0:
				b.WriteString(unicodeClass(c, class > 0))
			default:
				b.WriteString(e[i : i+n])
			}
			i += n
			continue
		case class == 0 && e[i] == '[':
			class = i + 1
			if strings.HasPrefix(e[class:], "^") {
				class++
			}
			b.WriteString(e[i:class])
			i = class
			continue
		case class > 0 && e[i] == '[' && strings.HasPrefix(e[i:], "[:"):
			if end := strings.Index(e[i:], ":]"); end > 0 {
				b.WriteString(e[i : i+end+2])
				i += end + 2
				continue
			}
		case class > 0 && e[i] == ']' && i > class:
			class = 0
		}
		b.WriteByte(e[i])
		i++
	}
	return b.String()
}

// unicodeClass returns the Unicode form of a class escape.
func unicodeClass(letter byte, inClass bool) string {
	members := map[byte]string{'w': wordClass, 'd': digitClass, 's': spaceClass}[letter|0x20]
	negated := letter < 'a'
	switch {
	case !inClass && negated:
		return "[^" + members + "]"
	case !inClass:
		return "[" + members + "]"
	case !negated:
		return members
	}
	return complement(members)
}

// complement returns the characters that are not members of a class, as ranges. A
// class has no way to negate a part of itself.
func complement(members string) string {
	re, err := syntax.Parse("[^"+members+"]", syntax.Perl)
	if err != nil {
		panic(err) // members is a constant
	}
	var b strings.Builder
	for i := 0; i < len(re.Rune); i += 2 {
		fmt.Fprintf(&b, `\x{%x}-\x{%x}`, re.Rune[i], re.Rune[i+1])
	}
	return b.String()
}

// isWordRune reports whether a character is in the Unicode \w.
func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return isWord(byte(r))
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

func isWord(b byte) bool {
	return b == '_' || b-'0' < 10 || b|0x20-'a' < 26 && b < 0x80
}
