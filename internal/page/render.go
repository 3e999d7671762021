package page

import (
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"
)

// Heading is a heading of a page.
type Heading struct {
	Level int    `json:"level"` // 1 to 6
	Text  string `json:"text"`
}

// Link is a link of a page.
type Link struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

// Whole returns everything that a page shows.
func (p *Page) Whole() *Content {
	o := p.outline()
	c := &Content{Quality: 1, outliner: o, keep: make([]bool, len(o.blocks))}
	for i := range c.keep {
		c.keep[i] = true
	}
	return c
}

// Text returns the content as plain text: blocks are separated by blank lines,
// list items and table cells are not.
func (c *Content) Text() string {
	var b strings.Builder
	last := -1
	for i, k := range c.keep {
		if !k {
			continue
		}
		if last >= 0 {
			b.WriteString(c.outliner.between(last, i))
		}
		b.WriteString(c.outliner.blocks[i].text)
		last = i
	}
	for _, text := range c.descriptions {
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(text)
	}
	return b.String()
}

// between returns the separator of two blocks.
func (o *outliner) between(a, b int) string {
	if row := o.above(b, atom.Tr); row >= 0 && row == o.above(a, atom.Tr) {
		return "\t"
	}
	x, y := &o.elems[o.blocks[a].elem], &o.elems[o.blocks[b].elem]
	for _, kind := range []atom.Atom{atom.Li, atom.Td, atom.Th, atom.Dt, atom.Dd} {
		if y.node.DataAtom == kind && x.traits&(inList|inTable) != 0 &&
			x.traits&(inList|inTable) == y.traits&(inList|inTable) {
			return "\n"
		}
	}
	return "\n\n"
}

// above returns the nearest enclosing element of one of the kinds, or -1.
func (o *outliner) above(block int, kinds ...atom.Atom) int {
	for e := o.blocks[block].elem; e >= 0; e = o.elems[e].parent {
		o.page.work++
		for _, kind := range kinds {
			if o.elems[e].node.DataAtom == kind {
				return e
			}
		}
	}
	return -1
}

// Headings returns the headings of the content, in order.
func (c *Content) Headings() []Heading {
	all := []Heading{}
	for i, k := range c.keep {
		if level := c.level(i); k && level > 0 {
			all = append(all, Heading{level, strings.Join(strings.Fields(c.outliner.blocks[i].text), " ")})
		}
	}
	return all
}

// level returns the heading level of a block, 0 if it is not a heading.
func (c *Content) level(i int) int {
	o := c.outliner
	for e := o.blocks[i].elem; e >= 0; e = o.elems[e].parent {
		o.page.work++
		if level := headingLevel(o.elems[e].node.DataAtom); level > 0 {
			return level
		}
		if o.elems[e].traits&inHeading == 0 {
			return 0
		}
	}
	return 0
}

// Links returns the links of the content with absolute addresses, without
// duplicates.
func (c *Content) Links(from *url.URL) []Link {
	all := []Link{}
	at := map[string]int{}
	base := c.base(from)
	for i, k := range c.keep {
		if !k {
			continue
		}
		for _, r := range c.outliner.blocks[i].runs {
			address := absolute(base, r.href)
			if address == "" || r.style&lineBreak != 0 {
				continue
			}
			text := strings.TrimSpace(r.text)
			if n, ok := at[address]; ok {
				if all[n].Text == "" {
					all[n].Text = text
				}
				continue
			}
			at[address] = len(all)
			all = append(all, Link{text, address})
		}
	}
	return all
}

// base returns the base of relative links.
func (c *Content) base(from *url.URL) *url.URL {
	if declared := c.outliner.page.base; declared != "" {
		if base, err := from.Parse(declared); err == nil {
			return base
		}
	}
	return from
}

// absolute resolves an address. It returns "" if the result cannot be fetched.
func absolute(base *url.URL, href string) string {
	href = strings.TrimSpace(href)
	if href == "" || href[0] == '#' {
		return ""
	}
	u, err := base.Parse(href)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "mailto" {
		return ""
	}
	return u.String()
}

// Markdown returns the content as Markdown with absolute links.
func (c *Content) Markdown(from *url.URL) string {
	m := &markdown{
		Content: c, from: c.base(from), last: -1, layout: map[int]bool{},
		escape: strings.NewReplacer("(", "%28", ")", "%29", " ", "%20"), // a replacer takes 6 KB
		cell:   strings.NewReplacer("\n", " ", "|", "\\|"),
	}
	for i := 0; i < len(c.keep); i++ {
		if !c.keep[i] {
			continue
		}
		if end := m.table(i); end > i {
			i = end - 1
			continue
		}
		m.block(i)
	}
	for _, text := range c.descriptions {
		m.gap("\n\n")
		m.WriteString(text)
	}
	return m.String()
}

// markdown is the state of the Markdown renderer.
type markdown struct {
	strings.Builder
	*Content
	from *url.URL
	last int // the previous block, or -1

	escape, cell *strings.Replacer // for addresses and for table cells

	layout map[int]bool // tables used for layout only
}

func (m *markdown) gap(text string) {
	if m.Len() > 0 {
		m.WriteString(text)
	}
}

func (m *markdown) block(i int) {
	o := m.outliner
	b := &o.blocks[i]
	indent, mark := "", ""
	if item := o.above(i, atom.Li); item >= 0 {
		depth := 0
		for e := item; e >= 0; e = o.elems[e].parent {
			if a := o.elems[e].node.DataAtom; a == atom.Ul || a == atom.Ol || a == atom.Menu {
				depth++
			}
		}
		indent = strings.Repeat("  ", max(depth-1, 0))
		if o.elems[item].first == i {
			mark = m.bullet(item)
		} else {
			indent += "  "
		}
	}
	close := mark != "" && m.last >= 0 && o.above(m.last, atom.Li) >= 0
	if close {
		m.gap("\n")
	} else {
		m.gap("\n\n")
	}
	m.last = i
	quote := ""
	if o.elems[b.elem].traits&inQuote != 0 {
		quote = "> "
	}
	switch level := m.level(i); {
	case o.elems[b.elem].traits&inPre != 0:
		fence := "```"
		for strings.Contains(b.text, fence) {
			fence += "`"
		}
		m.lines(indent+quote, mark, fence+"\n"+b.text+"\n"+fence)
	case level > 0:
		m.lines(indent+quote, mark, strings.Repeat("#", level)+" "+strings.ReplaceAll(m.inline(b), "\n", " "))
	default:
		m.lines(indent+quote, mark, m.inline(b))
	}
}

// bullet returns the marker of a list item.
func (m *markdown) bullet(item int) string {
	o := m.outliner
	list := o.elems[item].parent
	if list < 0 || o.elems[list].node.DataAtom != atom.Ol {
		return "- "
	}
	n := 1
	for e := item - 1; e > list; e-- {
		o.page.work++
		if o.elems[e].parent == list && o.elems[e].node.DataAtom == atom.Li {
			if n++; n > 500 {
				break // cap the number, so that long lists are not recounted for each item
			}
		}
	}
	return strconv.Itoa(n) + ". "
}

// lines writes a text of several lines with a marker and a common indentation.
func (m *markdown) lines(indent, mark, text string) {
	for n, line := range strings.Split(text, "\n") {
		if n > 0 {
			m.WriteString("\n")
			mark = strings.Repeat(" ", len(mark))
		}
		m.WriteString(indent + mark + line)
	}
}

// inline writes the runs of a block.
func (m *markdown) inline(b *block) string {
	var out strings.Builder
	for i := 0; i < len(b.runs); {
		href := absolute(m.from, b.runs[i].href)
		var text strings.Builder
		for ; i < len(b.runs) && absolute(m.from, b.runs[i].href) == href; i++ {
			text.WriteString(m.run(b.runs[i]))
			if href == "" {
				i++
				break
			}
		}
		if href == "" || strings.TrimSpace(text.String()) == "" {
			out.WriteString(text.String())
			continue
		}
		label := text.String()
		inner := strings.TrimSpace(label)
		before, after, _ := strings.Cut(label, inner)
		out.WriteString(before + "[" + strings.ReplaceAll(inner, "\n", " ") + "](" + m.escape.Replace(href) + ")" +
			after)
	}
	return strings.TrimSpace(out.String())
}

// run writes a run: an image, or text with its marks around the non-blank part.
func (m *markdown) run(r run) string {
	if r.image != "" {
		if address := absolute(m.from, r.image); address != "" && r.text != "" {
			return "![" + r.text + "](" + address + ")"
		}
		return ""
	}
	mark := ""
	switch {
	case r.style&code != 0:
		mark = "`"
	case r.style&bold != 0:
		mark = "**"
	case r.style&italic != 0:
		mark = "*"
	}
	inner := strings.TrimSpace(r.text)
	if mark == "" || inner == "" || strings.Contains(inner, mark) {
		return r.text
	}
	before, after, _ := strings.Cut(r.text, inner)
	return before + mark + inner + mark + after
}

// table writes the table that starts at block i and returns the block after it. It
// returns i if the table is used for layout or is not a table.
func (m *markdown) table(i int) int {
	o := m.outliner
	at := o.above(i, atom.Table)
	if at < 0 || m.layout[at] || o.elems[o.blocks[i].elem].traits&inPre != 0 {
		return i
	}
	m.layout[at] = true // until shown otherwise
	end := i
	var rows [][]string
	row, cell := -1, -1
	wide := 0
	for ; end < min(o.elems[at].last, len(m.keep)); end++ {
		if o.above(end, atom.Table) != at {
			return i
		}
		if !m.keep[end] {
			continue
		}
		r, c := o.above(end, atom.Tr), o.above(end, atom.Td, atom.Th)
		if r < 0 || c < 0 {
			if end == i {
				return i // a caption
			}
			break
		}
		text := m.cell.Replace(m.inline(&o.blocks[end]))
		switch {
		case r != row:
			rows = append(rows, []string{text})
		case c != cell:
			rows[len(rows)-1] = append(rows[len(rows)-1], text)
		default:
			rows[len(rows)-1][len(rows[len(rows)-1])-1] += " " + text
		}
		row, cell = r, c
		wide = max(wide, len(rows[len(rows)-1]))
	}
	if wide < 2 {
		return i
	}
	m.layout[at] = false
	m.gap("\n\n")
	for n, r := range rows {
		if n > 0 {
			m.WriteString("\n")
		}
		for len(r) < wide {
			r = append(r, "")
		}
		m.WriteString("| " + strings.Join(r, " | ") + " |")
		if n == 0 {
			m.WriteString("\n" + strings.Repeat("|---", wide) + "|")
		}
	}
	m.last = end - 1
	return end
}
