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
	"net/url"

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
	for _, begin := range []string{"<!doctype html", "<html", "<head", "<body", "<title", "<div", "<p>", "<h1",
		"<script", "<!--"} {
		if bytes.HasPrefix(head, []byte(begin)) {
			return true
		}
	}
	return false
}
