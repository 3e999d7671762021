package page

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// maxLabel is the length of the label of a footnote in bytes.
const maxLabel = 20

// notesOf returns the labels of the footnotes of the content by the ids of their
// texts: list items to which a raised link in the text leads.
func notesOf(c *Content) map[string]string {
	o := c.outliner
	var notes map[string]string
	for i, kept := range c.keep {
		if !kept {
			continue
		}
		for _, r := range o.blocks[i].runs {
			if r.style&raised == 0 || !strings.HasPrefix(r.href, "#") || r.image != "" {
				continue
			}
			if label := labelOf(r.text); label != "" && notes[r.href[1:]] == "" {
				if notes == nil {
					notes = map[string]string{}
				}
				notes[r.href[1:]] = label
			}
		}
	}
	if notes == nil {
		return nil
	}
	found := map[string]string{}
	for e := range o.elems {
		n := o.elems[e].node
		if n.DataAtom != atom.Li {
			continue
		}
		id := attr(n, "id")
		if label := notes[id]; label != "" && keepsAny(c.keep[o.elems[e].first:o.elems[e].last]) {
			found[id] = label
		}
	}
	return found
}

func keepsAny(keep []bool) bool {
	for _, kept := range keep {
		if kept {
			return true
		}
	}
	return false
}

// labelOf returns the label in the link to a footnote, or "".
func labelOf(text string) string {
	label := strings.Trim(text, " \n[]()")
	if label == "" || len(label) > maxLabel {
		return ""
	}
	for _, r := range label {
		if !isWordRune(r) && r != '-' {
			return ""
		}
	}
	return label
}
