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

// decoder turns the codes of a font into text.
type decoder func(codes string) string

// fontDecoder returns the decoder for a font dictionary, and the number of bytes of the first
// of some codes. The codes of a font without a known encoding are taken as UTF-8.
func fontDecoder(font pdf.Value) (decoder, func(codes string) int) {
	if font.IsNull() {
		return asUTF8, stepUTF8
	}
	with := font.Key("Encoding")
	composite := font.Key("Subtype").Name() == "Type0"
	switch with.Kind() {
	case pdf.Null, pdf.Stream:
		return toUnicode(font)
	case pdf.Dict:
		return preferTable(font, differences(with.Key("Differences"))), stepOne
	}
	name := with.Name()
	switch name {
	case "WinAnsiEncoding":
		return preferTable(font, byteDecoder(winANSI)), stepOne
	case "MacRomanEncoding":
		return preferTable(font, byteDecoder(charmap.Macintosh.DecodeByte)), stepOne
	case "Identity-H", "Identity-V":
		return toUnicode(font)
	}
	if decode, step := eastAsian(name); decode != nil {
		return decode, step
	}
	if font.Key("ToUnicode").Kind() == pdf.Stream {
		if composite {
			return toUnicode(font)
		}
		return preferTable(font, asUTF8), stepOne
	}
	return asUTF8, stepUTF8
}

func stepOne(string) int { return 1 }
func stepTwo(string) int { return 2 }

func stepUTF8(codes string) int {
	_, n := utf8.DecodeRuneInString(codes)
	return n
}

// stepUTF16 counts a pair of surrogates as one code.
func stepUTF16(codes string) int {
	if codes[0]&0xfc == 0xd8 {
		return 4
	}
	return 2
}

// stepFrom returns the step of an encoding with codes of two bytes from a first byte on.
func stepFrom(first byte) func(string) int {
	return func(codes string) int {
		if codes[0] >= first {
			return 2
		}
		return 1
	}
}

// stepShiftJIS counts the letters of half the width, which have one byte.
func stepShiftJIS(codes string) int {
	if b := codes[0]; b <= 0x80 || b >= 0xa0 && b <= 0xdf {
		return 1
	}
	return 2
}

// stepEUCJP counts the codes of three bytes.
func stepEUCJP(codes string) int {
	switch b := codes[0]; {
	case b == 0x8f:
		return 3
	case b >= 0x8e:
		return 2
	}
	return 1
}

// eastAsian returns the decoder for a predefined encoding of Japanese, Chinese or Korean
// (ISO 32000-1, table 118), or nil. Their names end with the direction of writing.
func eastAsian(name string) (decoder, func(codes string) int) {
	family, _, _ := strings.Cut(name, "-")
	with := func(e encoding.Encoding) decoder {
		return func(codes string) string { return decodeWith(e, codes) }
	}
	switch {
	case name == "H", name == "V":
		return func(codes string) string { return decodeWith(japanese.EUCJP, raised(codes)) }, stepTwo
	case strings.Contains(name, "-UCS2-"), strings.Contains(name, "-UTF16-"):
		return decodeUTF16, stepUTF16
	case strings.Contains(name, "-RKSJ-"):
		return with(japanese.ShiftJIS), stepShiftJIS
	case name == "EUC-H", name == "EUC-V":
		return with(japanese.EUCJP), stepEUCJP
	case family == "GBK", family == "GBKp", family == "GBpc", family == "GBK2K", strings.HasPrefix(name, "GB-EUC-"):
		return with(simplifiedchinese.GB18030), stepFrom(0x81)
	case family == "ETen", family == "ETenms", family == "B5pc", family == "HKscs":
		return with(traditionalchinese.Big5), stepFrom(0x81)
	case family == "KSC", family == "KSCms", family == "KSCpc":
		return with(korean.EUCKR), stepFrom(0x81)
	}
	return nil, nil
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

// toUnicode returns the decoder for the table ToUnicode of a font, or for the
// standard encoding of a font without one.
func toUnicode(font pdf.Value) (decoder, func(codes string) int) {
	table := font.Key("ToUnicode")
	if table.Kind() != pdf.Stream {
		return byteDecoder(standard), stepOne
	}
	m := readCodeMap(table.Reader())
	return m.decode, m.length
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
