package web

import (
	"strings"

	"techo/internal/page"
	"techo/tools"
)

// Text returns the page's text, or the reason why it has none, followed by the lists.
func (o FetchedPage) Text(env *tools.Env) string {
	text := o.Page
	if text == "" {
		text = o.Message
		if o.Hint != "" {
			text += "\n" + o.Hint
		}
	}
	if o.Truncated && !o.marked && !o.exact {
		text += cutMark
	}
	text += linkLines(o.Links) + linkLines(o.Related)
	for i, image := range o.Images {
		if i == 0 {
			text += "\n"
		}
		text += "\n- " + image.Alt + " " + image.URL
	}
	for _, c := range o.Comments {
		text += "\n\n" + strings.TrimSpace(c.Author+" "+c.Date) + "\n" + c.Text
	}
	return text
}

// linkLines returns links with a blank line before them, one a line.
func linkLines(links []page.Link) (lines string) {
	for i, l := range links {
		if i == 0 {
			lines = "\n"
		}
		lines += "\n- " + l.Text + " " + l.URL
	}
	return lines
}
