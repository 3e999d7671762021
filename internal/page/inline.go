package page

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// inliner writes the text of a block as Markdown.
type inliner struct {
	from         *url.URL          // base of links
	escape, cell *strings.Replacer // for addresses and for table cells
	notes        map[string]string // labels of footnotes by the ids of their texts
}

// block writes the runs of a block. Two line breaks in a row begin a paragraph.
func (w *inliner) block(b *block, figure bool) string {
	var parts []string
	for _, runs := range paragraphsOf(w.joinLinks(w.prepare(b), figure)) {
		if text := trimLines(w.span(runs, figure, bold|italic)); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n\n")
}

// title writes a block of a heading in one line, without marks that all of it has.
// The heading of the page has no links.
func (w *inliner) title(b *block, level int) string {
	runs := w.prepare(b)
	all := ^style(0)
	for i := range runs {
		if !isBlank(&runs[i]) {
			all &= runs[i].style
		}
	}
	for i := range runs {
		runs[i].style &^= all & (bold | italic)
		if level == 1 {
			runs[i].href = ""
		}
	}
	return strings.Join(strings.Fields(w.span(w.joinLinks(runs, false), false, bold|italic)), " ")
}

// prepare returns the runs of a block with absolute links and escaped text.
func (w *inliner) prepare(b *block) []run {
	runs := make([]run, 0, len(b.runs))
	e := newEscaper(b)
	for i := range b.runs {
		r := b.runs[i]
		if isBackLink(&r) {
			continue
		}
		label := ""
		if strings.HasPrefix(r.href, "#") && len(w.notes) > 0 && r.image == "" {
			label = w.notes[r.href[1:]]
		}
		r.href = absolute(w.from, r.href)
		switch {
		case label != "":
			r.text, r.style = "[^"+label+"]", 0
		case r.image == "" && r.style&code == 0:
			r.text = e.text(r.text)
		}
		runs = append(runs, r)
	}
	plainCode(runs)
	plainSize(runs)
	return merged(runs)
}

// merged joins adjacent texts with the same marks.
func merged(runs []run) []run {
	joined := runs[:0]
	for _, r := range runs {
		if n := len(joined) - 1; n >= 0 && r.image == "" && joined[n].image == "" && r.style&code != 0 &&
			joined[n].style == r.style && joined[n].href == r.href {
			joined[n].text += r.text
			continue
		}
		joined = append(joined, r)
	}
	return joined
}

// joinLinks writes links that are partly bold or italic, with these marks
// inside.
func (w *inliner) joinLinks(runs []run, figure bool) []run {
	joined := runs[:0]
	for i := 0; i < len(runs); {
		end, all := i, ^style(0)
		for end < len(runs) && runs[end].href == runs[i].href {
			all &= runs[end].style
			end++
		}
		mixed := false
		for _, r := range runs[i:end] {
			mixed = mixed || r.style&(bold|italic) != all&(bold|italic)
		}
		if !mixed || runs[i].href == "" {
			joined = append(joined, runs[i:end]...)
			i = end
			continue
		}
		href := runs[i].href
		for k := i; k < end; k++ {
			runs[k].style &^= all & (bold | italic)
			runs[k].href = ""
		}
		text := w.link(w.span(runs[i:end], figure, bold|italic), href)
		joined = append(joined, run{text: text, style: all & (bold | italic), raw: true})
		i = end
	}
	return joined
}

// isBackLink reports whether a run is the link from a footnote back to the text.
func isBackLink(r *run) bool {
	if !strings.HasPrefix(r.href, "#") || len(r.text) > 20 {
		return false
	}
	switch strings.Trim(r.text, " \n\u00a0\ufe0e\ufe0f") {
	case "↩", "↩1", "↵", "⏎", "^", "↑", "⤴":
		return true
	}
	return false
}

// isBlank reports whether a run has neither text nor an image.
func isBlank(r *run) bool { return r.image == "" && strings.TrimSpace(r.text) == "" }

// plainCode removes bold and italic from code that has them only in part.
func plainCode(runs []run) {
	for i := 0; i < len(runs); {
		end, all := i, ^style(0)
		for end < len(runs) && runs[end].style&code != 0 {
			all &= runs[end].style
			end++
		}
		for k := i; k < end; k++ {
			runs[k].style &^= (bold | italic) &^ all
		}
		i = max(end, i+1)
	}
}

// plainSize removes the marks of a block that is raised or lowered as a whole. It is
// in small print.
func plainSize(runs []run) {
	all := ^style(0)
	for i := range runs {
		if !isBlank(&runs[i]) {
			all &= runs[i].style
		}
	}
	for i := range runs {
		runs[i].style &^= all & (raised | lowered)
	}
}

// paragraphsOf splits runs at two or more line breaks.
func paragraphsOf(runs []run) (all [][]run) {
	from, breaks := 0, 0
	for i := range runs {
		switch {
		case runs[i].style&lineBreak != 0:
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
func (w *inliner) span(runs []run, figure bool, marks style) string {
	var out strings.Builder
	for i := 0; i < len(runs); {
		outer, end := style(0), i
		for _, one := range [...]style{bold, italic} {
			if e := extent(runs, i, one&marks); e > end {
				outer, end = one, e
			}
		}
		if outer == 0 {
			for end < len(runs) && runs[end].style&marks == 0 {
				end++
			}
			out.WriteString(w.links(runs[i:end], figure))
			i = end
			continue
		}
		mark := "*"
		if outer == bold {
			mark = "**"
		}
		emphasize(&out, w.span(runs[i:end], figure, marks&^outer), mark, runs[i:end], runs[end:])
		i = end
	}
	return out.String()
}

// extent returns the end of the runs from i on that have a style.
func extent(runs []run, i int, mark style) int {
	for i < len(runs) && runs[i].style&mark != 0 {
		i++
	}
	return i
}

// links writes runs with their links.
func (w *inliner) links(runs []run, figure bool) string {
	var out strings.Builder
	for i := 0; i < len(runs); {
		end := i + 1
		for k := i + 1; k < len(runs) && runs[i].href != ""; k++ {
			if runs[k].href == runs[i].href {
				end = k + 1
			} else if !isBlank(&runs[k]) {
				break
			}
		}
		var text strings.Builder
		for k := i; k < end; k++ {
			text.WriteString(w.run(&runs[k], figure))
		}
		out.WriteString(w.link(text.String(), runs[i].href))
		i = end
	}
	return out.String()
}

// link writes a link around the text.
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

// picture writes a picture with its link.
func (w *inliner) picture(r run, figure bool) string {
	return w.link(w.image(&r, figure), absolute(w.from, r.href))
}

// isLogo reports whether a picture links to the start page of a site.
func (w *inliner) isLogo(r run) bool {
	return isStart(w.from, r.href)
}

// image writes a picture. One without an alternative text is an ornament, except in
// a figure.
func (w *inliner) image(r *run, figure bool) string {
	address := absolute(w.from, r.image)
	if address == "" || r.text == "" && !figure {
		return ""
	}
	return "![" + balanced(r.text) + "](" + w.escape.Replace(address) + ")"
}

// run writes a run: an image, or text with the marks that stand inside of links.
func (w *inliner) run(r *run, figure bool) string {
	if r.image != "" {
		return w.image(r, figure)
	}
	inner := strings.TrimSpace(r.text)
	if inner == "" || r.style&(code|deleted|raised|lowered) == 0 {
		return r.text
	}
	before, after, _ := strings.Cut(r.text, inner)
	if r.style&code != 0 {
		inner = codeSpan(inner)
	}
	if r.style&deleted != 0 {
		inner = "~~" + inner + "~~"
	}
	switch {
	case r.style&raised != 0:
		inner = "<sup>" + inner + "</sup>"
	case r.style&lowered != 0:
		inner = "<sub>" + inner + "</sub>"
	}
	return before + inner + after
}

// emphasize writes marks around the non-blank part of a text. Markdown does not read
// marks between punctuation and a letter, so punctuation moves out of them there.
func emphasize(out *strings.Builder, text, mark string, runs, rest []run) {
	inner := strings.TrimSpace(text)
	if inner == "" {
		out.WriteString(text)
		return
	}
	before, after, _ := strings.Cut(text, inner)
	last, _ := utf8.DecodeLastRuneInString(out.String())
	if before == "" && isWordRune(last) && isPlain(&runs[0]) {
		inner, before = cutPunctuation(inner, true)
	}
	if after == "" && isPlain(&runs[len(runs)-1]) && len(rest) > 0 && rest[0].image == "" {
		if next, _ := utf8.DecodeRuneInString(rest[0].text); isWordRune(next) {
			inner, after = cutPunctuation(inner, false)
		}
	}
	if inner == "" {
		mark = ""
	}
	out.WriteString(before + mark + inner + mark + after)
}

// isPlain reports whether a run is text without marks inside bold or italic.
func isPlain(r *run) bool {
	return r.image == "" && r.href == "" && !r.raw && r.style&(code|deleted|raised|lowered) == 0
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

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
