package pdftext

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// fontDecoder returns the decoder for a font dictionary. The codes of a font
// without a known encoding are taken as UTF-8.
func fontDecoder(font pdf.Value) decoder {
	if font.IsNull() {
		return asUTF8
	}
	with := font.Key("Encoding")
	switch with.Kind() {
	case pdf.Null:
		return toUnicode(font)
	case pdf.Dict:
		return preferTable(font, differences(with.Key("Differences")))
	}
	name := with.Name()
	switch name {
	case "WinAnsiEncoding":
		return preferTable(font, byteDecoder(winANSI))
	case "MacRomanEncoding":
		return preferTable(font, byteDecoder(charmap.Macintosh.DecodeByte))
	case "Identity-H", "Identity-V":
		return toUnicode(font)
	}
	if decode := eastAsian(name); decode != nil {
		return decode
	}
	return preferTable(font, asUTF8)
}

// eastAsian returns the decoder for a predefined encoding of Japanese, Chinese or Korean
// (ISO 32000-1, table 118), or nil. Their names end with the direction of writing.
func eastAsian(name string) decoder {
	family, _, _ := strings.Cut(name, "-")
	switch {
	case name == "H", name == "V":
		return func(codes string) string { return decodeWith(japanese.EUCJP, raised(codes)) }
	case strings.Contains(name, "-UCS2-"), strings.Contains(name, "-UTF16-"):
		return decodeUTF16
	case strings.Contains(name, "-RKSJ-"):
		return func(codes string) string { return decodeWith(japanese.ShiftJIS, codes) }
	case name == "EUC-H", name == "EUC-V":
		return func(codes string) string { return decodeWith(japanese.EUCJP, codes) }
	case family == "GBK", family == "GBKp", family == "GBpc", family == "GBK2K", strings.HasPrefix(name, "GB-EUC-"):
		return func(codes string) string { return decodeWith(simplifiedchinese.GB18030, codes) }
	case family == "ETen", family == "ETenms", family == "B5pc", family == "HKscs":
		return func(codes string) string { return decodeWith(traditionalchinese.Big5, codes) }
	case family == "KSC", family == "KSCms", family == "KSCpc":
		return func(codes string) string { return decodeWith(korean.EUCKR, codes) }
	}
	return nil
}

// decodeWith decodes codes, with a replacement for each invalid one.
func decodeWith(from encoding.Encoding, codes string) string {
	text, err := from.NewDecoder().String(codes)
	if err != nil {
		return string(utf8.RuneError)
	}
	return text
}

// raised sets the highest bit of each byte.
func raised(codes string) string {
	b := []byte(codes)
	for i := range b {
		b[i] |= 0x80
	}
	return string(b)
}

// preferTable returns a decoder for the table ToUnicode of a font with codes of one byte.
// Codes that the table lacks are decoded by the encoding.
func preferTable(font pdf.Value, encoded decoder) decoder {
	stream := font.Key("ToUnicode")
	if stream.Kind() != pdf.Stream || font.Key("Subtype").Name() == "Type0" {
		return encoded
	}
	table := readCodeMap(stream.Reader())
	return func(codes string) string {
		var text strings.Builder
		for i := range len(codes) {
			one := table.character(codes[i : i+1])
			if one == string(utf8.RuneError) {
				one = encoded(codes[i : i+1])
			}
			text.WriteString(one)
		}
		return text.String()
	}
}

// toUnicode returns a decoder for the table ToUnicode of a font, or for the
// standard encoding of a font without one.
func toUnicode(font pdf.Value) decoder {
	table := font.Key("ToUnicode")
	if table.Kind() != pdf.Stream {
		return byteDecoder(standard)
	}
	return readCodeMap(table.Reader()).decode
}

// asUTF8 replaces invalid bytes.
func asUTF8(codes string) string { return string([]rune(codes)) }

// decodeUTF16 decodes UTF-16, the big end first.
func decodeUTF16(codes string) string {
	units := make([]uint16, len(codes)/2)
	for i := range units {
		units[i] = uint16(codes[2*i])<<8 | uint16(codes[2*i+1])
	}
	return string(utf16.Decode(units))
}

// byteDecoder returns a decoder for an encoding with one byte per character.
func byteDecoder(character func(byte) rune) decoder {
	return func(codes string) string {
		text := make([]rune, len(codes))
		for i := range len(codes) {
			text[i] = character(codes[i])
		}
		return string(text)
	}
}

// winANSI is Windows-1252 without the control codes that it shares with Unicode.
func winANSI(b byte) rune {
	if r := charmap.Windows1252.DecodeByte(b); b < 0x80 || r != rune(b) || b >= 0xa0 {
		return r
	}
	return utf8.RuneError
}

// Characters of PDFDocEncoding that differ from Latin-1 (ISO 32000-1, table D.2),
// from 0x18 and from 0x80 on.
var (
	standardAccents = []rune("˘ˇˆ˙˝˛˚˜")
	standardSigns   = []rune("•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂ" +
		"ŁŒŠŸŽıłœšž\ufffd€")
)

// standard is PDFDocEncoding.
func standard(b byte) rune {
	switch {
	case b == '\t' || b == '\n' || b == '\r':
		return rune(b)
	case b >= 0x18 && b < 0x20:
		return standardAccents[b-0x18]
	case b >= 0x80 && b <= 0xa0:
		return standardSigns[b-0x80]
	case b < 0x20 || b == 0x7f || b == 0xad:
		return utf8.RuneError
	}
	return rune(b)
}

// differences returns a decoder for an array of codes, each followed by the names
// of the glyphs from that code on. Other codes are taken as Latin-1.
func differences(array pdf.Value) decoder {
	var characters [256]rune
	for i := range characters {
		characters[i] = rune(i)
	}
	var named [256]bool
	code := int64(-1)
	for i := range array.Len() {
		switch entry := array.Index(i); entry.Kind() {
		case pdf.Integer:
			code = entry.Int64()
		case pdf.Name:
			r, known := glyphNames()[entry.Name()]
			if known && code >= 0 && code < 256 && !named[code] { // the first one counts
				characters[code], named[code] = r, true
			}
			code++
		}
	}
	return byteDecoder(func(b byte) rune { return characters[b] })
}
