package soup

import (
	"strings"

	"golang.org/x/net/html/atom"

	"techo/internal/page/dom"
	"techo/internal/page/runes"
)

// isEmpty reports whether an element never has contents.
func isEmpty(name string) bool {
	switch name {
	case "area", "base", "br", "col", "embed", "hr", "img", "input", "keygen", "link", "menuitem", "meta", "param",
		"source", "track", "wbr",
		"basefont", "bgsound", "command", "frame", "image", "isindex", "nextid", "spacer":
		return true
	}
	return false
}

// ends reports whether the start of an element closes another one implicitly, by
// their names.
func ends(name, next string) bool {
	switch name {
	case "p":
		return next == "p" || dom.IsBlock(atom.Lookup([]byte(next))) && !strings.HasPrefix(next, "t") &&
			next != "button" &&
			next != "caption" || next == "table"
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

// holds reports whether an element keeps an enclosing element with an optional end
// tag open.
func holds(name string) bool {
	switch name {
	case "table", "ul", "ol", "dl", "menu", "select", "button", "object", "template", "caption", "svg", "math":
		return true
	}
	return false
}

// nameLength returns the length of the tag name that starts a text.
func nameLength(text string) (n int) {
	for n < len(text) && !runes.IsGap(text[n]) && text[n] != '/' && text[n] != '>' && text[n] != 0 {
		n++
	}
	return n
}
