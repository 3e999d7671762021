package soup

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"techo/internal/page/runes"
)

// startTag reads a start tag and returns its end, or -1 if it is unfinished. It
// finds the attributes that Python's regular expressions find: after a blank, a
// slash or a quote, a name and an optional value.
func (s *textReader) startTag(i int) int {
	if i > s.last || s.scansLeft < 0 {
		return -1
	}
	at := i + 1 + nameLength(s.src[i+1:])
	name := strings.ToLower(s.src[i+1 : at])
	for at < len(s.src) && (s.src[at] == '/' || blank(s.src, at) > 0) {
		at += max(blank(s.src, at), 1)
	}
	attrs, some, at := s.attributes(at)
	switch {
	case at == len(s.src):
		s.scansLeft--
		return -1
	case s.src[at] == '>' && s.src[at-1] == '/' && !some:
		s.start(name, attrs, true)
		return at + 1
	case strings.HasPrefix(s.src[at:], "/>"):
		s.start(name, attrs, true)
		return at + 2
	case s.src[at] == '>':
		s.start(name, attrs, false)
		if name == "script" || name == "style" {
			return s.raw(at+1, name)
		}
		return at + 1
	case runes.IsLetter(s.src[at]), s.src[at] == '=', s.src[at] == '/':
		return -1
	}
	s.data = append(s.data, s.src[i:at]...) // not a tag
	return at
}

// raw skips the contents of a script or style element.
func (s *textReader) raw(i int, name string) int {
	for {
		n := strings.Index(s.src[i:], "</")
		if n < 0 {
			return len(s.src)
		}
		i += n
		rest := strings.TrimLeftFunc(s.src[i+2:], runes.IsSpace)
		if len(rest) > len(name) && strings.EqualFold(rest[:len(name)], name) &&
			strings.HasPrefix(strings.TrimLeftFunc(rest[len(name):], runes.IsSpace), ">") {
			return i
		}
		i += 2
	}
}

// attributes parses attributes and returns the ones that can hide an element,
// whether there were any, and their end. The next call reuses the attributes.
func (s *textReader) attributes(at int) (attrs []html.Attribute, some bool, end int) {
	attrs = s.attrs[:0]
	for ; at < len(s.src) && begins(s.src, at); some = true {
		n := at + 1
		for n < len(s.src) && s.src[n] != '/' && s.src[n] != '=' && s.src[n] != '>' &&
			(runes.IsWord(s.src[n]) || blank(s.src, n) == 0) {
			n++
		}
		a := html.Attribute{Key: s.sheet.HidingName(s.src[at:n])}
		if from, to, next := value(s.src, n); next >= 0 {
			a.Val, n = s.src[from:to], next
			if a.Key != "" && strings.Contains(a.Val, "&") {
				a.Val = html.UnescapeString(a.Val)
			}
		}
		if a.Key != "" {
			attrs = append(attrs, a)
		}
		for at = n; at < len(s.src); {
			if size := blank(s.src, at); size > 0 {
				at += size
			} else if s.src[at] == '/' && !strings.HasPrefix(s.src[at:], "/>") {
				at++
			} else {
				break
			}
		}
	}
	s.attrs = attrs
	return attrs, some, at
}

// begins reports whether an attribute can start at a position.
func begins(src string, at int) bool {
	if c := src[at]; c == '/' || c == '>' || blank(src, at) > 0 {
		return false
	}
	switch before := src[at-1]; before {
	case '"', '\'', '/':
		return true
	case ' ', '\n':
		return true
	default:
		r, _ := utf8.DecodeLastRuneInString(src[:at])
		return runes.IsSpace(r)
	}
}

// value parses an attribute value; next is -1 without one.
func value(src string, at int) (from, to, next int) {
	signs := skip(src, at)
	after := signs
	for after < len(src) && src[after] == '=' {
		after++
	}
	if after == signs {
		return 0, 0, -1
	}
	from = skip(src, after)
	if from < len(src) && (src[from] == '"' || src[from] == '\'') {
		if n := strings.IndexByte(src[from+1:], src[from]); n >= 0 {
			return from + 1, from + 1 + n, from + n + 2
		}
		switch { // unterminated quote
		case from > after:
			return after, after, after
		case after-signs < 2:
			return 0, 0, -1
		}
		from = after - 1
	}
	to = from
	for to < len(src) && src[to] != '>' && blank(src, to) == 0 {
		to++
	}
	return from, to, to
}

// skip returns the position after blanks.
func skip(src string, at int) int {
	for at < len(src) {
		size := blank(src, at)
		if size == 0 {
			break
		}
		at += size
	}
	return at
}

// blank returns the length in bytes of the blank at a position, or 0.
func blank(src string, at int) int {
	if c := src[at]; c < utf8.RuneSelf {
		if c == ' ' || c >= '\t' && c <= '\r' || c >= 0x1c && c <= 0x1f {
			return 1
		}
		return 0
	}
	if r, size := utf8.DecodeRuneInString(src[at:]); runes.IsSpace(r) {
		return size
	}
	return 0
}
