package web

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"techo/internal/nearest"
	"techo/internal/page"
	"techo/tools"
)

// view is what of a document a caller wants to see.
type view struct {
	env  *tools.Env
	in   FetchIn
	find *regexp.Regexp

	fragment string // of the address, which is not sent
	marks    bool   // a cut is marked in the text
}

func newView(env *tools.Env, in FetchIn) (*view, error) {
	v := &view{env: env, in: in}
	if in.Find == "" {
		return v, nil
	}
	var err error
	if v.find, err = regexp.Compile(in.Find); err != nil {
		message := env.Say(tools.Say{EN: "find is not a regular expression: %v", JA: "find が正規表現として正しくありません: %v"}, err)
		e := env.Fail(tools.InvalidInput, tools.Say{EN: "%s", JA: "%s"}, message)
		e.Details = []tools.Detail{{Path: "/find", Message: message}}
		return nil, e
	}
	return v, nil
}

// cutMark is the last line of a text that goes on.
const cutMark = "\n... (truncated)"

// show puts a document into the result: in its format, the part of it that is
// wanted, from start on.
func (v *view) show(out *FetchOut, d document, from *url.URL) error {
	out.Title, out.Quality = d.title, 1
	text := d.text
	var content *page.Content
	if d.page != nil {
		content, text = v.render(out, d.page, from)
		out.Removed, out.Title, out.Lang = d.page.Removed, d.page.Title, d.page.Lang
		out.NeedsJavaScript = d.page.Shell
		if u, err := from.Parse(d.page.Alternate); err == nil && d.page.Alternate != "" {
			out.Alternate = u.String()
		}
		if u, err := from.Parse(d.page.Refresh); err == nil && d.page.Refresh != "" {
			out.RefreshTo = u.String()
		}
	}
	headings := headingsOf(content, text, d.kind)
	want := v.in.Section
	if id, ok := strings.CutPrefix(want, "#"); ok && d.page != nil { // the fragment of an address
		if id == "" {
			id = v.fragment
		}
		if heading := d.page.Anchor(id); heading != "" {
			want = heading
		}
	}
	switch {
	case v.in.Outline:
		out.Outline = headings
		if text = outlineText(headings); len(headings) == 0 {
			out.Outline = nil
		}
	case v.in.Section != "":
		var err error
		if text, out.Matches, err = v.section(text, want, headings); err != nil {
			return err
		}
	}
	if v.in.Links && content != nil {
		out.Links = content.Links(from)
	}
	if v.find != nil {
		text, out.Matches = found(text, v.find)
	}
	out.exact = d.kind == "text" || v.in.Format == "raw"
	v.page(out, text, d.kind == "html" && v.in.Format != "raw")
	return nil
}

// render writes a page in the format that is wanted.
func (v *view) render(out *FetchOut, p *page.Page, from *url.URL) (*page.Content, string) {
	switch v.in.Format {
	case "article", "markdown":
		content := p.Content()
		out.Quality = float64(int(content.Quality*1000)) / 1000
		if v.in.Format == "markdown" {
			return content, content.Markdown(from)
		}
		return content, content.Text()
	}
	text := p.Plain()
	if !v.in.Outline && v.in.Section == "" && !v.in.Links {
		return nil, text
	}
	removed := p.Removed // which were counted already
	content := p.Whole()
	p.Removed = removed
	return content, text
}

// page cuts a text at the characters that are wanted.
func (v *view) page(out *FetchOut, text string, marked bool) {
	begin, start := skip(text, v.in.Start)
	length, count := skip(text[begin:], v.in.MaxChars)
	out.Start, out.End = start, start+count
	out.TotalChars = out.End + utf8.RuneCountInString(text[begin+length:])
	out.Truncated = out.End < out.TotalChars
	out.Page = text[begin : begin+length]
	if v.marks = marked && v.in.Format == "text"; out.Truncated && v.marks {
		out.Page += cutMark
		out.marked = true
	}
}

// aside is room for the mark of a cut, and for a message that says where.
const aside = 160

// bound keeps an answer within the bytes that it may take, so that its end is
// where the next part begins.
// It reports whether it had to cut.
func (v *view) bound(out *FetchOut) bool {
	if v.env.Most == 0 {
		return false
	}
	around := *out
	around.Page = ""
	frame, err := json.Marshal(around)
	if err != nil {
		return false // it is cut elsewhere
	}
	text := out.Page
	if out.marked {
		text = strings.TrimSuffix(text, cutMark)
	}
	room, n := v.env.Most-len(frame)-aside, 0
	for i, r := range text {
		if room -= quoted(r); room < 0 && n > 0 {
			out.Page, out.End, out.Truncated = text[:i], out.Start+n, true
			if out.marked = v.marks; out.marked {
				out.Page += cutMark
			}
			return true
		}
		n++
	}
	return false
}

// quoted is how many bytes a character takes in JSON.
func quoted(r rune) int {
	switch {
	case r == '"', r == '\\', r == '\n', r == '\t', r == '\r':
		return 2
	case r < ' ':
		return 6
	}
	return utf8.RuneLen(r)
}

// skip returns how many bytes the first characters of a text take, and how
// many characters there were.
func skip(text string, most int) (bytes, n int) {
	for i := range text {
		if n == most {
			return i, n
		}
		n++
	}
	return len(text), n
}

// headingsOf returns the headings of a page, or of a text in Markdown.
func headingsOf(content *page.Content, text, kind string) []page.Heading {
	if content != nil {
		return content.Headings()
	}
	all := []page.Heading{}
	if kind == "html" {
		return all
	}
	fenced := false
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		level := len(line) - len(strings.TrimLeft(line, "#"))
		if !fenced && level > 0 && level <= 6 && strings.HasPrefix(line[level:], " ") {
			all = append(all, page.Heading{Level: level, Text: strings.TrimSpace(line[level:])})
		}
	}
	return all
}

func outlineText(headings []page.Heading) string {
	lines := make([]string, len(headings))
	for i, h := range headings {
		lines[i] = strings.Repeat("  ", h.Level-1) + "- " + h.Text
	}
	return strings.Join(lines, "\n")
}

// section cuts out what is below a heading, up to the next of its level or a
// higher one. Of several of its name the first counts.
func (v *view) section(text, want string, headings []page.Heading) (string, int, error) {
	places := locate(text, headings)
	want = strings.Join(strings.Fields(want), " ")
	first, matches := -1, 0
	for i, h := range headings {
		if strings.EqualFold(h.Text, want) && places[i] >= 0 {
			if matches++; first < 0 {
				first = i
			}
		}
	}
	if first < 0 {
		return "", 0, v.noSection(want, headings)
	}
	end := len(text)
	for i := first + 1; i < len(headings); i++ {
		if headings[i].Level <= headings[first].Level && places[i] > places[first] {
			end = places[i]
			break
		}
	}
	return strings.TrimRight(text[places[first]:end], "\n "), matches, nil
}

func (v *view) noSection(want string, headings []page.Heading) error {
	var names []string
	for _, h := range headings {
		names = append(names, h.Text)
	}
	e := v.env.Fail(tools.NotFound, tools.Say{EN: "The page has no heading %q", JA: "「%s」という見出しはありません"}, want)
	if e.Hint = v.env.DidYouMean(nearest.Of(want, names)); e.Hint == "" {
		e.Hint = v.env.Say(tools.Say{EN: "--outline lists the headings", JA: "--outline で見出しを確認できます"})
	}
	return e
}

// locate finds the line at which each heading begins in a text, -1 where it
// does not. A heading of several pieces takes a line for each of them.
func locate(text string, headings []page.Heading) []int {
	places := make([]int, len(headings))
	wants := make([][2]string, len(headings)) // with its readings, and without
	for i, h := range headings {
		places[i] = -1
		name := withoutLinks(h.Text)
		wants[i] = [2]string{letters(name), letters(withoutReadings(name))}
	}
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, letters(withoutLinks(strings.TrimLeft(line, "#>- \t"))))
	}
	next, at := 0, 0
	line := 0
	for whole := range strings.SplitAfterSeq(text, "\n") {
		for n := next; n < min(next+5, len(headings)); n++ {
			if begins(lines[line:], wants[n][0]) || begins(lines[line:], wants[n][1]) {
				places[n], next = at, n+1
				break
			}
		}
		at += len(whole)
		line++
	}
	return places
}

// pieces is of how many lines a heading may be.
const pieces = 50

// begins reports whether lines begin with a heading: one of them, or several
// together, are all of it.
func begins(lines []string, heading string) bool {
	if lines[0] == "" {
		return false
	}
	for i := 0; i < min(pieces, len(lines)); i++ {
		rest, ok := strings.CutPrefix(heading, lines[i])
		if !ok || rest == "" {
			return ok
		}
		heading = rest
	}
	return false
}

// letters leaves of a text what does not depend on how it is set.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("*`\\", r) {
			return -1
		}
		return r
	}, text)
}

// withoutReadings takes what stands in wide brackets out of a text.
func withoutReadings(text string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "（")
		_, after, closed := strings.Cut(rest, "）")
		if !ok || !closed {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(before)
		text = after
	}
}

// withoutLinks leaves of a line in Markdown the texts of its links.
func withoutLinks(line string) string {
	var b strings.Builder
	for {
		open := strings.IndexByte(line, '[')
		if open < 0 {
			break
		}
		middle := strings.Index(line[open:], "](")
		if middle < 0 {
			break
		}
		end := strings.IndexByte(line[open+middle:], ')')
		if end < 0 {
			break
		}
		b.WriteString(line[:open])
		b.WriteString(line[open+1 : open+middle])
		line = line[open+middle+end+1:]
	}
	b.WriteString(line)
	return b.String()
}

// found keeps the paragraphs in which an expression matches. A text without
// paragraphs is looked through by line.
func found(text string, find *regexp.Regexp) (string, int) {
	separator := "\n\n"
	if !strings.Contains(text, separator) {
		separator = "\n"
	}
	var kept []string
	matches := 0
	for part := range strings.SplitSeq(text, separator) {
		if n := len(find.FindAllStringIndex(part, -1)); n > 0 {
			matches += n
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, separator), matches
}
