package markdown

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"techo/internal/page/content"
	"techo/internal/page/dom"
	"techo/internal/page/runes"
	"techo/internal/page/view"
)

// inliner writes the text of a block as Markdown.
type inliner struct {
	from         *url.URL          // base of links
	escape, cell *strings.Replacer // for addresses and for table cells
	notes        map[string]string // labels of footnotes by the ids of their texts
}

// block writes the runs of a block. Two line breaks in a row begin a paragraph.
func (w *inliner) block(b *view.Block, figure bool) string {
	var parts []string
	for _, runs := range paragraphsOf(w.joinLinks(w.prepare(b), figure)) {
		if text := trimLines(w.span(runs, figure, view.Bold|view.Italic)); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n\n")
}

// title writes a block of a heading in one line, without marks that all of it has.
// The heading of the page has no links.
func (w *inliner) title(b *view.Block, level int) string {
	runs := w.prepare(b)
	all := shared(runs)
	for i := range runs {
		runs[i].Style &^= all & (view.Bold | view.Italic)
		if level == 1 {
			runs[i].Href = ""
		}
	}
	return strings.Join(strings.Fields(w.span(w.joinLinks(runs, false), false, view.Bold|view.Italic)), " ")
}

// prepare returns the runs of a block with absolute links and escaped text.
func (w *inliner) prepare(b *view.Block) []view.Run {
	runs := make([]view.Run, 0, len(b.Runs))
	e := newEscaper(b)
	for i := range b.Runs {
		r := b.Runs[i]
		if isBackLink(&r) {
			continue
		}
		label := ""
		if strings.HasPrefix(r.Href, "#") && len(w.notes) > 0 && r.Image == "" {
			label = w.notes[r.Href[1:]]
		}
		r.Href = dom.Absolute(w.from, r.Href)
		switch {
		case label != "":
			r.Text, r.Style = "[^"+label+"]", 0
		case r.Image == "" && r.Style&view.Code == 0 && !r.Raw:
			r.Text = e.text(r.Text)
		}
		runs = append(runs, r)
	}
	plainCode(runs)
	plainSize(runs)
	return merged(runs)
}

// merged joins adjacent texts with the same marks.
func merged(runs []view.Run) []view.Run {
	joined := runs[:0]
	for _, r := range runs {
		if n := len(joined) - 1; n >= 0 && r.Image == "" && joined[n].Image == "" && r.Style&view.Code != 0 &&
			joined[n].Style == r.Style && joined[n].Href == r.Href {
			joined[n].Text += r.Text
			continue
		}
		joined = append(joined, r)
	}
	return joined
}

// joinLinks writes links that are partly bold or italic, with these marks
// inside.
func (w *inliner) joinLinks(runs []view.Run, figure bool) []view.Run {
	joined := runs[:0]
	for i := 0; i < len(runs); {
		end, all := i, ^view.Style(0)
		for end < len(runs) && runs[end].Href == runs[i].Href {
			all &= runs[end].Style
			end++
		}
		mixed := false
		for _, r := range runs[i:end] {
			mixed = mixed || r.Style&(view.Bold|view.Italic) != all&(view.Bold|view.Italic)
		}
		if !mixed || runs[i].Href == "" {
			joined = append(joined, runs[i:end]...)
			i = end
			continue
		}
		href := runs[i].Href
		for k := i; k < end; k++ {
			runs[k].Style &^= all & (view.Bold | view.Italic)
			runs[k].Href = ""
		}
		text := w.link(w.span(runs[i:end], figure, view.Bold|view.Italic), href)
		joined = append(joined, view.Run{Text: text, Style: all & (view.Bold | view.Italic), Raw: true})
		i = end
	}
	return joined
}

// isBackLink reports whether a run is the link from a footnote back to the text.
func isBackLink(r *view.Run) bool {
	if !strings.HasPrefix(r.Href, "#") || len(r.Text) > 20 {
		return false
	}
	switch strings.Trim(r.Text, " \n\u00a0\ufe0e\ufe0f") {
	case "↩", "↩1", "↵", "⏎", "^", "↑", "⤴":
		return true
	}
	return false
}

// isBlank reports whether a run has neither text nor an image.
func isBlank(r *view.Run) bool { return r.Image == "" && strings.TrimSpace(r.Text) == "" }

// plainCode removes bold and italic from code that has them only in part.
func plainCode(runs []view.Run) {
	for i := 0; i < len(runs); {
		end, all := i, ^view.Style(0)
		for end < len(runs) && runs[end].Style&view.Code != 0 {
			all &= runs[end].Style
			end++
		}
		for k := i; k < end; k++ {
			runs[k].Style &^= (view.Bold | view.Italic) &^ all
		}
		i = max(end, i+1)
	}
}

// plainSize removes the marks of a block that is raised or lowered as a whole. It is
// in small print.
func plainSize(runs []view.Run) {
	all := shared(runs)
	for i := range runs {
		runs[i].Style &^= all & (view.Raised | view.Lowered)
	}
}

// shared returns the styles that all runs have, blanks apart.
func shared(runs []view.Run) view.Style {
	all := ^view.Style(0)
	for i := range runs {
		if !isBlank(&runs[i]) {
			all &= runs[i].Style
		}
	}
	return all
}

// paragraphsOf splits runs at two or more line breaks.
func paragraphsOf(runs []view.Run) (all [][]view.Run) {
	from, breaks := 0, 0
	for i := range runs {
		switch {
		case runs[i].Style&view.LineBreak != 0:
			breaks++
		case isBlank(&runs[i]):
		default:
			if breaks > 1 {
				all = append(all, runs[from:i])
				from = i
			}
			breaks = 0
		}
	}
	return append(all, runs[from:])
}

// trimLines removes the blanks around each line.
func trimLines(text string) string {
	if !strings.Contains(text, "\n") {
		return strings.TrimSpace(text)
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.Trim(lines[i], " \t")
	}
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	return strings.Join(lines, "\n")
}

// span writes runs with the marks of some styles, bold and italic, and with their
// links. The mark that reaches further is the outer one.
func (w *inliner) span(runs []view.Run, figure bool, marks view.Style) string {
	var out strings.Builder
	for i := 0; i < len(runs); {
		outer, end := view.Style(0), i
		for _, one := range [...]view.Style{view.Bold, view.Italic} {
			if e := extent(runs, i, one&marks); e > end {
				outer, end = one, e
			}
		}
		if outer == 0 {
			for end < len(runs) && runs[end].Style&marks == 0 {
				end++
			}
			out.WriteString(w.links(runs[i:end], figure))
			i = end
			continue
		}
		mark := "*"
		if outer == view.Bold {
			mark = "**"
		}
		emphasize(&out, w.span(runs[i:end], figure, marks&^outer), mark, runs[i:end], runs[end:])
		i = end
	}
	return out.String()
}

// extent returns the end of the runs from i on that have a style.
func extent(runs []view.Run, i int, mark view.Style) int {
	for i < len(runs) && runs[i].Style&mark != 0 {
		i++
	}
	return i
}

func (w *inliner) links(runs []view.Run, figure bool) string {
	var out strings.Builder
	for i := 0; i < len(runs); {
		end := i + 1
		for k := i + 1; k < len(runs) && runs[i].Href != ""; k++ {
			if runs[k].Href == runs[i].Href {
				end = k + 1
			} else if !isBlank(&runs[k]) {
				break
			}
		}
		var text strings.Builder
		for k := i; k < end; k++ {
			text.WriteString(w.run(&runs[k], figure))
		}
		out.WriteString(w.link(text.String(), runs[i].Href))
		i = end
	}
	return out.String()
}

func (w *inliner) link(text, href string) string {
	inner := strings.TrimSpace(text)
	if href == "" || inner == "" {
		return text
	}
	before, after, _ := strings.Cut(text, inner)
	if inner == href {
		return before + "<" + href + ">" + after
	}
	return before + "[" + balanced(strings.ReplaceAll(inner, "\n", " ")) + "](" + w.escape.Replace(href) + ")" + after
}

// image writes a picture. One without an alternative text is an ornament, except in
// a figure.
func (w *inliner) image(r *view.Run, figure bool) string {
	address := dom.Absolute(w.from, r.Image)
	if address == "" || r.Text == "" && !figure {
		return ""
	}
	return "![" + balanced(r.Text) + "](" + w.escape.Replace(address) + ")"
}

// run writes a run: an image, or text with the marks that stand inside of links.
func (w *inliner) run(r *view.Run, figure bool) string {
	if r.Image != "" {
		return w.image(r, figure)
	}
	inner := strings.TrimSpace(r.Text)
	if inner == "" || r.Style&(view.Code|view.Deleted|view.Raised|view.Lowered) == 0 {
		return r.Text
	}
	before, after, _ := strings.Cut(r.Text, inner)
	if r.Style&view.Code != 0 {
		inner = codeSpan(inner)
	}
	if r.Style&view.Deleted != 0 {
		inner = "~~" + inner + "~~"
	}
	switch {
	case r.Style&view.Raised != 0:
		inner = "<sup>" + inner + "</sup>"
	case r.Style&view.Lowered != 0:
		inner = "<sub>" + inner + "</sub>"
	}
	return before + inner + after
}

// emphasize writes marks around the non-blank part of a text. Markdown does not read
// marks between punctuation and a letter, so punctuation moves out of them there.
func emphasize(out *strings.Builder, text, mark string, runs, rest []view.Run) {
	inner := strings.TrimSpace(text)
	if inner == "" {
		out.WriteString(text)
		return
	}
	before, after, _ := strings.Cut(text, inner)
	last, _ := utf8.DecodeLastRuneInString(out.String())
	if before == "" && runes.IsWordRune(last) && isPlain(&runs[0]) {
		inner, before = cutPunctuation(inner, true)
	}
	if after == "" && isPlain(&runs[len(runs)-1]) && len(rest) > 0 && rest[0].Image == "" {
		if next, _ := utf8.DecodeRuneInString(rest[0].Text); runes.IsWordRune(next) {
			inner, after = cutPunctuation(inner, false)
		}
	}
	if inner == "" {
		mark = ""
	}
	out.WriteString(before + mark + inner + mark + after)
}

// isPlain reports whether a run is text without marks inside bold or italic.
func isPlain(r *view.Run) bool {
	return r.Image == "" && r.Href == "" && !r.Raw && r.Style&(view.Code|view.Deleted|view.Raised|view.Lowered) == 0
}

// cutPunctuation cuts the punctuation off one end of a text. It leaves marks and
// escapes alone.
func cutPunctuation(text string, start bool) (rest, cut string) {
	rest = text
	for rest != "" {
		r, size := utf8.DecodeLastRuneInString(rest)
		if start {
			r, size = utf8.DecodeRuneInString(rest)
		}
		escaped := !start && strings.HasSuffix(rest, `\`+string(r))
		if !unicode.IsPunct(r) || strings.ContainsRune("*_\\`", r) || escaped {
			break
		}
		if start {
			rest = rest[size:]
		} else {
			rest = rest[:len(rest)-size]
		}
	}
	if start {
		return rest, text[:len(text)-len(rest)]
	}
	return rest, text[len(rest):]
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

// Image is an image of a page.
type Image struct {
	Alt string `json:"alt"`
	URL string `json:"url"`
}

// Images returns the images of a part of a page with absolute addresses, without
// duplicates.
func Images(c *content.Content, from *url.URL) []Image {
	all, seen := []Image{}, map[string]bool{}
	m := newWriter(c, from)
	add := func(r view.Run) {
		if address := dom.Absolute(m.inline.from, r.Image); address != "" && !seen[address] {
			seen[address] = true
			all = append(all, Image{r.Text, address})
		}
	}
	for i := range len(c.Keep) + 1 {
		m.eachPicture(i, func(r view.Run, _ bool) { add(r) })
		if i < len(c.Keep) && m.part.keep[i] {
			for _, r := range c.Outline.Blocks[i].Runs {
				if r.Image != "" {
					add(r)
				}
			}
		}
	}
	return all
}
