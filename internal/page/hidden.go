package page

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// isHidden reports whether the attributes of an element hide it.
func isHidden(n *html.Node) bool {
	if n.DataAtom == atom.Template {
		return true
	}
	hidden := false
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			hidden = a.Val != "until-found"
		case "aria-hidden":
			hidden = hidden || strings.EqualFold(a.Val, "true")
		case "style":
			if hidesByStyle(a.Val) {
				return true
			}
		case "id":
			// React streams late content in such an element and moves it into place with a
			// script.
			if strings.HasPrefix(a.Val, "S:") && n.DataAtom == atom.Div {
				return false
			}
		}
	}
	return hidden && n.DataAtom != atom.Body && n.DataAtom != atom.Html
}

// hidesByStyle reports whether a style attribute hides its element.
func hidesByStyle(style string) bool {
	if len(style) < 8 {
		return false
	}
	absolute, away, clear, moving := false, false, false, false
	for declaration := range strings.SplitSeq(strings.ToLower(style), ";") {
		name, value, _ := strings.Cut(declaration, ":")
		value = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "!important"))
		switch strings.TrimSpace(name) {
		case "display":
			if value == "none" {
				return true
			}
		case "visibility":
			if value == "hidden" || value == "collapse" {
				return true
			}
		case "font-size":
			if isZero(value) {
				return true
			}
		case "opacity":
			clear = isZero(value)
		case "transform", "translate", "transition", "animation", "animation-name", "will-change":
			moving = true // a transition will show it
		case "position":
			absolute = value == "absolute" || value == "fixed"
		case "left", "top", "right", "bottom", "text-indent", "margin-left":
			away = away || isFarAway(value)
		case "clip":
			away = away || strings.HasPrefix(strings.ReplaceAll(value, " ", ""), "rect(0") ||
				strings.HasPrefix(value, "rect(1px")
		}
	}
	return clear && !moving || away && (absolute || strings.Contains(style, "text-indent"))
}

func isZero(value string) bool {
	number := strings.TrimRight(value, "abcdefghijklmnopqrstuvwxyz%")
	return number != "" && strings.Trim(number, "0.") == ""
}

// isFarAway reports whether a length places an element off the screen.
func isFarAway(value string) bool {
	digits, ok := strings.CutPrefix(value, "-")
	if !ok {
		return false
	}
	n := 0
	for _, r := range digits {
		if r < '0' || r > '9' {
			break
		}
		n = min(n*10+int(r-'0'), 100_000)
	}
	return n >= 999
}

// hide records a hidden element. Possible panels of tabs and the like are
// reconsidered when all controls of the page are known.
func (p *Page) hide(n *html.Node, chrome bool) {
	p.hidden[n] = true
	if !p.hasText(n) {
		return
	}
	p.Removed.Hidden++
	if !chrome && n.DataAtom != atom.Template {
		p.folded = append(p.folded, n)
	}
}

// unfold shows the panels of tabs, accordions and carousels, which a reader opens
// with a click. Elements hidden within a panel stay hidden.
func (p *Page) unfold() {
	for i := 0; i < len(p.folded); i++ { // unfolding adds nested panels
		n := p.folded[i]
		if !p.opens(n) {
			continue
		}
		delete(p.hidden, n)
		p.Removed.Hidden--
		p.look(n, false)
	}
	p.folded, p.opened = nil, nil
}

// opens reports whether a control opens a hidden element.
func (p *Page) opens(n *html.Node) bool {
	t := traitsOf(n)
	if t&(namedDialog|namedMenu|namedCookie|namedCart|namedHidden|namedFilter|inNav|inFooter|inForm) != 0 {
		return false
	}
	return t&namedPanel != 0 || p.opened[attr(n, "id")]
}

// control records the panel that a control opens.
func (p *Page) control(n *html.Node) {
	for _, a := range n.Attr {
		switch a.Key {
		case "aria-controls", "data-target", "data-bs-target", "href":
			id := strings.TrimPrefix(a.Val, "#")
			if id == "" || a.Key == "href" &&
				(id == a.Val || attr(n, "role") != "tab" && attr(n, "data-toggle")+attr(n, "data-bs-toggle") == "") {
				continue
			}
			if p.opened == nil {
				p.opened = map[string]bool{}
			}
			p.opened[id] = true
		}
	}
}

// isChrome reports whether an element surrounds the content: navigation, footer
// and the like.
func isChrome(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Nav, atom.Footer, atom.Aside, atom.Dialog:
		return true
	}
	return false
}
