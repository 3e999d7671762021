package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"techo/internal/charset"
	"techo/tools"
)

// Read shows a file, a page at a time.
var Read = tools.Define(tools.Tool{
	Name:    "read_file",
	Command: "fs read",
	About:   tools.Say{EN: "Read a file, a page of lines at a time", JA: "ファイルを行単位で読み取る"},
	More: tools.Say{
		EN: "text holds the lines from offset on, with their own line ends, so that edit_file finds what is copied from it. hash is for expected_hash. total_lines says how much there is; a page ends at limit lines or 256 KiB. Japanese and UTF-16 files come as UTF-8; a binary file is described, not shown. With -o text the lines are numbered.",
		JA: "text は offset 行目からの行（改行もそのまま）で、ここからコピーした文字列は edit_file で使える。hash は expected_hash に使う。total_lines は全行数。1ページは limit 行または 256 KiB まで。Shift_JIS、EUC-JP、UTF-16 は UTF-8 に変換する。バイナリファイルは内容の代わりに種類を示す。-o text では行番号が付く。",
	},
	Effect:    tools.Reads,
	Forbidden: forbiddenPath,
	Words:     []string{"path"},
	Examples: []tools.Example{
		{Does: tools.Say{EN: "Read a file", JA: "ファイルを読む"}, Line: `fs read notes.txt`},
		{Does: tools.Say{EN: "Twenty lines from the hundredth on, numbered", JA: "100行目から20行を行番号付きで読む"}, Line: `fs read notes.txt --offset 100 --limit 20 -o text`},
	},
}, readFile)

// ReadIn is the input of read_file.
type ReadIn struct {
	Path     string `json:"path" min:"1" en:"The path to the file to read" ja:"読み取るファイルのパス"`
	Offset   int    `json:"offset" default:"1" min:"1" en:"The first line to show" ja:"表示する最初の行"`
	Limit    int    `json:"limit" default:"2000" min:"1" en:"How many lines to show" ja:"表示する行数"`
	Encoding string `json:"encoding,omitempty" enum:"utf-8,utf-16le,utf-16be,shift_jis,euc-jp,gb18030,big5,euc-kr,windows-1252" en:"The file's encoding, when it is not found out" ja:"ファイルの文字コード（自動判定できない場合）"`
}

// ReadOut is the result of read_file.
type ReadOut struct {
	Path       string `json:"path"`
	Content    string `json:"text"`
	StartLine  int    `json:"start_line"`
	EndLine    int    `json:"end_line"` // below start_line when there are no lines
	TotalLines int    `json:"total_lines"`
	Hash       string `json:"hash"`
	Truncated  bool   `json:"truncated"` // there are lines after end_line, or it was cut
	NextOffset int    `json:"next_offset,omitempty"`
	Encoding   string `json:"encoding"` // "binary" when it is no text
	Newline    string `json:"newline"`  // lf, crlf, cr, mixed or none
	BOM        bool   `json:"bom,omitempty"`
	Lossy      bool   `json:"lossy,omitempty"` // bytes that are no text are shown as U+FFFD
	Bytes      int64  `json:"bytes"`           // of the whole file
	Type       string `json:"type,omitempty"`  // of a binary file
	Message    string `json:"message"`
}

// numbered writes the lines with their numbers.
func (o ReadOut) numbered() string {
	var b strings.Builder
	b.Grow(len(o.Content) + 8*(o.EndLine-o.StartLine+2))
	n := o.StartLine
	text := o.Content
	if o.Newline == "cr" {
		text = strings.ReplaceAll(text, "\r", "\n")
	}
	for line := range strings.Lines(text) {
		number := strconv.Itoa(n)
		b.WriteString("      "[:max(0, 6-len(number))])
		b.WriteString(number)
		b.WriteByte('\t')
		b.WriteString(strings.TrimRight(line, "\r\n"))
		b.WriteByte('\n')
		n++
	}
	return b.String()
}

// Text writes the lines with their numbers.
func (o ReadOut) Text(env *tools.Env) string {
	switch {
	case o.Content == "":
		return o.Message
	case o.Truncated:
		return o.numbered() + env.Say(tools.Say{EN: "... (truncated) %s", JA: "... (truncated) %s"}, o.Message)
	}
	return strings.TrimSuffix(o.numbered(), "\n")
}

func readFile(ctx context.Context, env *tools.Env, in ReadIn) (out ReadOut, err error) {
	f, err := openFile(ctx, env, in.Path, false)
	if err != nil {
		return out, err
	}
	defer f.close()
	if f.file == nil {
		return out, f.missing(env)
	}
	r, err := f.page(ctx, in)
	if err != nil {
		return out, fault(env, f.shown, err)
	}
	out = ReadOut{Path: in.Path, StartLine: in.Offset, EndLine: in.Offset - 1, TotalLines: r.total(), Hash: r.hash, Bytes: r.size, Newline: r.newline()}
	c := r.charset
	if c == nil {
		out.StartLine, out.EndLine, out.TotalLines, out.Newline = 0, 0, 0, "none"
		out.Encoding, out.Type = "binary", kindOf(r.head)
		out.Message = env.Say(tools.Say{EN: "%s is a binary file (%s, %d bytes): its content is not shown", JA: "%s はバイナリファイルです（%s、%d バイト）。内容は表示しません"}, in.Path, out.Type, r.size)
		return out, nil
	}
	text := c.Decode(r.whole())
	out.Content, out.Encoding, out.Lossy = text.String, c.Name(), text.Lossy
	out.BOM = len(c.BOM()) > 0 && strings.HasPrefix(string(r.head), string(c.BOM()))
	out.EndLine += r.shown
	out.Truncated = out.EndLine < out.TotalLines && out.EndLine >= out.StartLine || r.cut
	if out.EndLine < out.TotalLines && out.EndLine >= out.StartLine {
		out.NextOffset = out.EndLine + 1
	}
	out.Message = out.message(env, r.cut)
	return out, nil
}

func (o ReadOut) message(env *tools.Env, cut bool) string {
	switch {
	case o.TotalLines == 0:
		return env.Say(tools.Say{EN: "%s is empty", JA: "%s は空です"}, o.Path)
	case o.EndLine < o.StartLine:
		return env.Say(tools.Say{EN: "%s has %d lines, none from line %d on", JA: "%s は全 %d 行で、%d 行目以降はありません"}, o.Path, o.TotalLines, o.StartLine)
	case cut:
		return env.Say(tools.Say{EN: "Line %d of %d of %s, cut after %d bytes", JA: "%[3]s の %[1]d 行目（全 %[2]d 行）、%[4]d バイトで切り詰め"}, o.StartLine, o.TotalLines, o.Path, maxPage)
	}
	return env.Say(tools.Say{EN: "Lines %d-%d of %d of %s", JA: "%[4]s の %[1]d-%[2]d 行目（全 %[3]d 行）"}, o.StartLine, o.EndLine, o.TotalLines, o.Path)
}

// pageRead is what one reading of a file gave.
type pageRead struct {
	pager
	hash    string
	size    int64
	head    []byte
	charset *charset.Charset
}

// whole is the page, without a character that was cut.
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
	cut := 0 // in the others it is the last byte, or pair of bytes, if any
	if text := r.charset.Decode(r.raw); strings.HasSuffix(text.String, "\uFFFD") {
		cut = r.unit()
	}
	return r.raw[:len(r.raw)-cut]
}

// page reads a file once from its begin to its end, and keeps no more of it
// than the page.
func (f *file) page(ctx context.Context, in ReadIn) (*pageRead, error) {
	r, err := f.scan(ctx, in, '\n')
	if err != nil || r.ends > 0 || r.returns == 0 {
		return r, err
	}
	if _, err := f.file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return f.scan(ctx, in, '\r') // lines as the Macintosh ended them
}

func (f *file) scan(ctx context.Context, in ReadIn, end byte) (*pageRead, error) {
	r := &pageRead{pager: pager{first: in.Offset, last: in.Offset - 1 + min(in.Limit, math.MaxInt-in.Offset), end: end}}
	hash, sniffer := sha256.New(), &charset.Sniffer{}
	buf := make([]byte, min(max(int(f.info.Size())+1, 4096), 256<<10)&^1)
	for {
		n, err := io.ReadFull(f.file, buf)
		b := buf[:n]
		if r.size == 0 {
			r.head = append(r.head, b[:min(n, 512)]...)
			r.charset = charset.Marked(b)
			if in.Encoding != "" {
				r.charset, _ = charset.Find(in.Encoding)
			}
			r.wide(r.charset)
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
		r.charset = sniffer.Charset()
	}
	if c := r.charset; c != nil && r.size > 0 && string(r.head) == string(c.BOM()) {
		r.open, r.shown = false, 0 // a mark alone is no line
	}
	return r, nil
}
