package markdown

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"techo/internal/page/content"
	"techo/internal/page/dom"
	"techo/internal/page/runes"
	"techo/internal/page/traits"
	"techo/internal/page/view"
)

// maxLabel is the length of the label of a footnote in bytes.
const maxLabel = 20

// notesOf returns the labels of the footnotes of the content by the ids of their
// texts: list items and notes to which a raised link in the text leads.
func notesOf(c *content.Content) map[string]string {
	o := c.Outline
	notes := map[string]string{}
	for i, kept := range c.Keep {
		if !kept {
			continue
		}
		for _, r := range o.Blocks[i].Runs {
			if r.Style&view.Raised == 0 || !strings.HasPrefix(r.Href, "#") || r.Image != "" {
				continue
			}
			if label := labelOf(r.Text); label != "" && notes[r.Href[1:]] == "" {
				notes[r.Href[1:]] = label
			}
		}
	}
	if len(notes) == 0 {
		return nil
	}
	found := map[string]string{}
	for e := range o.Elems {
		n := o.Elems[e].Node
		if n.DataAtom != atom.Li && !traits.AreNotes(n) {
			continue
		}
		id := dom.Attr(n, "id")
		if label := notes[id]; label != "" && slices.Contains(c.Keep[o.Elems[e].First:o.Elems[e].Last], true) {
			found[id] = label
		}
	}
	return found
}

// note writes a footnote that is no item of a list, without the label at its begin.
func (m *writer) note(at, indent int, label string, out *passage) {
	e := &m.part.outline.Elems[at]
	for i := e.First; i < e.Last; i++ {
		if m.part.keep[i] {
			m.part.keep[i] = labelOf(m.part.outline.Blocks[i].Text) != label
			break
		}
	}
	var inside passage
	m.flow(at, indent, &inside)
	if inside.Len() > 0 {
		out.add(prefixed(inside.String(), "[^"+label+"]: ", "    "), false)
	}
}

// labelOf returns the label in the link to a footnote, or "".
func labelOf(text string) string {
	label := strings.Trim(text, " \n[]()")
	if label == "" || len(label) > maxLabel {
		return ""
	}
	for _, r := range label {
		if !runes.IsWordRune(r) && r != '-' {
			return ""
		}
	}
	return label
}
