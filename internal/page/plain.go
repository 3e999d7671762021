package page

// Plain returns the same text as this Python program with html.parser:
//
//	for tag in soup(["script", "style", "nav", "footer"]): tag.decompose()
//	soup.get_text(separator="\n", strip=True)
//
// Each piece of text is on a line of its own, the title first. Unlike the
// program, Plain leaves out and counts elements that a browser would hide.
func (p *Page) Plain() string {
	p.Removed.Invisible = 0 // the title's characters were counted already
	p.styles.matcher = matcher{left: p.styles.steps}
	text, hidden := readSoup(p.source, &p.styles, p.clean)
	p.Cut = p.Cut || p.styles.matcher.spent
	p.Removed.Hidden = hidden
	return text
}
