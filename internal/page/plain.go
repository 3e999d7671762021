package page

// Plain returns every piece of text on a line of its own, the title first,
// without scripts, styles, navigation and footers, to the letter as
//
//	for tag in soup(["script", "style", "nav", "footer"]): tag.decompose()
//	soup.get_text(separator="\n", strip=True)
//
// does in Python with html.parser. What a browser would hide is left out too,
// and counted.
func (p *Page) Plain() string {
	p.Removed.Invisible = 0 // the title's characters were counted already
	text, hidden := readSoup(p.source, isHidden, p.clean)
	p.Removed.Hidden = hidden
	return text
}
