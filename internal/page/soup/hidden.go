package soup

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/page/css"
	"techo/internal/page/runes"
)

// maxHead is the number of bytes in which the body begins.
const maxHead = 1 << 20

func hasBody(text string) bool {
	const name = "body"
	for {
		n := strings.IndexByte(text, '<')
		if n < 0 || len(text) <= n+len(name) {
			return false
		}
		if text = text[n+1:]; strings.EqualFold(text[:len(name)], name) {
			return true
		}
	}
}

// impliedBody returns the body of a page that does not have one.
func impliedBody(sheet *css.Sheet) opened {
	root := &html.Node{Type: html.ElementNode, Data: "html", DataAtom: atom.Html}
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body, Parent: root}
	around, _ := sheet.See(root, css.Look{})
	own, _ := sheet.See(body, around)
	return opened{node: body, look: own}
}

// see computes the look of an element that starts, and reports whether it is
// hidden.
func (s *textReader) see(o *opened, attrs []html.Attribute) (hides bool) {
	if s.sheet == nil {
		return false
	}
	up := &s.open[len(s.open)-1]
	o.node = &html.Node{Type: html.ElementNode, Data: o.name, DataAtom: o.tally.atom,
		Attr: slices.Clone(attrs), Parent: up.node}
	if s.sheet.ComparesSiblings() {
		o.node.PrevSibling, up.last = up.last, o.node
	}
	if o.mutes {
		o.look = up.look
		return false
	}
	o.look, hides = s.sheet.See(o.node, up.look)
	o.mutes = hides
	return hides
}

// conceal counts the hidden element that ends.
func (s *textReader) conceal() {
	if s.concealed {
		s.hidden++
	}
	s.concealer = 0
}

// reveal closes a hidden element without an end tag where a browser would, so that
// the next paragraph is not hidden as well.
func (s *textReader) reveal() {
	at := s.concealer
	for i := at; i < len(s.open); i++ {
		switch o := &s.open[i]; o.name {
		case "script", "style", "nav", "footer":
		default:
			o.look = s.open[at-1].look
			if o.mutes {
				o.mutes = false
				s.mute--
			}
		}
	}
	s.conceal()
}

// flush ends the current piece of text.
func (s *textReader) flush() { s.flushKept(s.kept) }

func (s *textReader) flushKept(kept int) {
	if len(s.data) == 0 {
		return
	}
	unseen := s.mute > 0 || s.open[len(s.open)-1].look.Silent
	if unseen && s.concealer == 0 {
		s.data = s.data[:0]
		return
	}
	text := string(s.data)
	s.data = s.data[:0]
	if s.concealer > 0 && unseen {
		s.concealed = s.concealed || strings.TrimFunc(text, runes.IsSpace) != ""
	}
	if unseen || kept > 0 {
		return
	}
	if text = strings.TrimFunc(s.clean(text), runes.IsSpace); text == "" {
		return
	}
	if s.lines.Len() > 0 {
		s.lines.WriteByte('\n')
	}
	s.lines.WriteString(text)
}
