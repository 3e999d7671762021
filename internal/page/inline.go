package page

import (
	"net/url"
	"strings"
)

// inliner writes the text of a block as Markdown.
type inliner struct {
	from         *url.URL          // base of links
	escape, cell *strings.Replacer // for addresses and for table cells
}

// block writes the runs of a block.
func (w *inliner) block(b *block, figure bool) string {
	var out strings.Builder
	for i := 0; i < len(b.runs); {
		href := absolute(w.from, b.runs[i].href)
		var text strings.Builder
		for ; i < len(b.runs) && absolute(w.from, b.runs[i].href) == href; i++ {
			text.WriteString(w.run(b.runs[i], figure))
			if href == "" {
				i++
				break
			}
		}
		out.WriteString(w.link(text.String(), href))
	}
	return strings.TrimSpace(out.String())
}

// link writes a link around the text.
func (w *inliner) link(text, href string) string {
	inner := strings.TrimSpace(text)
	if href == "" || inner == "" {
		return text
	}
	before, after, _ := strings.Cut(text, inner)
	return before + "[" + strings.ReplaceAll(inner, "\n", " ") + "](" + w.escape.Replace(href) + ")" + after
}

// picture writes a picture with its link.
func (w *inliner) picture(r run, figure bool) string {
	return w.link(w.image(r, figure), absolute(w.from, r.href))
}

// image writes a picture. One without an alternative text is an ornament, except in
// a figure.
func (w *inliner) image(r run, figure bool) string {
	address := absolute(w.from, r.image)
	if address == "" || r.text == "" && !figure {
		return ""
	}
	return "![" + strings.ReplaceAll(r.text, "]", "\\]") + "](" + w.escape.Replace(address) + ")"
}

// run writes a run: an image, or text with its marks around the non-blank part.
func (w *inliner) run(r run, figure bool) string {
	if r.image != "" {
		return w.image(r, figure)
	}
	inner := strings.TrimSpace(r.text)
	if inner == "" || r.style == 0 || r.style == lineBreak {
		return r.text
	}
	before, after, _ := strings.Cut(r.text, inner)
	return before + marked(inner, r.style) + after
}

// marked writes the marks of a style around a text.
func marked(text string, set style) string {
	if set&code != 0 {
		text = codeSpan(text)
	}
	mark := ""
	if set&bold != 0 {
		mark = "**"
	}
	if set&italic != 0 {
		mark += "*"
	}
	if mark != "" && (set&code != 0 || !strings.Contains(text, "*")) {
		text = mark + text + mark
	}
	if set&deleted != 0 {
		text = "~~" + text + "~~"
	}
	switch {
	case set&raised != 0:
		text = "<sup>" + text + "</sup>"
	case set&lowered != 0:
		text = "<sub>" + text + "</sub>"
	}
	return text
}

// codeSpan writes code between more backticks than it contains in a row.
func codeSpan(text string) string {
	mark := "`"
	for strings.Contains(text, mark) {
		mark += "`"
	}
	if len(mark) > 1 && (text[0] == '`' || text[len(text)-1] == '`') {
		text = " " + text + " "
	}
	return mark + text + mark
}
