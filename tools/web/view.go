package web

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"techo/internal/nearest"
	"techo/internal/page"
	"techo/tools"
)

// view selects the part of a document that the caller asked for.
type view struct {
	env  *tools.Env
	in   FetchIn
	find *regexp.Regexp

	selector, exclude page.Selector

	fragment string // fragment of the URL, which is not sent to the server
	marks    bool   // a cut text ends with cutMark
}

func newView(env *tools.Env, in FetchIn) (*view, error) {
	v := &view{env: env, in: in}
	var err error
	if v.selector, err = parseSelector(env, "/selector", in.Selector); err != nil {
		return nil, err
	}
	if v.exclude, err = parseSelector(env, "/exclude", in.Exclude); err != nil {
		return nil, err
	}
	if in.Find == "" {
		return v, nil
	}
	if v.find, err = regexp.Compile(in.Find); err != nil {
		return nil, env.Invalid("/find", "find is not a regular expression: %v", err)
	}
	return v, nil
}

// cutMark is the last line of a shortened text.
const cutMark = "\n... (truncated)"

// show fills the result from a document: format, section, matches and page.
func (v *view) show(out *FetchedPage, d document, from *url.URL) error {
	out.Title, out.Quality, out.Source = d.title, 1, sourceOf(d.kind)
	text := d.text
	var content *page.Content
	if d.page != nil {
		if err := v.choose(out, d.page); err != nil {
			return err
		}
		out.NeedsJavaScript = d.page.Shell
		content, text = v.write(out, d.page, from)
		v.describe(out, d.page, text, from)
	}
	if u, err := from.Parse(d.refresh); err == nil && d.refresh != "" && out.RefreshTo == "" {
		out.RefreshTo = u.String()
	}
	headings := headingsOf(content, text, d)
	want := v.in.Section
	if id, ok := strings.CutPrefix(want, "#"); ok && d.page != nil { // a fragment
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
		text = outlineText(headings)
	case v.in.Section != "":
		var err error
		matches := 0
		if text, matches, err = v.section(text, want, headings); err != nil {
			return err
		}
		out.Matches = &matches
	}
	v.lists(out, d, content, from)
	if v.find != nil {
		matches := 0
		text, matches = found(text, v.find)
		out.Matches = &matches
	}
	out.exact = d.kind == "text" || v.in.Format == "raw"
	v.page(out, text, d.kind == "html" && v.in.Format != "raw")
	return nil
}

// lists fills the links, images, comments and related articles that were asked for. A list
// that was asked for is never nil.
func (v *view) lists(out *FetchedPage, d document, content *page.Content, from *url.URL) {
	if v.in.Links {
		out.Links = []page.Link{}
		switch {
		case content != nil:
			out.Links = content.Links(from)
		case d.kind == "pdf":
			for _, l := range d.links {
				out.Links = append(out.Links, page.Link{Text: l.Text, URL: l.URL})
			}
		case d.kind == "text":
			out.Links = markdownLinks(d.text, from)
		}
	}
	if v.in.Images {
		if out.Images = []page.Image{}; content != nil {
			out.Images = content.Images(from)
		}
	}
	var main *page.Content
	if d.page != nil && (v.in.Comments || v.in.Related) {
		main = v.mainContent(d.page, content)
	}
	if v.in.Comments {
		if out.Comments = []page.Comment{}; main != nil {
			out.Comments = main.Comments()
		}
	}
	if v.in.Related {
		if out.Related = []page.Link{}; main != nil {
			out.Related = main.Related(from)
		}
	}
}

// describe fills what the page states about itself, and its language by its text.
func (v *view) describe(out *FetchedPage, p *page.Page, text string, from *url.URL) {
	out.Metadata = p.About(from)
	out.Removed, out.Title, out.Lang = p.Removed, p.Title, p.Language(text)
	if u, err := from.Parse(p.Alternate); err == nil && p.Alternate != "" {
		out.Alternate = u.String()
	}
	if u, err := from.Parse(p.Refresh); err == nil && p.Refresh != "" {
		out.RefreshTo = u.String()
	}
}

// sourceOf returns what the text of a kind of document comes from.
func sourceOf(kind string) string {
	switch kind {
	case "html", "feed", "pdf":
		return kind
	}
	return "text"
}

// write returns the text of a page in the requested format.
func (v *view) write(out *FetchedPage, p *page.Page, from *url.URL) (*page.Content, string) {
	switch v.in.Format {
	case "article", "markdown":
		out.Incomplete = out.Incomplete || p.Cut
		content := v.contentOf(p)
		v.credit(out, content)
		out.Quality = float64(int(content.Quality*1000)) / 1000
		if v.in.Format == "markdown" {
			content = content.Edited()
			return content, content.Markdown(from)
		}
		return content, content.Text()
	}
	if v.selector != nil || v.exclude != nil {
		content := p.Whole()
		return content, content.Text()
	}
	text := p.Plain()
	if p.Shell {
		text = strings.TrimPrefix(text+v.dataOf(out, p), "\n")
	}
	if !v.in.Outline && v.in.Section == "" && !v.in.Links && !v.in.Images {
		return nil, text
	}
	out.Incomplete = out.Incomplete || p.Cut
	return again(p, p.Whole), text
}

// again returns a content of a page, of which nothing that is removed is counted a second time.
func again(p *page.Page, content func() *page.Content) *page.Content {
	removed := p.Removed
	defer func() { p.Removed = removed }()
	return content()
}

// dataOf returns the text in the data of a page that shows almost none, with a line break
// before it, or "".
func (v *view) dataOf(out *FetchedPage, p *page.Page) (text string) {
	content := again(p, p.Content)
	if v.credit(out, content); content.Source == page.FromHTML {
		return ""
	}
	for _, part := range content.Descriptions {
		text += "\n" + part
	}
	return text
}

// minData is the number of bytes of text in the data of a page from which its scripts are
// not needed.
const minData = 200

// credit notes what the text of a content came from. Enough text in the data of a page
// replaces its scripts.
func (v *view) credit(out *FetchedPage, c *page.Content) {
	out.Source = string(c.Source)
	if c.Source == page.FromHTML {
		return
	}
	size := 0
	for _, text := range c.Descriptions {
		size += len(text)
	}
	out.NeedsJavaScript = out.NeedsJavaScript && size < minData
}

// contentOf returns the main content of a page, or all of what a selector chose.
func (v *view) contentOf(p *page.Page) *page.Content {
	if v.selector != nil {
		return p.Whole()
	}
	return p.Content()
}

// page sets the requested characters of a text.
func (v *view) page(out *FetchedPage, text string, marked bool) {
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

// reservedBytes are kept free for cutMark and for the message.
const reservedBytes = 160

// fitToLimit shortens the text so that the result fits Env.MaxBytes, and sets End to
// the start of the next part. It reports whether it shortened the text.
func (v *view) fitToLimit(out *FetchedPage) bool {
	if v.env.MaxBytes == 0 {
		return false
	}
	around := *out
	around.Page = ""
	frame, err := json.Marshal(around)
	if err != nil {
		return false // Invoke shortens it instead
	}
	text := out.Page
	if out.marked {
		text = strings.TrimSuffix(text, cutMark)
	}
	room, n := v.env.MaxBytes-len(frame)-reservedBytes, 0
	for i, r := range text {
		if room -= jsonSize(r); room < 0 && n > 0 {
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

// jsonSize returns the size of a character in JSON, in bytes.
func jsonSize(r rune) int {
	switch {
	case r == '"', r == '\\', r == '\n', r == '\t', r == '\r':
		return 2
	case r < ' ':
		return 6
	}
	return utf8.RuneLen(r)
}

// skip returns the length in bytes of the first limit characters, and their number.
func skip(text string, limit int) (bytes, n int) {
	for i := range text {
		if n == limit {
			return i, n
		}
		n++
	}
	return len(text), n
}

func headingsOf(content *page.Content, text string, d document) []page.Heading {
	if content != nil {
		return content.Headings()
	}
	all := []page.Heading{}
	for _, h := range d.headings {
		all = append(all, page.Heading{Level: h.Level, Text: h.Title})
	}
	if d.kind == "html" || d.kind == "pdf" {
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

// section returns the text below a heading, up to the next heading of the same or
// a higher level. It uses the first of several headings with that text.
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
	e := v.env.Fail(tools.NotFound, "The page has no heading %q", want)
	if e.Hint = v.env.DidYouMean(nearest.Of(want, names)); e.Hint == "" {
		e.Hint = v.env.Hint("%s lists the headings", tools.Field("outline"))
	}
	return e
}

// found returns the paragraphs in which an expression matches, and the number of
// matches. A text without paragraphs is searched by line. Characters that Markdown
// escapes are also found as on the page.
func found(text string, find *regexp.Regexp) (string, int) {
	separator := "\n\n"
	if !strings.Contains(text, separator) {
		separator = "\n"
	}
	var kept []string
	matches := 0
	for part := range strings.SplitSeq(text, separator) {
		n := len(find.FindAllStringIndex(part, -1))
		if plain := page.Unescape(part); n == 0 && plain != part {
			n = len(find.FindAllStringIndex(plain, -1))
		}
		if n > 0 {
			matches += n
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, separator), matches
}
