package pdftext

import (
	"unicode/utf16"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"
	"golang.org/x/text/encoding/charmap"
)

// fontDecoder returns the decoder for a font dictionary. The codes of a font
// without a known encoding are taken as UTF-8.
func fontDecoder(font pdf.Value) decoder {
	if font.IsNull() {
		return asUTF8
	}
	encoding := font.Key("Encoding")
	switch encoding.Kind() {
	case pdf.Null:
		return toUnicode(font)
	case pdf.Dict:
		return differences(encoding.Key("Differences"))
	}
	switch encoding.Name() {
	case "WinAnsiEncoding":
		return byteDecoder(winANSI)
	case "MacRomanEncoding":
		return byteDecoder(charmap.Macintosh.DecodeByte)
	case "Identity-H":
		return toUnicode(font)
	case "UniGB-UCS2-H":
		return decodeUTF16
	}
	return asUTF8
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
