package web

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // for the sizes of images
	_ "image/jpeg"
	_ "image/png"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"techo/internal/charset"
	"techo/internal/feed"
	"techo/internal/office"
	"techo/internal/page"
	"techo/internal/pdftext"
	"techo/tools"
	"techo/tools/papers"
)

type document struct {
	kind        string // html, feed, pdf, image, text or binary
	contentType string
	charset     string
	text        string // text of documents other than HTML
	title       string
	page        *page.Page // parsed HTML
	problem     string     // reason why there is no text
	cut         bool       // the text is incomplete
	scanned     bool       // a PDF that has only images
	locked      bool       // a PDF that needs a password
	note        string     // what is not in the text
	refresh     string     // the address of a Refresh header
	headings    []pdftext.Heading
	links       []pdftext.Link
}

const pdfTimeout = 10 * time.Second

// read detects the kind of a body from its first bytes, then from the Content-Type
// header, and parses it.
func (f *fetch) read(ctx context.Context, r *response) document {
	contentType := r.header.Get("Content-Type")
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		media, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(contentType)), ";")
	}
	d := document{contentType: contentType}
	found := strings.Split(http.DetectContentType(r.body), ";")[0]
	switch {
	case len(r.body) == 0:
		d.kind, d.charset, d.refresh = "text", "utf-8", refreshOf(r.header.Get("Refresh"))
		return d
	case pdftext.Is(r.body):
		d.kind, d.contentType = "pdf", "application/pdf"
	case strings.HasPrefix(found, "image/"):
		d.kind, d.contentType = "image", found
	case office.KindOf(r.body) != "":
		d.kind = "office"
	case charset.WideMarkup(r.body) != "":
		d.kind = "html"
	case found == "application/octet-stream" && !isUnicode(r.body) && !isWide(r.body, params["charset"]), isCompressed(found):
		if d.kind = "binary"; contentType == "" || strings.HasPrefix(media, "text/") {
			d.contentType = found
		}
	case isHTML(media), strings.HasSuffix(media, "/xml") && page.LooksLikeHTML(r.body),
		!isKnown(media) && (found == "text/html" || page.LooksLikeHTML(r.body)):
		if d.kind = "html"; !isHTML(media) {
			d.contentType = "text/html"
		}
	default:
		unlabelled := contentType == "" || media == "application/octet-stream" || err != nil
		if d.kind = "text"; unlabelled && !isKnown(media) {
			d.contentType = found
		}
	}
	f.fill(ctx, &d, r.body, params["charset"], media)
	if d.refresh = refreshOf(r.header.Get("Refresh")); d.page != nil && d.page.Refresh == "" {
		d.page.Refresh = d.refresh
	}
	return d
}

func isUnicode(body []byte) bool {
	return bytes.HasPrefix(body, []byte("\xff\xfe")) || bytes.HasPrefix(body, []byte("\xfe\xff"))
}

// isWide reports whether a body is UTF-16 as declared: it has a byte of zero in most characters.
func isWide(body []byte, declared string) bool {
	return strings.HasPrefix(strings.ToLower(declared), "utf-16") && bytes.Count(body[:min(len(body), 1000)], []byte{0}) > 0
}

// refreshOf returns the address of a Refresh header, such as "0; url=/next", or "".
func refreshOf(header string) string {
	_, rest, ok := strings.Cut(header, ";")
	if rest = strings.TrimSpace(rest); !ok || len(rest) < 4 {
		return ""
	}
	if strings.EqualFold(rest[:3], "url") {
		_, rest, _ = strings.Cut(rest, "=")
	}
	return strings.Trim(strings.TrimSpace(rest), `"'`)
}

func isCompressed(found string) bool {
	return strings.HasPrefix(found, "audio/") || strings.HasPrefix(found, "video/") ||
		strings.HasPrefix(found, "font/") ||
		found == "application/zip" || found == "application/x-gzip" || found == "application/x-rar-compressed" ||
		found == "application/wasm"
}

func isHTML(media string) bool { return media == "text/html" || media == "application/xhtml+xml" }

// isKnown reports whether a media type reliably means text.
func isKnown(media string) bool {
	return strings.HasPrefix(media, "text/") && media != "text/" || strings.HasSuffix(media, "json") ||
		strings.HasSuffix(media, "xml") ||
		media == "application/javascript" || media == "application/yaml" || media == "application/x-ndjson"
}

func isXML(media string) bool {
	return strings.HasSuffix(media, "xml") || media == "" || media == "text/plain" ||
		media == "application/octet-stream"
}

// fill extracts the text of a document of known kind.
func (f *fetch) fill(ctx context.Context, d *document, body []byte, declared, media string) {
	switch d.kind {
	case "pdf":
		f.fillPDF(ctx, d, body)
	case "office":
		f.fillOffice(d, body)
	case "image":
		d.text = describeImage(body, d.contentType)
	case "html":
		text, name := charset.DecodePage(body, declared)
		d.text, d.charset = text, name
		f.noteGuess(d, body, declared)
		switch f.in.Format {
		case "raw":
		case "article", "markdown":
			d.page = page.Parse(normalizeVertical(text))
		default:
			d.page = page.Parse(text)
		}
	case "text":
		d.text, d.charset = charset.DecodePage(body, declared)
		f.noteGuess(d, body, declared)
		if f.in.Format == "raw" {
			return
		}
		if news, ok := feed.ParseJSON(d.text); ok {
			f.fillFeed(d, news)
		} else if isXML(media) {
			if news, ok := feed.Parse(d.text); ok {
				f.fillFeed(d, news)
			}
		}
	}
}

// fillPDF extracts the text, the outline and the links of a PDF.
func (f *fetch) fillPDF(ctx context.Context, d *document, body []byte) {
	d.charset = "utf-8"
	pages := 0
	paper, err := papers.PDF(ctx, f.env, body, 1, pdftext.MaxPages, pdfTimeout)
	if err == nil {
		d.text, d.cut = paper.Text(), paper.Cut || paper.Total > pdftext.MaxPages
		if d.text == "" {
			err = pdftext.ErrEmpty
		}
		pages = paper.Total
		d.headings, d.links = paper.Outline, paper.Links
	}
	d.title = f.env.Localize("PDF, %s", f.env.Count(pages, "%d page", "%d pages"))
	if err != nil {
		d.problem = f.env.Localize("the text of the PDF cannot be read (%v)", papers.Cause(err))
		d.scanned, d.locked = errors.Is(err, pdftext.ErrEmpty), errors.Is(err, pdftext.ErrEncrypted)
	}
}

// fillOffice extracts the text of a document of an office program, a book or a saved page.
func (f *fetch) fillOffice(d *document, body []byte) {
	d.charset = "utf-8"
	o, err := papers.ReadOffice(body)
	switch {
	case err != nil:
		d.problem = f.env.Localize("the text of the document cannot be read (%v)", papers.Cause(err))
	case f.in.Format == "raw":
		d.kind = "text"
		d.text, d.charset = charset.DecodePage(body, "")
		if o.Page == "" {
			d.kind, d.text = "binary", ""
		}
	case o.Page != "":
		d.kind, d.text, d.note = "html", o.Page, o.Note(f.env)
		d.page = page.Parse(o.Page)
	default:
		d.kind, d.text, d.title, d.note, d.cut = "text", o.Text, o.Title, o.Note(f.env), o.Cut
	}
}

// noteGuess says that nothing declares the encoding of a text.
func (f *fetch) noteGuess(d *document, body []byte, declared string) {
	if charset.IsGuess(body, declared, d.charset) {
		d.note = f.env.Localize("its encoding, %s, is a guess", d.charset)
	}
}

// fillFeed replaces the text of a feed by its entries.
func (f *fetch) fillFeed(d *document, news feed.Feed) {
	d.kind, d.title = "feed", news.Title
	var parts []string
	for _, e := range news.Entries {
		lines := []string{"## " + strings.Join(strings.Fields(cmp.Or(e.Title, e.Link)), " ")}
		if e.Link != "" && e.Title != "" {
			lines = append(lines, e.Link)
		}
		if e.Date != "" {
			lines = append(lines, e.Date)
		}
		if body := e.Body; body != "" {
			if f.in.Format == "markdown" {
				body = page.Parse(body).Whole().Markdown(&url.URL{})
			} else {
				body = page.Parse(body).Whole().Text()
			}
			lines = append(lines, "", body)
		}
		parts = append(parts, strings.TrimRight(strings.Join(lines, "\n"), "\n"))
	}
	d.text = strings.Join(parts, "\n\n")
}

// describeImage returns an image's format and size.
func describeImage(body []byte, contentType string) string {
	name := strings.ToUpper(strings.TrimPrefix(contentType, "image/"))
	if c, _, err := image.DecodeConfig(bytes.NewReader(body)); err == nil {
		return fmt.Sprintf("%s image, %d×%d, %d bytes", name, c.Width, c.Height, len(body))
	}
	return fmt.Sprintf("%s image, %d bytes", name, len(body))
}

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

// verticalForms pairs each punctuation mark for vertical text with its normal form
// (Unicode blocks Vertical Forms and CJK Compatibility Forms).
const verticalForms = "︐，︑、︒。︓：︔；︕！︖？︗〖︘〗︙…︰‥︱—︲–︳＿" +
	"︵（︶）︷｛︸｝︹〔︺〕︻【︼】︽《︾》︿〈﹀〉﹁「﹂」﹃『﹄』﹇［﹈］"

// normalizeVertical replaces the punctuation marks of vertical text by their normal
// forms, so that the text can be searched and quoted.
func normalizeVertical(text string) string {
	// all forms begin with one of these bytes, which are rare and found fast
	if !strings.Contains(text, "\xef\xb8") && !strings.Contains(text, "\xef\xb9") {
		return text
	}
	return strings.NewReplacer(strings.Split(verticalForms, "")...).Replace(text)
}
