package ignore

import "bytes"

// outcome is the result of matching a pattern. Besides yes and no it limits
// backtracking, which keeps patterns with many stars from taking exponential time.
type outcome int8

const (
	no       outcome = iota
	yes              //
	tooShort         // the text ended: no star can help by matching more
	noFolder         // this path element ended: only ** can help by matching more
)

// glob reports whether text matches pattern: ? is one byte, * any number of bytes,
// [] a class, and a backslash quotes the next byte. If m.path is set, none of them
// matches a slash, and ** as a whole element matches any number of elements.
func glob(pattern string, text []byte, m globber) bool { return m.match(pattern, 0, text) == yes }

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

func upper(c byte) byte {
	if c >= 'a' && c <= 'z' {
		c -= 'a' - 'A'
	}
	return c
}

type globber struct {
	path bool
	fold bool // the text is in lower case, and capitals of the pattern match it
}

func (m globber) match(pattern string, p int, text []byte) outcome {
	for ; p < len(pattern); p++ {
		c := pattern[p]
		if c == '*' {
			return m.star(pattern, p, text)
		}
		if len(text) == 0 {
			return tooShort
		}
		switch c {
		case '?':
			if m.path && text[0] == '/' {
				return no
			}
		case '[':
			in, next := m.class(pattern, p+1, text[0])
			if next < 0 {
				return tooShort // the class is never closed
			}
			if !in || m.path && text[0] == '/' {
				return no
			}
			p = next
		case '\\':
			if p++; p == len(pattern) {
				return no
			}
			c = pattern[p]
			if c != text[0] { // git does not fold it
				return no
			}
		default:
			if c != text[0] && !(m.fold && lower(c) == text[0]) {
				return no
			}
		}
		text = text[1:]
	}
	if len(text) > 0 {
		return no
	}
	return yes
}

func (m globber) star(pattern string, p int, text []byte) outcome {
	begin := p
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	rest := pattern[p:]
	slashes := !m.path
	if m.path && p-begin > 1 && (begin == 0 || pattern[begin-1] == '/') &&
		(rest == "" || rest[0] == '/' || len(rest) > 1 && rest[0] == '\\' && rest[1] == '/') {
		slashes = true
		// ** may match no element: foo/**/bar matches foo/bar.
		if rest != "" && rest[0] == '/' && m.match(pattern, p+1, text) == yes {
			return yes
		}
	}
	switch {
	case rest == "" && !slashes && bytes.IndexByte(text, '/') >= 0:
		return noFolder
	case rest == "":
		return yes
	case !slashes && rest[0] == '/':
		// A single star at the end matches the rest of the element.
		slash := bytes.IndexByte(text, '/')
		if slash < 0 {
			return tooShort
		}
		return m.match(pattern, p+1, text[slash+1:])
	}
	for ; ; text = text[1:] {
		switch o := m.match(pattern, p, text); {
		case o == no:
			if !slashes && len(text) > 0 && text[0] == '/' {
				return noFolder
			}
		case !slashes || o != noFolder:
			return o
		}
		if len(text) == 0 {
			return tooShort
		}
	}
}

// class reports whether b is in the bracket expression that starts at p, after the
// bracket. end is the offset of the closing bracket, or -1 if it is missing.
func (m globber) class(pattern string, p int, b byte) (in bool, end int) {
	not := p < len(pattern) && (pattern[p] == '!' || pattern[p] == '^')
	if not {
		p++
	}
	before := byte(0) // possible start of a range
	for first := true; ; first = false {
		if p >= len(pattern) {
			return false, -1
		}
		c := pattern[p]
		switch {
		case c == ']' && !first:
			return in != not, p
		case c == '-' && before != 0 && p+1 < len(pattern) && pattern[p+1] != ']':
			if p++; pattern[p] == '\\' {
				if p++; p == len(pattern) {
					return false, -1
				}
			}
			in = in || before <= b && b <= pattern[p]
			if up := upper(b); m.fold && before <= up && up <= pattern[p] {
				in = true
			}
			c = 0
		case c == '[' && p+1 < len(pattern) && pattern[p+1] == ':':
			named, next, ok := namedClass(pattern, p+2, b)
			if m.fold && !named {
				named, _, _ = namedClass(pattern, p+2, upper(b))
			}
			switch {
			case next < 0:
				return false, -1
			case !ok: // an ordinary bracket
				in = in || b == '['
			default:
				in = in || named
				p, c = next, 0
			}
		default:
			if c == '\\' {
				if p++; p == len(pattern) {
					return false, -1
				}
				c = pattern[p]
			}
			in = in || b == c
		}
		before = c
		p++
	}
}

// namedClass parses [:name:], starting after the first colon. ok is false if it is
// not a named class; end is -1 if the whole pattern is invalid.
func namedClass(pattern string, p int, b byte) (in bool, end int, ok bool) {
	close := bytes.IndexByte([]byte(pattern[p:]), ']')
	if close < 0 {
		return false, -1, false
	}
	end = p + close
	if close == 0 || pattern[end-1] != ':' {
		return false, p, false
	}
	letter := b|0x20 >= 'a' && b|0x20 <= 'z'
	digit := b >= '0' && b <= '9'
	switch pattern[p : end-1] {
	case "alnum":
		in = letter || digit
	case "alpha":
		in = letter
	case "blank":
		in = b == ' ' || b == '\t'
	case "cntrl":
		in = b < ' ' || b == 0x7f
	case "digit":
		in = digit
	case "graph":
		in = b > ' ' && b < 0x7f
	case "lower":
		in = b >= 'a' && b <= 'z'
	case "print":
		in = b >= ' ' && b < 0x7f
	case "punct":
		in = b > ' ' && b < 0x7f && !letter && !digit
	case "space":
		in = b == ' ' || b >= '\t' && b <= '\r'
	case "upper":
		in = b >= 'A' && b <= 'Z'
	case "xdigit":
		in = digit || letter && b|0x20 <= 'f'
	default:
		return false, -1, false
	}
	return in, end, true
}
