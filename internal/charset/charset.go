// Package charset decodes and encodes the text encodings that files use. A decoded
// Text maps every position back to the bytes it came from, so an edit can replace
// one part of a file and leave all other bytes unchanged.
package charset

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// Charset is one encoding.
type Charset struct {
	name  string
	coder encoding.Encoding // nil is UTF-8
	wide  bool              // code units are two bytes
	bom   []byte            // byte order mark, nil if the encoding has none

	script *script // of an encoding of one byte per character

	stateful bool // the meaning of a byte depends on the bytes before it
}

// Name returns the IANA name of the encoding in lower case.
func (c *Charset) Name() string { return c.name }

// Stateful reports whether the meaning of a byte depends on the bytes before it
// (ISO-2022-JP). Such a file can be decoded, but Text.Offset does not apply to it.
func (c *Charset) Stateful() bool { return c.stateful }

// OneByte reports whether every byte is a character, so that hardly any text is invalid.
func (c *Charset) OneByte() bool { return c.script != nil }

// BOM returns the byte order mark of the encoding, or nil.
func (c *Charset) BOM() []byte { return c.bom }

// Names lists the names of all supported encodings, the most common first.
func Names() []string {
	names := []string{"utf-8", "utf-16le", "utf-16be", "shift_jis", "euc-jp", "gb18030", "big5", "euc-kr"}
	for _, s := range scripts() {
		names = append(names, s.name)
	}
	return names
}

// Label returns the name in Names of an encoding with a label of the WHATWG Encoding Standard, such as latin1 or
// sjis: "" for none. GBK is a part of GB 18030.
func Label(label string) string {
	_, name := lookup(label)
	if name == "gbk" {
		name = "gb18030"
	}
	if _, ok := Find(name); !ok {
		return ""
	}
	return name
}

// Find returns the encoding with a name that Names lists.
func Find(name string) (*Charset, bool) {
	switch name {
	case "utf-8":
		return UTF8(), true
	case "utf-16le":
		return &Charset{name: name, coder: unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM),
			wide: true, bom: []byte("\xff\xfe")}, true
	case "utf-16be":
		return &Charset{name: name, coder: unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM),
			wide: true, bom: []byte("\xfe\xff")}, true
	case "shift_jis":
		return &Charset{name: name, coder: japanese.ShiftJIS}, true
	case "euc-jp":
		return &Charset{name: name, coder: japanese.EUCJP}, true
	case "gb18030":
		return &Charset{name: name, coder: simplifiedchinese.GB18030}, true
	case "big5":
		return &Charset{name: name, coder: traditionalchinese.Big5}, true
	case "euc-kr":
		return &Charset{name: name, coder: korean.EUCKR}, true
	}
	for _, s := range scripts() {
		if s.name == name {
			return &Charset{name: name, coder: s.coder, script: &s}, true
		}
	}
	return nil, false
}

// UTF8 returns UTF-8.
func UTF8() *Charset { return &Charset{name: "utf-8", bom: []byte("\xef\xbb\xbf")} }

// Marked returns the encoding of the byte order mark that raw starts with, or nil.
// A mark of UTF-32 is ignored, because UTF-32 is not supported.
func Marked(raw []byte) *Charset {
	for _, name := range []string{"utf-8", "utf-16le", "utf-16be"} {
		if c, _ := Find(name); bytes.HasPrefix(raw, c.bom) && !bytes.HasPrefix(raw, []byte("\xff\xfe\x00\x00")) {
			return c
		}
	}
	return nil
}

// NewReader returns the text of r in UTF-8. What is invalid becomes U+FFFD.
func (c *Charset) NewReader(r io.Reader) io.Reader {
	if c.coder == nil {
		return r
	}
	return c.coder.NewDecoder().Reader(r)
}

// UnencodableError reports a character that the encoding cannot represent.
type UnencodableError struct {
	Rune    rune
	Charset string
}

func (e *UnencodableError) Error() string {
	return fmt.Sprintf("%q: not in %s", e.Rune, e.Charset)
}

// Encode encodes text without a byte order mark. It returns an *UnencodableError
// for the first character that the encoding cannot represent.
func (c *Charset) Encode(text string) ([]byte, error) {
	if c.coder == nil {
		return []byte(text), nil
	}
	b, err := c.coder.NewEncoder().Bytes([]byte(text))
	if err == nil {
		return b, nil
	}
	for _, r := range text { // find the character that failed
		if _, err := c.coder.NewEncoder().String(string(r)); err != nil {
			return nil, &UnencodableError{r, c.name}
		}
	}
	return nil, err
}

// Same reports whether c and d are the same encoding.
func (c *Charset) Same(d *Charset) bool { return strings.EqualFold(c.name, d.name) }
