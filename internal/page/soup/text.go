package soup

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/page/css"
	"techo/internal/page/runes"
)

// textReader reads a page like Python's html.parser with Beautiful Soup, which differs
// from browsers: an element stays open until an end tag with its name or an
// enclosing name, and every tag, comment or instruction ends a piece of text. The
// running time is linear for any nesting.
//
// Where versions of Python differ, or lose the rest of the page after an error,
// textReader follows browsers: an unclosed comment hides the rest, "&#" without a number
// is text, an unknown "<![…" is a comment.
type textReader struct {
	src   string
	last  int        // position of the last ">", or -1
	sheet *css.Sheet // nil: nothing is hidden
	clean func(string) string

	open    []opened
	tallies map[string]*tally // by name
	attrs   []html.Attribute  // a buffer

	data  []byte // the current piece of text
	lines strings.Builder

	mute      int           // open elements whose text is dropped
	kept      int           // open elements whose text Beautiful Soup treats specially
	concealer int           // stack index of the outermost hidden element, or 0
	barriers  int           // elements inside it that keep it open
	concealed bool          // the hidden element has text
	hidden    int           // hidden elements with text
	scansLeft int           // remaining start tags that may scan to the end of the page without success
	unclosed  map[bool]bool // unclosed marked sections, by whether two brackets end them
}

type tally struct {
	atom   atom.Atom
	open   int
	closed int // unexpected end tags of void elements
}

type opened struct {
	name  string
	tally *tally
	mutes bool // its text is dropped: scripts, navigation, hidden elements
	keeps bool // ruby and templates, whose strings get_text skips

	node *html.Node // with the parents, without children
	last *html.Node // the last child so far, if rules depend on siblings
	look css.Look
}

// Text returns the text of a page and the number of hidden elements with text.
func Text(source string, sheet *css.Sheet, clean func(string) string) (text string, hidden int) {
	s := &textReader{src: source, last: strings.LastIndexByte(source, '>'), sheet: sheet, clean: clean, scansLeft: 4,
		open: []opened{{}}, tallies: map[string]*tally{}, unclosed: map[bool]bool{}}
	if sheet != nil && !hasBody(source[:min(len(source), maxHead)]) {
		s.open[0] = impliedBody(sheet)
	}
	s.lines.Grow(len(source) / 4)
	s.read()
	s.flush()
	s.pop(1)
	return s.lines.String(), s.hidden
}

// read processes the source from one piece of markup to the next.
func (s *textReader) read() {
	tag := -1 // the next "<"
	for i := 0; i < len(s.src); {
		if tag < i {
			if tag = strings.IndexByte(s.src[i:], '<') + i; tag < i {
				tag = len(s.src)
			}
		}
		to := tag
		if n := strings.IndexByte(s.src[i:tag], '&'); n >= 0 {
			to = i + n
		}
		s.data = append(s.data, s.src[i:to]...)
		if i = to; i == len(s.src) {
			return
		}
		if s.src[i] == '&' {
			i = s.reference(i)
			continue
		}
		next := s.markup(i)
		if next < 0 { // unfinished markup: text up to the next possible markup
			next = s.after(i)
			s.data = append(s.data, s.src[i:next]...)
		}
		i = next
	}
}

// after returns the position at which to continue after unfinished markup.
func (s *textReader) after(i int) int {
	if i < s.last {
		return i + 1 + strings.IndexByte(s.src[i+1:], '>') + 1
	}
	if n := strings.IndexByte(s.src[i+1:], '<'); n >= 0 {
		return i + 1 + n
	}
	return i + 1
}

// markup reads markup that starts with "<" and returns its end, or -1 if it is
// unfinished.
func (s *textReader) markup(i int) int {
	rest := s.src[i+1:]
	switch {
	case rest == "":
	case runes.IsLetter(rest[0]):
		return s.startTag(i)
	case rest[0] == '/':
		return s.endTag(i)
	case strings.HasPrefix(rest, "!--"):
		s.flush()
		return s.comment(i + 4)
	case strings.HasPrefix(rest, "!["):
		return s.section(i)
	case rest[0] == '?', rest[0] == '!':
		return s.bogus(i + 2)
	}
	s.data = append(s.data, "<"...)
	return i + 1
}

// comment returns the end of a comment: "--", blanks, ">".
func (s *textReader) comment(i int) int {
	for {
		n := strings.Index(s.src[i:], "--")
		if n < 0 {
			return len(s.src)
		}
		end := i + n + 2
		end += len(s.src[end:]) - len(strings.TrimLeftFunc(s.src[end:], runes.IsSpace))
		if end < len(s.src) && s.src[end] == '>' {
			return end + 1
		}
		i += n + 1
	}
}

// bogus skips to the next ">".
func (s *textReader) bogus(i int) int {
	if i > s.last {
		return -1
	}
	s.flush()
	return i + strings.IndexByte(s.src[i:], '>') + 1
}

// section reads a marked section. The contents of CDATA are text.
func (s *textReader) section(i int) int {
	name := s.src[i+3:]
	n := 0
	for n < len(name) && (runes.IsLetter(name[n]) || n > 0 && strings.IndexByte("-_.0123456789", name[n]) >= 0) {
		n++
	}
	twice := false
	switch strings.ToLower(name[:n]) {
	case "temp", "cdata", "ignore", "include", "rcdata":
		twice = true
	case "if", "else", "endif":
	default:
		return s.bogus(i + 2)
	}
	start, end := s.bracket(i+3, twice)
	if end < 0 {
		return -1
	}
	s.flush()
	if text := s.src[i+3 : start]; len(text) >= 6 && strings.EqualFold(text[:6], "CDATA[") {
		s.data = append(s.data, text[6:]...)
		s.flushKept(0)
	}
	return end
}

// bracket finds "]" or "]]", followed by ">", with optional blanks.
func (s *textReader) bracket(i int, twice bool) (start, end int) {
	for ; i <= s.last && !s.unclosed[twice]; i++ {
		n := strings.IndexByte(s.src[i:], ']')
		if n < 0 {
			break
		}
		i += n
		rest := strings.TrimLeftFunc(s.src[i+1:], runes.IsSpace)
		if twice {
			var ok bool
			if rest, ok = strings.CutPrefix(rest, "]"); !ok {
				continue
			}
			rest = strings.TrimLeftFunc(rest, runes.IsSpace)
		}
		if strings.HasPrefix(rest, ">") {
			return i, len(s.src) - len(rest) + 1
		}
	}
	s.unclosed[twice] = true // later searches will fail, too
	return -1, -1
}

func (s *textReader) reference(i int) int {
	rest := s.src[i+1:]
	n := 0
	if strings.HasPrefix(rest, "#") {
		hex := len(rest) > 1 && rest[1]|0x20 == 'x'
		if n = 1; hex {
			n = 2
		}
		digits := n
		for n < len(rest) && runes.IsDigit(rest[n], hex) {
			n++
		}
		if n == digits || n < len(rest) && runes.IsDigit(rest[n], true) {
			s.data = append(s.data, "&#"...)
			return i + 2
		}
		text := html.UnescapeString("&" + rest[:n] + ";")
		if strings.Trim(rest[digits:n], "0") == "" {
			text = "\x00"
		}
		s.data = append(s.data, text...)
		return afterReference(s.src, i+1+n)
	}
	for n < len(rest) && (runes.IsLetter(rest[n]) || n > 0 && (runes.IsDigit(rest[n], false) || rest[n] == '-' ||
		rest[n] == '.')) {
		n++
	}
	for n > 0 && n == len(rest) && (rest[n-1] == '-' || rest[n-1] == '.') {
		n-- // html.parser does not include the last character of the page
	}
	if n == 0 {
		s.data = append(s.data, "&"...)
		return i + 1
	}
	s.data = append(s.data, entity(rest[:n])...)
	return afterReference(s.src, i+1+n)
}

// afterReference returns the end of a reference whose name ends at i.
func afterReference(src string, i int) int {
	if i < len(src) && src[i] == ';' {
		i++
	}
	return i
}

// entity returns the character of a named reference. Unknown names are kept
// without the semicolon.
func entity(name string) string {
	text := html.UnescapeString("&" + name + ";")
	if strings.HasSuffix(text, ";") && name != "semi" {
		return "&" + name
	}
	return text
}

func (s *textReader) endTag(i int) int {
	if i+2 > s.last {
		return -1
	}
	name, n := s.src[i+2:], 0
	for n < len(name) && runes.IsLetter(name[n]) {
		n++
	}
	if n > 0 && n < len(name) && name[n] == '>' { // as usual
		s.end(strings.ToLower(name[:n]))
		return i + 2 + n + 1
	}
	name, n = strings.TrimLeftFunc(name, runes.IsSpace), 0
	for n < len(name) && (runes.IsLetter(name[n]) || n > 0 &&
		(runes.IsDigit(name[n], false) || strings.IndexByte("-.:_", name[n]) >= 0)) {
		n++
	}
	if rest := strings.TrimLeftFunc(name[n:], runes.IsSpace); n > 0 && strings.HasPrefix(rest, ">") {
		s.end(strings.ToLower(name[:n]))
		return len(s.src) - len(rest) + 1
	}
	if !runes.IsLetter(s.src[i+2]) {
		if s.src[i+2] == '>' {
			return i + 3
		}
		return s.bogus(i + 2)
	}
	stop := i + 2 + nameLength(s.src[i+2:])
	s.end(strings.ToLower(s.src[i+2 : stop]))
	return stop + strings.IndexByte(s.src[stop:], '>') + 1
}

// end closes the innermost element with a name, and all elements in it.
func (s *textReader) end(name string) {
	t := s.tallies[name]
	if t != nil && t.closed > 0 {
		t.closed--
		return
	}
	s.flush()
	if t == nil || t.open == 0 {
		return
	}
	at := len(s.open) - 1
	for s.open[at].name != name {
		at--
	}
	s.pop(at)
}

// pop closes the elements from a stack index on.
func (s *textReader) pop(at int) {
	for i := len(s.open) - 1; i >= at; i-- {
		o := &s.open[i]
		o.tally.open--
		if o.mutes {
			s.mute--
		}
		if o.keeps {
			s.kept--
		}
		switch {
		case i == s.concealer:
			s.conceal()
		case s.concealer > 0 && holds(o.name):
			s.barriers--
		}
	}
	s.open = s.open[:at]
}

func (s *textReader) start(name string, attrs []html.Attribute, closes bool) {
	s.flush()
	if s.concealer > 0 && s.barriers == 0 && ends(s.open[s.concealer].name, name) {
		s.reveal()
	}
	t := s.tallies[name]
	if t == nil {
		t = &tally{atom: atom.Lookup([]byte(name))}
		s.tallies[name] = t
	}
	o := opened{name: name, tally: t}
	switch name {
	case "script", "style", "nav", "footer":
		o.mutes = true
	case "rt", "rp", "template":
		o.keeps = true
	}
	hides := s.see(&o, attrs)
	s.open = append(s.open, o)
	t.open++
	if o.mutes {
		s.mute++
	}
	if o.keeps {
		s.kept++
	}
	switch {
	case s.concealer == 0 && (hides || o.look.Silent && !s.open[len(s.open)-2].look.Silent):
		s.concealer, s.barriers, s.concealed = len(s.open)-1, 0, false
	case s.concealer > 0 && holds(name):
		s.barriers++
	}
	switch {
	case closes:
		s.end(name)
	case isEmpty(name):
		s.pop(len(s.open) - 1)
		t.closed++
	}
}
