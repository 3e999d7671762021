// Package read has the tool read_file. It pages through texts, and turns PDF files, notebooks and images
// into what a model can read.
package read

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"techo/internal/charset"
	"techo/tools"
	"techo/tools/files/document"
	"techo/tools/files/paths"
	"techo/tools/jsontree"
)

// File is the tool read_file: it shows a page of a file.
var File = &tools.Tool{
	Name:    "read_file",
	For:     tools.Agents,
	Command: "fs read",
	About:   "Read a file, a page of lines at a time",
	More:    "next_offset continues. PDF files, notebooks and images are shown.",
	Details: "A page ends at limit lines or 256 KiB. Pass hash as expected_hash to detect changes. " +
		"text has the lines from offset on with their original line ends, so that an edit finds " +
		"text that is copied from it. A long line continues with its own offset and " +
		"next_line_offset. total_lines is the length of the file. Other encodings, such as " +
		"Japanese ones and UTF-16, are converted to UTF-8; encoding_guessed marks a guess. Of " +
		"PDF files and notebooks the text is shown; pages chooses pages or cells, and raw shows " +
		"a notebook's JSON. Images are described and, over MCP, shown; other binary files are " +
		"described.",
	Notes: []tools.Note{
		{Text: "With -o text the lines are numbered.", Shell: true},
	},
	Effect:    tools.Reads,
	Forbidden: paths.Forbidden,
	Words:     []string{"path"},
	Examples: []tools.Example{
		{Does: "Read a file", Line: `fs read notes.txt`},
		{Does: "Twenty numbered lines from line 100 on",
			Line: `fs read notes.txt --offset 100 --limit 20 -o text`},
		{Does: "Several files", Line: `fs read --paths notes.txt --paths data.json`},
	},
	Run: tools.Func[In, Result](readFiles),
}

// In is the input of read_file.
type In struct {
	Path     string            `json:"path" minLength:"1" requiredUnless:"paths" doc:"The path to the file to read" list:"bare"`
	Paths    []string          `json:"paths,omitempty" minLength:"1" maxItems:"50" doc:"Instead of path: several files"`
	Offset   int               `json:"offset" default:"1" minimum:"1" doc:"The first line to show" list:"bare"`
	Limit    int               `json:"limit" default:"2000" minimum:"1" doc:"Maximum number of lines" list:"bare"`
	Encoding document.Encoding `json:"encoding,omitempty" doc:"The file's encoding (default: detected)" list:"-"`

	LineOffset int `json:"line_offset,omitempty" minimum:"0" doc:"Continue within a long line: next_line_offset"`

	Pages  pageRange `json:"pages,omitempty" doc:"Pages of a PDF or cells of a notebook: 3, 2-5 or 4-"`
	Raw    bool      `json:"raw,omitempty" doc:"Show a notebook as its JSON, a saved page as its source" list:"-"`
	Base64 bool      `json:"base64,omitempty" doc:"Add the bytes of a binary file of up to 1 MiB in base64" list:"-"`
}

// Result is the result of read_file: a page, or with paths one of each file, in their order.
type Result struct {
	*Page
	Files      []FileResult `json:"files,omitempty" compact:"keep"`
	Message    string       `json:"message"`
	Normalized bool         `json:"normalized,omitempty"` // as in Out
}

// FileResult is what was read of one of several files, or an error.
type FileResult struct {
	Path string `json:"path"`
	*Out
	Error *tools.Error `json:"error,omitempty"`
}

// Image returns the image that was read, or nil.
func (r Result) Image() *tools.Image {
	if r.Page == nil {
		return nil
	}
	return r.image
}

// Text returns the lines with their numbers, those of several files below their paths.
func (r Result) Text(env *tools.Env) string {
	if r.Page != nil {
		return Out{Page: *r.Page, Message: r.Message}.text(env)
	}
	var parts []string
	for _, f := range r.Files {
		text := ""
		if f.Out != nil {
			text = f.Out.text(env)
		} else {
			text = env.Localize("Error: %s", f.Error.Message)
		}
		parts = append(parts, "=== "+f.Path+"\n"+text)
	}
	return strings.Join(parts, "\n\n")
}

// Out is a page of a file, with a message.
type Out struct {
	Page
	Message string `json:"message"`

	// Normalized is set if the file's name has another Unicode form (NFC or NFD) than
	// the path that was given.
	Normalized bool `json:"normalized,omitempty"`
}

// Page is a page of a file.
type Page struct {
	Path       string `json:"path"`
	Content    string `json:"text"`
	StartLine  int    `json:"start_line"`
	EndLine    int    `json:"end_line"` // less than start_line if there are no lines
	TotalLines int    `json:"total_lines"`
	Hash       string `json:"hash"`
	Truncated  bool   `json:"truncated"` // more lines follow, or the line was cut
	NextOffset int    `json:"next_offset,omitempty"`

	// NextLineOffset is the number of bytes of line StartLine that were shown, if that
	// line is too long for one page.
	NextLineOffset int `json:"next_line_offset,omitempty"`

	Encoding string `json:"encoding"` // "binary" for a file that is not text
	Guessed  bool   `json:"encoding_guessed,omitempty"`
	Newline  string `json:"newline"` // lf, crlf, cr, mixed or none
	BOM      bool   `json:"bom,omitempty"`
	Lossy    bool   `json:"lossy,omitempty"` // invalid bytes are shown as U+FFFD
	Bytes    int64  `json:"bytes"`           // of the whole file
	Type     string `json:"type,omitempty"`  // media type of a binary file

	// The pages of a PDF or the cells of a notebook: the number of all, and those in text.
	Pages     int `json:"pages,omitempty"`
	FirstPage int `json:"first_page,omitempty"`
	LastPage  int `json:"last_page,omitempty"`

	Width  int    `json:"width,omitempty"` // of an image, in pixels
	Height int    `json:"height,omitempty"`
	Base64 string `json:"base64,omitempty"` // the bytes of a binary file

	image *tools.Image
}

func (o Out) withLineNumbers() string {
	var b strings.Builder
	n := o.StartLine
	text := o.Content
	if o.Newline == "cr" {
		text = strings.ReplaceAll(text, "\r", "\n")
	}
	for line := range strings.Lines(text) {
		fmt.Fprintf(&b, "%6d\t%s\n", n, strings.TrimRight(line, "\r\n"))
		n++
	}
	return b.String()
}

// text returns the lines with their numbers.
func (o Out) text(env *tools.Env) string {
	switch {
	case o.Content == "":
		return o.Message
	case o.Truncated:
		return o.withLineNumbers() + env.Localize("... (truncated) %s", o.Message)
	}
	return strings.TrimSuffix(o.withLineNumbers(), "\n")
}

// readFiles reads one file, or several: one that cannot be read does not stop the others.
func readFiles(ctx context.Context, env *tools.Env, in In) (r Result, err error) {
	switch {
	case len(in.Paths) == 0:
		out, err := readFile(ctx, env, in)
		return Result{Page: &out.Page, Message: out.Message, Normalized: out.Normalized}, err
	case in.Path != "":
		return r, tools.InvalidField(env, "/paths", "excludes path")
	}
	own := *env
	if env.MaxBytes > 0 {
		own.MaxBytes = max(env.MaxBytes/len(in.Paths), minPage)
	}
	failed := 0
	for _, path := range in.Paths {
		each := in
		each.Path, each.Paths = path, nil
		out, err := readFile(ctx, &own, each)
		if ctx.Err() != nil {
			return r, context.Cause(ctx)
		}
		if err != nil {
			failed++
			r.Files = append(r.Files, FileResult{Path: path, Error: tools.AsError(env, err)})
			continue
		}
		r.Files = append(r.Files, FileResult{Path: out.Path, Out: &out})
	}
	r.Message = env.Localize("Read %s", env.Count(len(in.Paths)-failed, "%d file", "%d files"))
	if failed > 0 {
		r.Message = env.Localize("Read %s; %s failed", env.Count(len(in.Paths)-failed, "%d file", "%d files"),
			env.Count(failed, "%d file", "%d files"))
	}
	return r, nil
}

func readFile(ctx context.Context, env *tools.Env, in In) (out Out, err error) {
	room := maxPage
	if env.MaxBytes > 0 {
		room = min(room, max(minPage, env.MaxBytes-aroundPage))
	}
	if _, _, ok := in.Pages.bounds(); !ok {
		return out, tools.InvalidField(env, "/pages", "must be a page or a range, such as 3 or 2-5, not %q",
			string(in.Pages))
	}
	f, err := paths.OpenFile(ctx, env, in.Path, false)
	if err != nil {
		return out, err
	}
	defer f.Close()
	if f.Opened == nil {
		return out, f.Missing(env)
	}
	document, err := render(ctx, env, f, in)
	if err != nil {
		return out, err
	}
	normalized := f.Normalized
	if normalized {
		in.Path = f.Shown
	}
	for {
		if document != nil {
			out, err = document.page(ctx, env, in, room)
		} else {
			out, err = readPage(ctx, env, f, in, room)
		}
		if out.Normalized = normalized; normalized && document == nil && out.Encoding != "binary" {
			out.Message += env.Localize("; the name is in another Unicode form (NFC or NFD)")
		}
		if err != nil || env.MaxBytes <= 0 || room <= minPage {
			return out, err
		}
		b, err := jsontree.Marshal(out)
		if err != nil || len(b) <= env.MaxBytes || out.Base64 != "" {
			return out, err
		}
		room = max(minPage, room*(env.MaxBytes-aroundPage)/len(b)) // escapes made it longer
	}
}

// Sizes of a page that has to fit into a bounded result, in bytes.
const (
	minPage    = 256
	aroundPage = 1 << 10 // the other fields of the result
)

// readPage reads a page of at most room bytes.
func readPage(ctx context.Context, env *tools.Env, f *paths.File, in In, room int) (out Out, err error) {
	if _, err := f.Opened.Seek(0, io.SeekStart); err != nil {
		return out, paths.Error(env, f.Shown, err)
	}
	r, err := scanPage(ctx, f.Opened, int(f.Info.Size()), in, room)
	if err != nil {
		return out, paths.Error(env, f.Shown, err)
	}
	out.Page = Page{Path: in.Path, StartLine: in.Offset, EndLine: in.Offset - 1, TotalLines: r.total(), Hash: r.hash,
		Bytes: r.size, Newline: r.newline()}
	c := r.charset
	if c == nil {
		out.StartLine, out.EndLine, out.TotalLines, out.Newline = 0, 0, 0, "none"
		out.Encoding, out.Type = "binary", mediaType(r.head)
		out.Message = env.Localize("%s is a binary file (%s, %s): its content is not shown", in.Path, out.Type,
			env.Count(int(r.size), "%d byte", "%d bytes"))
		return out, nil
	}
	out.fill(r, in, c)
	out.Message = out.message(env, r.cut)
	if out.Guessed = r.guessed; r.guessed {
		out.Message += env.Localize("; the encoding %s is a guess", c.Name())
	}
	return out, nil
}

func (o *Out) fill(r *pageRead, in In, c *charset.Charset) {
	text := c.Decode(r.whole())
	o.Content, o.Encoding, o.Lossy = text.String, c.Name(), text.Lossy
	o.BOM = len(c.BOM()) > 0 && strings.HasPrefix(string(r.head), string(c.BOM()))
	o.EndLine += r.kept
	o.Truncated = o.EndLine < o.TotalLines && o.EndLine >= o.StartLine || r.cut
	if o.EndLine < o.TotalLines && o.EndLine >= o.StartLine {
		o.NextOffset = o.EndLine + 1
	}
	if r.cut {
		o.NextLineOffset = in.LineOffset + len(r.whole())
	}
}

func (o Out) message(env *tools.Env, cut bool) string {
	switch {
	case o.TotalLines == 0:
		return env.Localize("%s is empty", o.Path)
	case o.EndLine < o.StartLine:
		return env.Localize("%s has only %s; there is no line %d", o.Path,
			env.Count(o.TotalLines, "%d line", "%d lines"), o.StartLine)
	case cut:
		return env.Localize("Part of line %d of %d of %s; continue with offset %d and line_offset %d", o.StartLine,
			o.TotalLines, o.Path, o.StartLine, o.NextLineOffset)
	case o.NextOffset > 0:
		return env.Localize("Lines %d-%d of %d of %s; continue with offset %d", o.StartLine, o.EndLine, o.TotalLines,
			o.Path, o.NextOffset)
	}
	return env.Localize("Lines %d-%d of %d of %s", o.StartLine, o.EndLine, o.TotalLines, o.Path)
}

// pageRead is a page of a file, with facts about the whole file.
type pageRead struct {
	pager
	hash    string
	size    int64
	head    []byte
	charset *charset.Charset
	guessed bool // the encoding is only a guess
}

// whole returns the page without an incomplete character at its end.
func (r *pageRead) whole() []byte {
	if !r.cut {
		return r.raw
	}
	if r.charset.Same(charset.UTF8()) {
		for range utf8.UTFMax - 1 {
			if c, n := utf8.DecodeLastRune(r.raw); c != utf8.RuneError || n != 1 {
				break
			}
			r.raw = r.raw[:len(r.raw)-1]
		}
		return r.raw
	}
	cut := 0 // in other encodings, the last unit
	if text := r.charset.Decode(r.raw); strings.HasSuffix(text.String, "\uFFFD") {
		cut = r.unitSize()
	}
	return r.raw[:len(r.raw)-cut]
}

// page reads a file from its beginning to its end. It keeps only the page in
// memory.
func scanPage(ctx context.Context, f io.ReadSeeker, size int, in In, room int) (*pageRead, error) {
	r, err := scan(ctx, f, size, in, '\n', room)
	if err != nil || r.lineEnds > 0 || r.returns == 0 {
		return r, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return scan(ctx, f, size, in, '\r', room) // line ends of the classic Mac OS
}

func scan(ctx context.Context, f io.Reader, size int, in In, end byte, room int) (*pageRead, error) {
	r := &pageRead{pager: pager{firstLine: in.Offset, last: in.Offset - 1 + min(in.Limit, math.MaxInt-in.Offset),
		lineEnd: end, room: room, skip: in.LineOffset}}
	hash, sniffer := sha256.New(), &charset.Sniffer{}
	buf := make([]byte, min(max(size+1, 4096), 256<<10)&^1)
	for {
		n, err := io.ReadFull(f, buf)
		b := buf[:n]
		if r.size == 0 {
			r.head = append(r.head, b[:min(n, 512)]...)
			r.charset = charset.Marked(b)
			if in.Encoding != "" {
				r.charset = in.Encoding.Charset()
			}
			r.setCharset(r.charset)
		}
		r.size += int64(n)
		hash.Write(b)
		sniffer.Write(b)
		r.add(b)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			break
		}
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return nil, err
		}
	}
	r.hash = hex.EncodeToString(hash.Sum(nil))
	if r.charset == nil {
		r.charset, r.guessed = sniffer.Charset()
	}
	if c := r.charset; c != nil && r.size > 0 && string(r.head) == string(c.BOM()) {
		r.inLine, r.kept = false, 0 // a byte order mark alone is not a line
	}
	return r, nil
}
