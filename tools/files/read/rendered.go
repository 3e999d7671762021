package read

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // for the sizes of images
	_ "image/jpeg"
	_ "image/png"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"techo/internal/charset"
	"techo/internal/office"
	"techo/internal/pdftext"
	"techo/tools"
	"techo/tools/files/paths"
	"techo/tools/papers"
)

// Limits of files that are converted to text, and of images.
const (
	maxRendered  = 64 << 20 // bytes of a PDF or a notebook
	pdfPatience  = 20 * time.Second
	maxImage     = 3_750_000 // bytes of an image for a model, 5 MB as base64
	maxImageSide = 8000      // pixels
	maxBase64    = 1 << 20   // bytes
)

// rendered is the text of a file that is not text itself, or an image.
type rendered struct {
	kind        string // "pdf", "notebook" or "image"
	text        string
	first, last int // pages or cells in text, from 1
	total       int // pages or cells of the file
	note        string
	size        int64
	hash        string

	image         *tools.Image
	width, height int
	base64        string // the bytes of the file, if they were asked for
	mediaType     string
}

// pageRange is a range of pages of a PDF, or of cells of a notebook: "3", "2-5" or "4-".
type pageRange string

// bounds returns the first and the last page; last is 0 for all that follow.
func (r pageRange) bounds() (first, last int, ok bool) {
	if r == "" {
		return 1, 0, true
	}
	from, to, isRange := strings.Cut(string(r), "-")
	first, err := strconv.Atoi(from)
	switch {
	case err != nil || first < 1:
		return 0, 0, false
	case !isRange:
		return first, first, true
	case to == "":
		return first, 0, true
	}
	last, err = strconv.Atoi(to)
	return first, last, err == nil && last >= first
}

// render converts a file to text if it is a PDF or a notebook, and reads an image. It
// returns nil for other files.
func render(ctx context.Context, env *tools.Env, f *paths.File, in In) (*rendered, error) {
	head := make([]byte, 2048)
	n, _ := f.Opened.ReadAt(head, 0)
	kind := kindOf(head[:n], f.Name)
	if kind == "" && !in.Raw && in.Encoding == "" && f.Info.Size() <= maxRendered && mayBeOffice(head[:n]) {
		d, err := renderOffice(env, f, in)
		if d != nil || err != nil {
			return d, err
		}
	}
	switch {
	case kind == "" && !in.Base64 || kind == "notebook" && in.Raw:
		return nil, onlyPages(env, in)
	case in.Encoding != "", f.Info.Size() > maxRendered:
		return nil, nil
	}
	body, err := f.Read(env)
	if err != nil {
		return nil, err
	}
	d := &rendered{kind: kind, size: int64(len(body)), hash: paths.Hash(body), mediaType: mediaType(body)}
	if err := d.addBase64(env, in, body); err != nil {
		return nil, err
	}
	switch kind {
	case "pdf":
		err = d.pdf(ctx, env, in, body)
	case "notebook":
		if ok := d.notebook(env, in, body); !ok {
			return nil, onlyPages(env, in)
		}
		err = d.within(env)
	case "image":
		d.picture(env, body)
	default:
		if d.base64 == "" {
			return nil, nil
		}
	}
	return d, err
}

// unreadable is the error for a document whose text cannot be read, with a way out.
func unreadable(env *tools.Env, path string, err error) error {
	e := env.Fail(tools.InvalidInput, "The text of %s cannot be read: %v", path, papers.Cause(err))
	switch {
	case errors.Is(err, pdftext.ErrEncrypted), errors.Is(err, office.ErrLocked):
		e.Hint = env.Hint("Ask the person for a copy without a password")
	case errors.Is(err, pdftext.ErrLarge), errors.Is(err, pdftext.ErrSlow):
		e.Hint = env.Hint("Read fewer pages with %s, or ask the person for a simpler copy", tools.Flag("pages"))
	default:
		e.Hint = env.Hint("Ask the person for another copy, for example as text")
	}
	return e
}

// mayBeOffice reports whether a file is an archive or a saved page.
func mayBeOffice(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) || office.KindOf(head) != ""
}

// renderOffice reads a document of an office program, a book or a saved page; nil if it is none.
func renderOffice(env *tools.Env, f *paths.File, in In) (*rendered, error) {
	body, err := f.Read(env)
	if err != nil {
		return nil, err
	}
	o, err := papers.ReadOffice(body)
	if err != nil {
		return nil, unreadable(env, in.Path, err)
	}
	if o == nil {
		return nil, nil
	}
	if err := onlyPages(env, in); err != nil {
		return nil, err
	}
	d := &rendered{kind: o.Kind, size: int64(len(body)), hash: paths.Hash(body), mediaType: mediaTypes[o.Kind],
		text: o.Text + "\n", note: o.Note(env)}
	if o.Cut {
		d.note = env.Localize("some text is missing: it is too long, or could not be read")
	}
	return d, d.addBase64(env, in, body)
}

var mediaTypes = map[string]string{
	office.Word:  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	office.Sheet: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	office.Show:  "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	office.Book:  "application/epub+zip",
	office.Saved: "multipart/related",
}

// onlyPages refuses a range of pages of a file that has none.
func onlyPages(env *tools.Env, in In) error {
	if in.Pages == "" {
		return nil
	}
	return tools.InvalidField(env, "/pages", "applies to PDF files and notebooks only; use offset and limit")
}

// kindOf returns the kind of a file by its first bytes and its name.
func kindOf(head []byte, name string) string {
	switch media := mediaType(head); {
	case pdftext.Is(head):
		return "pdf"
	case strings.HasPrefix(media, "image/") && media != "image/bmp" && media != "image/x-icon":
		return "image"
	case strings.EqualFold(filepath.Ext(name), ".ipynb"):
		return "notebook"
	}
	return ""
}

// addBase64 adds the bytes of a file that is not text, if they were asked for.
func (d *rendered) addBase64(env *tools.Env, in In, body []byte) error {
	if !in.Base64 {
		return nil
	}
	limit := maxBase64
	if env.MaxBytes > 0 {
		limit = min(limit, (env.MaxBytes-aroundPage)*3/4)
	}
	if len(body) > limit {
		return env.Fail(tools.LimitExceeded, "%s has %d bytes; base64 returns at most %d here", in.Path, len(body),
			limit)
	}
	d.base64 = base64.StdEncoding.EncodeToString(body)
	return nil
}

func (d *rendered) pdf(ctx context.Context, env *tools.Env, in In, body []byte) error {
	release, err := env.Room.Wait(ctx, int64(len(body))+pdftext.MaxMemory)
	if err != nil {
		return err
	}
	defer release()
	first, last, _ := in.Pages.bounds()
	upTo := last
	if last == 0 {
		upTo = math.MaxInt
	}
	got, err := papers.PDF(ctx, env, body, first, upTo, pdfPatience)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return unreadable(env, in.Path, err)
	}
	texts := got.Pages
	d.first, d.last, d.total = first, first+len(texts)-1, got.Total
	var b strings.Builder
	for i, text := range texts {
		fmt.Fprintf(&b, "--- page %d of %d ---\n%s\n", first+i, got.Total, strings.ToValidUTF8(text, "\uFFFD"))
	}
	d.text = b.String()
	if got.Cut {
		d.note = env.Localize("some text is missing: it is too long, or could not be read")
	} else if len(texts) > 0 && strings.Join(texts, "") == "" {
		d.note = env.Localize("these pages have no text, perhaps only images")
	}
	return d.within(env)
}

// within refuses a first page behind the last one.
func (d *rendered) within(env *tools.Env) error {
	if d.first <= max(d.total, 1) {
		return nil
	}
	return tools.InvalidField(env, "/pages", "must be at most %d, the number of pages or cells, not %d", d.total,
		d.first)
}

// picture reads the size of an image, and keeps an image that a model can take.
func (d *rendered) picture(env *tools.Env, body []byte) {
	c, _, err := image.DecodeConfig(bytes.NewReader(body))
	if err != nil && d.mediaType == "image/webp" {
		c.Width, c.Height, err = sizeWebP(body)
	}
	switch {
	case err != nil:
		d.kind = "" // damaged
		return
	case len(body) > maxImage, c.Width > maxImageSide, c.Height > maxImageSide:
		d.note = env.Localize("too large for a model: at most %d bytes and %d pixels on a side", maxImage, maxImageSide)
	default:
		d.image = &tools.Image{Type: d.mediaType, Data: body}
	}
	d.width, d.height = c.Width, c.Height
}

func sizeWebP(b []byte) (width, height int, err error) {
	bits := func(at, n int) (v int) {
		for i := range n {
			v |= int(b[at+i]) << (8 * i)
		}
		return v
	}
	switch {
	case len(b) < 30:
	case string(b[12:16]) == "VP8 " && string(b[23:26]) == "\x9d\x01\x2a":
		return bits(26, 2) & 0x3fff, bits(28, 2) & 0x3fff, nil
	case string(b[12:16]) == "VP8L" && b[20] == 0x2f:
		v := bits(21, 4)
		return v&0x3fff + 1, v>>14&0x3fff + 1, nil
	case string(b[12:16]) == "VP8X":
		return bits(24, 3) + 1, bits(27, 3) + 1, nil
	}
	return 0, 0, image.ErrFormat
}

// page returns a page of the text, or the description of an image.
func (d *rendered) page(ctx context.Context, env *tools.Env, in In, room int) (out Out, err error) {
	out.Page = Page{Path: in.Path, Bytes: d.size, Hash: d.hash, Encoding: "binary", Newline: "none", Base64: d.base64}
	size := env.Count(int(d.size), "%d byte", "%d bytes")
	switch d.kind {
	case "image":
		out.Type, out.Width, out.Height, out.image = d.mediaType, d.width, d.height, d.image
		out.Message = env.Localize("%s is an image (%s, %d×%d, %s)", in.Path, out.Type, d.width, d.height, size)
	case "":
		out.Type = d.mediaType
		out.Message = env.Localize("%s is a binary file (%s, %s): its content is not shown", in.Path, out.Type, size)
	default:
		r, err := scanPage(ctx, strings.NewReader(d.text), len(d.text), in, room)
		if err != nil {
			return out, err
		}
		out.Newline, out.StartLine, out.EndLine, out.TotalLines = r.newline(), in.Offset, in.Offset-1, r.total()
		out.fill(r, in, charset.UTF8())
		if d.total == 0 && d.kind != "notebook" && d.kind != "pdf" {
			out.Type, out.Message = d.mediaType, out.message(env, r.cut)
			break
		}
		out.Pages, out.FirstPage, out.LastPage = d.total, d.first, d.last
		parts := tools.Text("%s; pages %d-%d of %d")
		if d.kind == "notebook" {
			parts = "%s; cells %d-%d of %d"
			out.Type = "application/x-ipynb+json"
		} else {
			out.Type = d.mediaType
		}
		out.Message = env.Localize(parts, out.message(env, r.cut), d.first, d.last, d.total)
	}
	if d.note != "" {
		out.Message += env.Localize("; %s", d.note)
	}
	return out, nil
}
