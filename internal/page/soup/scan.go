package soup

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/page/runes"
)

// scanner splits HTML into the same tokens as html.Tokenizer, but copies nothing. It
// stops at a tag without an end.
type scanner struct {
	source string
	to     int    // end of the last token
	raw    string // the element whose text is not markup, "" outside of one
}

// token is a piece of the source.
type token struct {
	kind       html.TokenType // ErrorToken at the end
	from, to   int
	name       atom.Atom
	named      int // end of the name of a tag
	attributes int // of a start tag, repeated ones included
}

func (s *scanner) next() token {
	t := token{from: s.to, to: s.to}
	if s.raw != "" {
		t.to = s.rawEnd()
		if s.raw = ""; t.to > t.from {
			t.kind = html.TextToken
			s.to = t.to
			return t
		}
	}
	at := s.markup(t.from)
	switch {
	case at == t.from && at < len(s.source):
		s.mark(&t)
	case at > t.from:
		t.kind, t.to = html.TextToken, at
	}
	s.to = max(t.to, s.to)
	return t
}

// markup returns the position of the next tag or comment, or the length of the
// source.
func (s *scanner) markup(at int) int {
	for {
		n := strings.IndexByte(s.source[at:], '<')
		if n < 0 || at+n+1 == len(s.source) {
			return len(s.source)
		}
		at += n
		if c := s.source[at+1]; runes.IsLetter(c) || c == '!' || c == '?' || c == '/' {
			return at
		}
		at++
	}
}

// mark reads a tag or comment.
func (s *scanner) mark(t *token) {
	begin := t.from + 1
	switch c := s.source[begin]; {
	case s.source[begin:] == "/":
		t.kind, t.to = html.TextToken, len(s.source)
		return
	case runes.IsLetter(c):
		t.kind = html.StartTagToken
	case c == '/' && runes.IsLetter(s.source[begin+1]):
		t.kind = html.EndTagToken
		begin++
	case strings.HasPrefix(s.source[begin:], "!--"):
		t.kind, t.to = html.CommentToken, s.commentEnd(begin+3)
		return
	default:
		t.kind, t.to = html.CommentToken, len(s.source)
		if end := strings.IndexByte(s.source[begin:], '>'); end >= 0 {
			t.to = begin + end + 1
		}
		return
	}
	end := begin
	for end < len(s.source) && endings[s.source[end]]&endsTagName == 0 {
		end++
	}
	name := s.source[begin:end]
	t.name, t.named = lookup(name), end
	if t.to, t.attributes = s.tagEnd(end); t.to < 0 {
		t.kind, t.to = html.ErrorToken, len(s.source)
		return
	}
	if t.kind == html.StartTagToken && isRaw(t.name) {
		s.raw = strings.ToLower(name)
	}
}

// lookup returns the atom of a name in letters of any case.
func lookup(name string) atom.Atom {
	const longest = 24 // longer than all names
	var lower [longest]byte
	if len(name) > longest {
		return 0
	}
	for i := 0; i < len(name); i++ {
		if lower[i] = name[i]; name[i] >= 'A' && name[i] <= 'Z' {
			lower[i] |= 0x20
		}
	}
	return atom.Lookup(lower[:len(name)])
}

// isRaw reports whether the text of an element is not markup.
func isRaw(a atom.Atom) bool {
	switch a {
	case atom.Iframe, atom.Noembed, atom.Noframes, atom.Noscript, atom.Plaintext, atom.Script, atom.Style,
		atom.Textarea, atom.Title, atom.Xmp:
		return true
	}
	return false
}

// tagEnd returns the end of a tag whose name ends at a position, or -1 without an
// end, and the number of its attributes.
func (s *scanner) tagEnd(at int) (end, attributes int) {
	for {
		if at = s.skipSpace(at); at == len(s.source) {
			return -1, attributes
		}
		if s.source[at] == '>' {
			return at + 1, attributes
		}
		a := s.attribute(at)
		if a.named > at {
			attributes++
		}
		if at = a.end; at == len(s.source) {
			return -1, attributes
		}
	}
}

// attribute is a part of a tag.
type attribute struct {
	named    int // end of the name
	from, to int // the value
	end      int // of the attribute
}

// attribute reads the attribute at a position.
func (s *scanner) attribute(at int) (a attribute) {
	if at < len(s.source) && s.source[at] == '=' {
		at++ // a part of the name
	}
	for at < len(s.source) && endings[s.source[at]] == 0 {
		at++
	}
	a.named = at
	if at = s.skipSpace(at); at == len(s.source) {
		a.end = at
		return a
	}
	switch s.source[at] {
	case '/':
		at++
	case '=':
		a.from = s.skipSpace(at + 1)
		at = s.valueEnd(a.from)
		if a.to = at; a.from < at && (s.source[a.from] == '"' || s.source[a.from] == '\'') {
			a.from, a.to = a.from+1, max(a.from+1, at-1)
		}
	}
	a.end = at
	return a
}

// valueEnd returns the end of the value of an attribute.
func (s *scanner) valueEnd(at int) int {
	if at == len(s.source) {
		return at
	}
	if c := s.source[at]; c == '"' || c == '\'' {
		n := strings.IndexByte(s.source[at+1:], c)
		if n < 0 {
			return len(s.source)
		}
		return at + n + 2
	}
	for at < len(s.source) && !runes.IsGap(s.source[at]) && s.source[at] != '>' {
		at++
	}
	return at
}

func (s *scanner) skipSpace(at int) int {
	for at < len(s.source) && runes.IsGap(s.source[at]) {
		at++
	}
	return at
}

// endings has the characters that end a name in a tag.
var endings = [256]uint8{' ': endsTagName, '\n': endsTagName, '\r': endsTagName, '\t': endsTagName, '\f': endsTagName,
	'/': endsTagName, '>': endsTagName, '=': endsAttributeName}

const (
	endsTagName       = 1 // or of an attribute
	endsAttributeName = 2
)

// commentEnd returns the end of a comment whose text begins at a position.
func (s *scanner) commentEnd(at int) int {
	if strings.HasPrefix(s.source[at:], ">") {
		return at + 1
	}
	if strings.HasPrefix(s.source[at:], "->") {
		return at + 2
	}
	for {
		n := strings.Index(s.source[at:], "--")
		if n < 0 {
			return len(s.source)
		}
		at += n + 2
		rest := strings.TrimLeft(s.source[at:], "-")
		switch {
		case strings.HasPrefix(rest, ">"):
			return len(s.source) - len(rest) + 1
		case strings.HasPrefix(rest, "!>"):
			return len(s.source) - len(rest) + 2
		}
		at = len(s.source) - len(rest)
	}
}

// rawEnd returns the end of text that is not markup.
func (s *scanner) rawEnd() int {
	if s.raw == "plaintext" {
		return len(s.source)
	}
	for at := s.to; ; {
		n := strings.Index(s.source[at:], "</")
		if n < 0 {
			n = len(s.source) - at
		}
		if s.raw == "script" && strings.Contains(s.source[at:at+n], "<!--") {
			return s.escapedEnd()
		}
		if at += n; at == len(s.source) {
			return at
		}
		name := at + 2
		end := name + len(s.raw)
		if end < len(s.source) && strings.EqualFold(s.source[name:end], s.raw) &&
			(runes.IsGap(s.source[end]) || s.source[end] == '/' || s.source[end] == '>') {
			return at
		}
		at = name
	}
}

// escapedEnd returns the end of a script with a comment, which can contain tags of
// scripts.
func (s *scanner) escapedEnd() int {
	const tag = "<script>"
	z := html.NewTokenizer(strings.NewReader(tag + s.source[s.to:]))
	z.Next()
	if z.Next() != html.TextToken {
		return s.to
	}
	return s.to + len(z.Raw())
}
