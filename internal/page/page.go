// Package page reads web pages: the text a person would see, and the part of it that is
// the main content. It runs no scripts, and its running time is linear in the size of the
// page.
//
// It is the entrance to the packages below it. A page goes through them in this order:
//
//	soup      source → tree, or plain text
//	css       which elements style sheets hide
//	meta      what the page says about itself
//	view      the elements and blocks of text that a browser shows
//	content   the blocks that are the main content; comments, related links
//	markdown  blocks → Markdown
//
// They share the helpers dom, runes and traits, and none of them imports this package.
package page

import (
	"bytes"
	"cmp"
	"net/url"
	"strings"
	"unicode"

	"techo/internal/page/content"
	"techo/internal/page/css"
	"techo/internal/page/markdown"
	"techo/internal/page/meta"
	"techo/internal/page/soup"
	"techo/internal/page/view"
)

// Parts of the results.
type (
	Metadata = meta.Metadata
	Removed  = view.Removed
	Heading  = content.Heading
	Link     = content.Link
	Comment  = content.Comment
	Image    = markdown.Image
	Selector = css.Selector
	Source   = content.Source
)

// The sources of a text.
const (
	FromHTML = content.FromHTML
	FromLD   = content.FromLD
	FromData = content.FromData
)

// Page is a parsed page.
type Page struct{ *view.Page }

// Parse parses a page. It always succeeds: errors are handled as in browsers, and
// nesting beyond the parser's limit is flattened.
func Parse(source string) *Page { return &Page{view.Parse(source)} }

// Weight estimates the memory, in bytes, that Parse and its results need for a page. It
// scans the page once.
func Weight(source string) int64 { return soup.Weight(source) }

// ParseSelector parses a list of CSS selectors, separated by commas.
func ParseSelector(text string) (Selector, error) { return css.ParseSelector(text) }

// Content returns the main content of a page.
func (p *Page) Content() *Content { return &Content{content.Main(p.Page)} }

// Whole returns everything that a page shows.
func (p *Page) Whole() *Content { return &Content{content.Whole(p.Page)} }

// Content is a part of a page: its main content, or all of it.
type Content struct{ *content.Content }

// Edited returns the content as a document: with the heading that has the title of the
// page, and without headings at the end whose text was dropped.
func (c *Content) Edited() *Content { return &Content{c.Content.Edited()} }

// Markdown returns the content as Markdown with absolute links.
func (c *Content) Markdown(from *url.URL) string { return markdown.Render(c.Content, from) }

// Images returns the images of the content with absolute addresses, without duplicates.
func (c *Content) Images(from *url.URL) []Image { return markdown.Images(c.Content, from) }

// Unescape removes the backslashes before punctuation in Markdown.
func Unescape(text string) string { return markdown.Unescape(text) }

// LooksLikeHTML reports whether bytes without a declared type look like HTML.
func LooksLikeHTML(head []byte) bool {
	head = bytes.ToLower(bytes.TrimLeft(head[:min(len(head), 1024)], " \t\r\n\ufeff"))
	if bytes.HasPrefix(head, []byte("<?xml")) { // XHTML
		_, head, _ = bytes.Cut(head, []byte("?>"))
		head = bytes.TrimLeft(head, " \t\r\n")
		if bytes.HasPrefix(head, []byte("<!--")) {
			return bytes.Contains(head, []byte("<html"))
		}
	}
	for _, begin := range []string{"<!doctype html", "<html", "<head", "<body", "<title", "<div", "<p>", "<h1",
		"<script", "<!--"} {
		if bytes.HasPrefix(head, []byte(begin)) {
			return true
		}
	}
	return false
}

// Language returns the language that the page declares. If it declares none, it returns "ja" or
// "en" where text, a text of the page, is clearly Japanese or English, and "" elsewhere.
func (p *Page) Language(text string) string { return cmp.Or(p.Lang, languageOf(text)) }

// frequent are the words by which English is told from other languages.
const frequent = " the and of to that with for is this are was you your it "

// languageOf returns "ja" for a text with kana, "en" for one with English words, else "".
func languageOf(text string) string {
	letters, latin, kana := 0, 0, 0
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r):
			continue
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
		case unicode.Is(unicode.Latin, r):
			latin++
		}
		letters++
	}
	switch {
	case kana*20 > letters:
		return "ja"
	case latin*2 > letters && isEnglish(text):
		return "en"
	}
	return ""
}

// isEnglish reports whether a tenth of the words are the frequent ones, and one is "the".
func isEnglish(text string) bool {
	words, found, the := 0, 0, false
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		words++
		if word = strings.ToLower(word); strings.Contains(frequent, " "+word+" ") {
			found++
			the = the || word == "the"
		}
	}
	return the && found*10 > words
}
