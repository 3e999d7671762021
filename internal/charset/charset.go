// Package charset reads texts in the encodings that files come in, and knows
// for every place of the text the bytes that it came from, so that a part can be
// exchanged and the rest stay as it is, byte for byte.
package charset

import (
	"bytes"
	"fmt"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// Charset is one encoding.
type Charset struct {
	name  string
	coder encoding.Encoding          // nil is UTF-8
	size  func(b []byte) int         // bytes of the character that b begins with, 0 when it is none
	wide  bool                       // it is made of pairs of bytes
	bom   []byte                     // what a file begins with to say so
	score func(b []byte) (sense int) // how much like a text b looks, for what must be guessed
}

// Name returns its name, as the IANA has it, in lower case.
func (c *Charset) Name() string { return c.name }

// BOM returns the mark that a file in it may begin with, nil when there is none.
func (c *Charset) BOM() []byte { return c.bom }

// Names lists the encodings, the usual ones first.
func Names() []string {
	return []string{"utf-8", "utf-16le", "utf-16be", "shift_jis", "euc-jp", "gb18030", "big5", "euc-kr", "windows-1252"}
}

// Find returns the encoding of a name of Names.
func Find(name string) (*Charset, bool) {
	switch name {
	case "utf-8":
		return UTF8(), true
	case "utf-16le":
		return &Charset{name: name, coder: unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), size: sizeUTF16(1), wide: true, bom: []byte("\xff\xfe")}, true
	case "utf-16be":
		return &Charset{name: name, coder: unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), size: sizeUTF16(0), wide: true, bom: []byte("\xfe\xff")}, true
	case "shift_jis":
		return &Charset{name: name, coder: japanese.ShiftJIS, size: sizeShiftJIS, score: scoreShiftJIS}, true
	case "euc-jp":
		return &Charset{name: name, coder: japanese.EUCJP, size: sizeEUCJP, score: scoreEUCJP}, true
	case "gb18030":
		return &Charset{name: name, coder: simplifiedchinese.GB18030, size: sizeGB18030}, true
	case "big5":
		return &Charset{name: name, coder: traditionalchinese.Big5, size: sizePair(0x81, 0xfe)}, true
	case "euc-kr":
		return &Charset{name: name, coder: korean.EUCKR, size: sizePair(0x81, 0xfe)}, true
	case "windows-1252":
		return &Charset{name: name, coder: charmap.Windows1252, size: func([]byte) int { return 1 }}, true
	}
	return nil, false
}

// UTF8 is the encoding of nearly all files.
func UTF8() *Charset { return &Charset{name: "utf-8", bom: []byte("\xef\xbb\xbf")} }

// Marked returns the encoding that a file's BOM says it has, nil without one.
// The mark of UTF-32 is taken for no text.
func Marked(raw []byte) *Charset {
	for _, name := range []string{"utf-8", "utf-16le", "utf-16be"} {
		if c, _ := Find(name); bytes.HasPrefix(raw, c.bom) && !bytes.HasPrefix(raw, []byte("\xff\xfe\x00\x00")) {
			return c
		}
	}
	return nil
}

// UnencodableError says that an encoding has no way to write a character.
type UnencodableError struct {
	Rune    rune
	Charset string
}

func (e *UnencodableError) Error() string {
	return fmt.Sprintf("%q: not in %s", e.Rune, e.Charset)
}

// Encode writes a text, without a BOM. It fails with an UnencodableError.
func (c *Charset) Encode(text string) ([]byte, error) {
	if c.coder == nil {
		return []byte(text), nil
	}
	b, err := c.coder.NewEncoder().Bytes([]byte(text))
	if err == nil {
		return b, nil
	}
	for _, r := range text { // which one it was
		if _, err := c.coder.NewEncoder().String(string(r)); err != nil {
			return nil, &UnencodableError{r, c.name}
		}
	}
	return nil, err
}

// Same reports whether two are the same encoding.
func (c *Charset) Same(d *Charset) bool { return strings.EqualFold(c.name, d.name) }
