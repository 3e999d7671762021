package charset

import (
	"bytes"
	"cmp"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	xunicode "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"
)

// DecodePage converts a web page to UTF-8 and returns the name of its encoding. declared is
// the charset of the Content-Type header, or "". The first of these that fits the
// bytes is used: a byte order mark, valid UTF-8, the header, the declaration in
// the text, the most probable encoding. Anything else is decoded as
// Windows-1252. An incomplete character at the end is dropped.
func DecodePage(body []byte, declared string) (text, name string) {
	if text, name, ok := byMark(body); ok {
		return text, name
	}
	if bytes.Contains(body, []byte("\x1b$")) && IsASCII(body) {
		if text, faults := decode(body, japanese.ISO2022JP); faults == 0 {
			return text, "iso-2022-jp"
		}
	}
	label := strings.ToLower(strings.Trim(declared, `"' `))
	if wide := WideMarkup(body); strings.HasPrefix(label, "utf-16") && isWide(body) || wide != "" {
		order, name := xunicode.LittleEndian, "utf-16le" // as in the Encoding Standard
		if wide == "utf-16be" || wide == "" && label == "utf-16be" {
			order, name = xunicode.BigEndian, "utf-16be"
		}
		text, _ := decode(body, xunicode.UTF16(order, xunicode.IgnoreBOM))
		return text, name
	}
	labels := []string{declared, fromMeta(body), fromProlog(body)}
	if IsASCII(body) {
		return string(body), cmp.Or(firstOf(labels), "utf-8")
	}
	if trimmed := trimCut(body); utf8.Valid(trimmed) {
		return string(trimmed), "utf-8"
	}
	for _, label := range labels {
		e, name := lookup(label)
		if e == nil || name == "utf-8" || strings.HasPrefix(name, "utf-16") || isSingleByte(name) {
			continue
		}
		if text, faults := decode(body, e); faults*200 <= nonASCII(text) {
			return text, name
		}
	}
	undeclared := firstOf(labels) == "" &&
		strings.Count(strings.ToValidUTF8(string(body), "�"), "�")*20 > nonASCII(string(body))
	e, name := lookup(guessPage(body))
	if text, faults := decode(body, e); undeclared || !isSingleByte(name) && faults*200 <= nonASCII(text) {
		return text, name // a page in one of more bytes may say that it is in Latin-1
	}
	return last(body, labels)
}

// NewWriter returns a writer of text in an encoding that DecodePage named, which writes it to w in UTF-8. Close writes
// the rest. What is invalid becomes U+FFFD. ok is false for an unknown name.
func NewWriter(w io.Writer, name string) (_ io.WriteCloser, ok bool) {
	e, _ := lookup(name)
	if e == nil {
		return nil, false
	}
	return transform.NewWriter(w, e.NewDecoder()), true
}

// isWide reports whether a body has the bytes of zero that UTF-16 has in markup and in text
// with blanks.
func isWide(body []byte) bool { return bytes.Count(body[:min(len(body), 1000)], []byte{0}) > 0 }

// WideMarkup returns the UTF-16 in which a page without a mark or a declaration begins: a tag whose
// every other byte is zero. It returns "" for all else.
func WideMarkup(body []byte) string {
	const least = 16
	if len(body) < least {
		return ""
	}
	for at, name := range []string{"utf-16le", "utf-16be"} {
		fits := body[at] == '<'
		for i := 0; i < least; i++ {
			fits = fits && (body[i] == 0) == (i%2 != at) && body[i] < 0x80
		}
		if fits {
			return name
		}
	}
	return ""
}

// IsGuess reports whether DecodePage had to guess the encoding that it found.
func IsGuess(body []byte, declared, found string) bool {
	return found != "utf-8" && !IsASCII(body) && Marked(body) == nil &&
		firstOf([]string{declared, fromMeta(body), fromProlog(body)}) == "" && !strings.HasPrefix(found, "utf-")
}

// firstOf returns the name of the first encoding of some labels that a body which is no UTF-8 and no
// UTF-16 could be in, or "".
func firstOf(labels []string) string {
	for _, label := range labels {
		if e, name := lookup(label); e != nil && name != "utf-8" && !strings.HasPrefix(name, "utf-16") && name != "replacement" {
			return name
		}
	}
	return ""
}

// last decodes a body that fits no encoding: as the first declared one, with
// replacement characters.
func last(body []byte, labels []string) (text, name string) {
	for _, label := range labels {
		if e, name := lookup(label); e != nil && isSingleByte(name) {
			text, _ = decode(body, e)
			return text, name
		}
	}
	valid := strings.ToValidUTF8(string(body), "�")
	if bad := strings.Count(valid, "�"); bad*20 <= nonASCII(valid) {
		return valid, "utf-8"
	}
	for _, label := range labels {
		if e, name := lookup(label); e != nil && name != "utf-8" && !strings.HasPrefix(name, "utf-16") {
			text, _ = decode(body, e)
			return text, name
		}
	}
	e, name := lookup("windows-1252")
	text, _ = decode(body, e)
	return text, name
}

// byMark decodes a body that starts with a byte order mark.
func byMark(body []byte) (text, name string, ok bool) {
	if rest, found := bytes.CutPrefix(body, []byte("\xff\xfe\x00\x00")); found {
		text, _ = decode(rest, utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM))
		return text, "utf-32le", true
	}
	c := Marked(body)
	if c == nil {
		return "", "", false
	}
	body = body[len(c.bom):]
	if c.coder == nil {
		return strings.ToValidUTF8(string(trimCut(body)), "�"), c.name, true
	}
	text, _ = decode(body, c.coder)
	return text, c.name, true
}

// lookup finds an encoding by its label in the WHATWG Encoding Standard.
func lookup(label string) (encoding.Encoding, string) {
	label = strings.ToLower(strings.Trim(strings.TrimSpace(label), `"'`))
	switch label {
	case "":
		return nil, ""
	case "cp932", "ms932", "windows-932", "sjis-win":
		label = "shift_jis"
	case "eucjp", "ujis", "eucjp-win", "cp51932":
		label = "euc-jp"
	}
	p := byLabel()[label]
	return p.encoding, p.name
}

func isSingleByte(name string) bool {
	return strings.HasPrefix(name, "iso-8859-") || strings.HasPrefix(name, "windows-") ||
		strings.HasPrefix(name, "koi8") ||
		name == "macintosh" || name == "x-mac-cyrillic" || name == "ibm866" || name == "x-user-defined"
}

// decode decodes body and counts invalid bytes. An incomplete character at the end
// does not count.
func decode(body []byte, e encoding.Encoding) (text string, faults int) {
	out, err := e.NewDecoder().Bytes(body)
	if err != nil {
		return "", 1 << 30
	}
	text = strings.TrimRight(string(out), "�")
	return text, strings.Count(text, "�")
}

// trimCut removes an incomplete character at the end.
func trimCut(body []byte) []byte {
	for back := 1; back < utf8.UTFMax && back <= len(body); back++ {
		b := body[len(body)-back]
		if utf8.RuneStart(b) {
			if !utf8.FullRune(body[len(body)-back:]) {
				return body[:len(body)-back]
			}
			break
		}
	}
	return body
}

func nonASCII(text string) (n int) {
	for _, r := range text {
		if r >= utf8.RuneSelf {
			n++
		}
	}
	return n
}

// fromMeta returns the charset that an HTML document declares in a meta element.
// Browsers look at the first 1,024 bytes only, but pages declare it later, too.
func fromMeta(body []byte) string {
	head := bytes.ToLower(body[:min(len(body), 8192)])
	for {
		i := bytes.Index(head, []byte("<meta"))
		if i < 0 {
			return ""
		}
		head = head[i+5:]
		tag := head
		if end := bytes.IndexByte(tag, '>'); end >= 0 {
			tag = tag[:end]
		}
		if _, label, ok := bytes.Cut(tag, []byte("charset")); ok {
			label = bytes.TrimLeft(label, " \t\r\n")
			if label, ok = bytes.CutPrefix(label, []byte("=")); ok {
				label = bytes.TrimLeft(label, " \t\r\n\"'")
				if end := bytes.IndexAny(label, " \t\r\n\"';/>"); end >= 0 {
					label = label[:end]
				}
				return string(label)
			}
		}
	}
}

// fromProlog returns the encoding of an XML declaration.
func fromProlog(body []byte) string {
	head := body[:min(len(body), 200)]
	if !bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("<?xml")) {
		return ""
	}
	_, label, ok := bytes.Cut(head, []byte("encoding="))
	if !ok || len(label) < 2 {
		return ""
	}
	end := bytes.IndexByte(label[1:], label[0])
	if end < 0 {
		return ""
	}
	return string(label[1 : 1+end])
}
