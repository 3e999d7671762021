package page

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// soup reads a page as Python's html.parser and Beautiful Soup do, which is
// not what browsers do: a tag opens an element until an end tag of its name or
// of one around it, and each tag, comment or instruction ends a piece of text.
// It takes time in proportion to the page, however that is nested.
//
// Where versions of Python differ, or lose what follows a fault, it goes with
// browsers: a comment without an end hides the rest, "&#" that is no number is
// text, an unknown "<![…" is a comment.
type soup struct {
	src   string
	last  int // the place of the last ">", -1 for none
	hides func(*html.Node) bool
	clean func(string) string

	open   []opened
	counts map[string]int // how many are open, by name
	closed map[string]int // end tags of empty elements that need none

	data  strings.Builder // the piece of text that is read
	lines strings.Builder

	mute      int           // open elements whose text is left out
	kept      int           // open elements in which text is of a kind of its own
	concealer int           // the place of the outermost hidden element, 0 for none
	barriers  int           // elements in it that keep it open
	concealed bool          // it has text
	hidden    int           // hidden elements that had text
	patience  int           // start tags that may run to the end of the page in vain
	unclosed  map[bool]bool // marked sections without an end, by whether that is two brackets
}

// opened is an element that is open.
type opened struct {
	name  string
	mutes bool // nothing of it is text: scripts, what is around, what is hidden
	keeps bool // ruby and templates: their strings are no plain ones
}

// readSoup returns the text of a page, and how many hidden elements had any.
func readSoup(source string, hides func(*html.Node) bool, clean func(string) string) (text string, hidden int) {
	s := &soup{src: source, last: strings.LastIndexByte(source, '>'), hides: hides, clean: clean, patience: 4,
		open: []opened{{}}, counts: map[string]int{}, closed: map[string]int{}, unclosed: map[bool]bool{}}
	s.lines.Grow(len(source) / 4)
	s.read()
	s.flush()
	s.pop(1)
	return s.lines.String(), s.hidden
}

// read goes through the source, from one piece of markup to the next.
func (s *soup) read() {
	for i := 0; i < len(s.src); {
		j := strings.IndexAny(s.src[i:], "<&")
		if j < 0 {
			s.data.WriteString(s.src[i:])
			return
		}
		s.data.WriteString(s.src[i : i+j])
		i += j
		if s.src[i] == '&' {
			i = s.reference(i)
			continue
		}
		next := s.markup(i)
		if next < 0 { // broken off: text to the next place where something may begin
			next = s.after(i)
			s.data.WriteString(s.src[i:next])
		}
		i = next
	}
}

// after is where reading goes on behind markup that has no end.
func (s *soup) after(i int) int {
	if i < s.last {
		return i + 1 + strings.IndexByte(s.src[i+1:], '>') + 1
	}
	if n := strings.IndexByte(s.src[i+1:], '<'); n >= 0 {
		return i + 1 + n
	}
	return i + 1
}

// markup reads what begins with "<" and returns where it ends, -1 when it
// does not.
func (s *soup) markup(i int) int {
	rest := s.src[i+1:]
	switch {
	case rest == "":
	case isLetter(rest[0]):
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
	s.data.WriteByte('<')
	return i + 1
}

// comment finds the end of a comment, "--", blanks, ">".
func (s *soup) comment(i int) int {
	for {
		n := strings.Index(s.src[i:], "--")
		if n < 0 {
			return len(s.src)
		}
		end := i + n + 2
		end += len(s.src[end:]) - len(strings.TrimLeftFunc(s.src[end:], isSpace))
		if end < len(s.src) && s.src[end] == '>' {
			return end + 1
		}
		i += n + 1
	}
}

// bogus passes over what ends at the next ">".
func (s *soup) bogus(i int) int {
	if i > s.last {
		return -1
	}
	s.flush()
	return i + strings.IndexByte(s.src[i:], '>') + 1
}

// section reads a marked section: text in CDATA is text.
func (s *soup) section(i int) int {
	name := s.src[i+3:]
	n := 0
	for n < len(name) && (isLetter(name[n]) || n > 0 && strings.IndexByte("-_.0123456789", name[n]) >= 0) {
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
		s.data.WriteString(text[6:])
		s.flushKept(0)
	}
	return end
}

// bracket finds "]", once or twice, and ">", with blanks between them.
func (s *soup) bracket(i int, twice bool) (start, end int) {
	for ; i <= s.last && !s.unclosed[twice]; i++ {
		n := strings.IndexByte(s.src[i:], ']')
		if n < 0 {
			break
		}
		i += n
		rest := strings.TrimLeftFunc(s.src[i+1:], isSpace)
		if twice {
			var ok bool
			if rest, ok = strings.CutPrefix(rest, "]"); !ok {
				continue
			}
			rest = strings.TrimLeftFunc(rest, isSpace)
		}
		if strings.HasPrefix(rest, ">") {
			return i, len(s.src) - len(rest) + 1
		}
	}
	s.unclosed[twice] = true // and so is what comes later
	return -1, -1
}

// reference reads what begins with "&".
func (s *soup) reference(i int) int {
	rest := s.src[i+1:]
	n := 0
	if strings.HasPrefix(rest, "#") {
		hex := len(rest) > 1 && rest[1]|0x20 == 'x'
		if n = 1; hex {
			n = 2
		}
		digits := n
		for n < len(rest) && isDigit(rest[n], hex) {
			n++
		}
		if n == digits || n < len(rest) && isDigit(rest[n], true) {
			s.data.WriteString("&#")
			return i + 2
		}
		text := html.UnescapeString("&" + rest[:n] + ";")
		if strings.Trim(rest[digits:n], "0") == "" {
			text = "\x00"
		}
		s.data.WriteString(text)
		return s.afterReference(i + 1 + n)
	}
	for n < len(rest) && (isLetter(rest[n]) || n > 0 && (isDigit(rest[n], false) || rest[n] == '-' || rest[n] == '.')) {
		n++
	}
	for n > 0 && n == len(rest) && (rest[n-1] == '-' || rest[n-1] == '.') {
		n-- // the name ends before the last character of the page
	}
	if n == 0 {
		s.data.WriteByte('&')
		return i + 1
	}
	s.data.WriteString(entity(rest[:n]))
	return s.afterReference(i + 1 + n)
}

func (s *soup) afterReference(i int) int {
	if i < len(s.src) && s.src[i] == ';' {
		i++
	}
	return i
}

// entity is the character of a name. An unknown name stays, without its end.
func entity(name string) string {
	text := html.UnescapeString("&" + name + ";")
	if strings.HasSuffix(text, ";") && name != "semi" {
		return "&" + name
	}
	return text
}

// endTag reads an end tag.
func (s *soup) endTag(i int) int {
	if i+2 > s.last {
		return -1
	}
	name := strings.TrimLeftFunc(s.src[i+2:], isSpace)
	n := 0
	for n < len(name) && (isLetter(name[n]) || n > 0 && (isDigit(name[n], false) || strings.IndexByte("-.:_", name[n]) >= 0)) {
		n++
	}
	if rest := strings.TrimLeftFunc(name[n:], isSpace); n > 0 && strings.HasPrefix(rest, ">") {
		s.end(strings.ToLower(name[:n]))
		return len(s.src) - len(rest) + 1
	}
	if !isLetter(s.src[i+2]) {
		if s.src[i+2] == '>' {
			return i + 3
		}
		return s.bogus(i + 2)
	}
	stop := i + 2 + nameLength(s.src[i+2:])
	s.end(strings.ToLower(s.src[i+2 : stop]))
	return stop + strings.IndexByte(s.src[stop:], '>') + 1
}

// end ends the innermost element of a name, and all in it.
func (s *soup) end(name string) {
	if s.closed[name] > 0 {
		s.closed[name]--
		return
	}
	s.flush()
	if s.counts[name] == 0 {
		return
	}
	at := len(s.open) - 1
	for s.open[at].name != name {
		at--
	}
	s.pop(at)
}

// pop closes the elements from a place in the stack on.
func (s *soup) pop(at int) {
	for i := len(s.open) - 1; i >= at; i-- {
		o := s.open[i]
		s.counts[o.name]--
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

// start begins an element.
func (s *soup) start(name string, attrs []html.Attribute, closes bool) {
	s.flush()
	if s.concealer > 0 && s.barriers == 0 && ends(s.open[s.concealer].name, name) {
		s.reveal()
	}
	o := opened{name: name}
	switch name {
	case "script", "style", "nav", "footer":
		o.mutes = true
	case "rt", "rp", "template":
		o.keeps = true
	}
	n := html.Node{Type: html.ElementNode, Data: name, DataAtom: atom.Lookup([]byte(name)), Attr: attrs}
	hides := !o.mutes && name != "body" && name != "html" && s.hides(&n) // a whole page is hidden until its scripts have run
	o.mutes = o.mutes || hides
	s.open = append(s.open, o)
	s.counts[name]++
	if o.mutes {
		s.mute++
	}
	if o.keeps {
		s.kept++
	}
	switch {
	case hides && s.concealer == 0:
		s.concealer, s.barriers, s.concealed = len(s.open)-1, 0, false
	case s.concealer > 0 && holds(name):
		s.barriers++
	}
	switch {
	case closes:
		s.end(name)
	case isEmpty(name):
		s.pop(len(s.open) - 1)
		s.closed[name]++
	}
}

// conceal counts the hidden element that ends.
func (s *soup) conceal() {
	if s.concealed {
		s.hidden++
	}
	s.concealer = 0
}

// reveal ends the hidden element where a browser does, though its end tag is
// missing: the next paragraph is not hidden because the last one was.
func (s *soup) reveal() {
	at := s.concealer
	for i := at; i < len(s.open); i++ {
		switch o := &s.open[i]; o.name {
		case "script", "style", "nav", "footer":
		default:
			if o.mutes {
				o.mutes = false
				s.mute--
			}
		}
	}
	s.conceal()
}

// flush ends the piece of text that is read.
func (s *soup) flush() { s.flushKept(s.kept) }

func (s *soup) flushKept(kept int) {
	if s.data.Len() == 0 {
		return
	}
	text := s.data.String()
	s.data.Reset()
	if s.concealer > 0 {
		s.concealed = s.concealed || strings.TrimFunc(text, isSpace) != ""
	}
	if s.mute > 0 || kept > 0 {
		return
	}
	if text = strings.TrimFunc(s.clean(text), isSpace); text == "" {
		return
	}
	if s.lines.Len() > 0 {
		s.lines.WriteByte('\n')
	}
	s.lines.WriteString(text)
}

// isEmpty reports whether an element never has anything in it.
func isEmpty(name string) bool {
	switch name {
	case "area", "base", "br", "col", "embed", "hr", "img", "input", "keygen", "link", "menuitem", "meta", "param", "source", "track", "wbr",
		"basefont", "bgsound", "command", "frame", "image", "isindex", "nextid", "spacer":
		return true
	}
	return false
}

// ends reports whether a browser ends an element, by its name, where another
// begins.
func ends(name, next string) bool {
	switch name {
	case "p":
		return next == "p" || isBlock(atom.Lookup([]byte(next))) && !strings.HasPrefix(next, "t") && next != "button" && next != "caption" || next == "table"
	case "li", "tr":
		return next == name
	case "dt", "dd":
		return next == "dt" || next == "dd"
	case "td", "th":
		return next == "td" || next == "th" || next == "tr"
	case "option", "optgroup":
		return next == "option" && name == "option" || next == "optgroup"
	case "thead", "tbody", "tfoot":
		return next == "tbody" || next == "tfoot"
	}
	return false
}

// holds reports whether an element, within one that needs no end tag, keeps
// that open.
func holds(name string) bool {
	switch name {
	case "table", "ul", "ol", "dl", "menu", "select", "button", "object", "template", "caption", "svg", "math":
		return true
	}
	return false
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

func isDigit(b byte, hex bool) bool {
	return b >= '0' && b <= '9' || hex && b|0x20 >= 'a' && b|0x20 <= 'f'
}

// isSpace is Python's notion of a blank.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// nameLength is how long the name of a tag is.
func nameLength(text string) int {
	if n := strings.IndexAny(text, "\t\n\r\f />\x00"); n >= 0 {
		return n
	}
	return len(text)
}
