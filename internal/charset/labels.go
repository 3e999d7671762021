package charset

import (
	"strings"
	"sync"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	xunicode "golang.org/x/text/encoding/unicode"
)

// page is an encoding of the WHATWG Encoding Standard.
type page struct {
	name     string
	encoding encoding.Encoding
	labels   string // its other labels
}

// byLabel returns the encodings by their labels, in lower case. (Package htmlindex
// of x/text has them as well, but takes 2 % of every start of the program.)
var byLabel = sync.OnceValue(func() map[string]page {
	all := map[string]page{}
	for _, p := range append(singleByte(), multiByte()...) {
		for _, label := range append(strings.Fields(p.labels), p.name) {
			all[label] = p
		}
	}
	return all
})

// singleByte returns the encodings with one byte per character.
func singleByte() []page {
	return []page{
		{"ibm866", charmap.CodePage866, "866 cp866 csibm866"},
		{"iso-8859-2", charmap.ISO8859_2,
			"csisolatin2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2"},
		{"iso-8859-3", charmap.ISO8859_3,
			"csisolatin3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3"},
		{"iso-8859-4", charmap.ISO8859_4,
			"csisolatin4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4"},
		{"iso-8859-5", charmap.ISO8859_5,
			"csisolatincyrillic cyrillic iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988"},
		{"iso-8859-6", charmap.ISO8859_6,
			"arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6-e " +
				"iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987"},
		{"iso-8859-7", charmap.ISO8859_7,
			"csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 iso8859-7 iso88597 iso_8859-7 " +
				"iso_8859-7:1987 sun_eu_greek"},
		{"iso-8859-8", charmap.ISO8859_8,
			"csiso88598e csisolatinhebrew hebrew iso-8859-8-e iso-ir-138 iso8859-8 iso88598 " +
				"iso_8859-8 iso_8859-8:1988 visual"},
		{"iso-8859-8-i", charmap.ISO8859_8I, "csiso88598i logical"},
		{"iso-8859-10", charmap.ISO8859_10, "csisolatin6 iso-ir-157 iso8859-10 iso885910 l6 latin6"},
		{"iso-8859-13", charmap.ISO8859_13, "iso8859-13 iso885913"},
		{"iso-8859-14", charmap.ISO8859_14, "iso8859-14 iso885914"},
		{"iso-8859-15", charmap.ISO8859_15, "csisolatin9 iso8859-15 iso885915 iso_8859-15 l9"},
		{"iso-8859-16", charmap.ISO8859_16, ""},
		{"koi8-r", charmap.KOI8R, "cskoi8r koi koi8 koi8_r"},
		{"koi8-u", charmap.KOI8U, "koi8-ru"},
		{"macintosh", charmap.Macintosh, "csmacintosh mac x-mac-roman"},
		{"windows-874", charmap.Windows874, "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620"},
		{"windows-1250", charmap.Windows1250, "cp1250 x-cp1250"},
		{"windows-1251", charmap.Windows1251, "cp1251 x-cp1251"},
		{"windows-1252", charmap.Windows1252,
			"ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 " +
				"iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii x-cp1252"},
		{"windows-1253", charmap.Windows1253, "cp1253 x-cp1253"},
		{"windows-1254", charmap.Windows1254,
			"cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 " +
				"l5 latin5 x-cp1254"},
		{"windows-1255", charmap.Windows1255, "cp1255 x-cp1255"},
		{"windows-1256", charmap.Windows1256, "cp1256 x-cp1256"},
		{"windows-1257", charmap.Windows1257, "cp1257 x-cp1257"},
		{"windows-1258", charmap.Windows1258, "cp1258 x-cp1258"},
		{"x-mac-cyrillic", charmap.MacintoshCyrillic, "x-mac-ukrainian"},
		{"x-user-defined", charmap.XUserDefined, ""},
	}
}

func multiByte() []page {
	return []page{
		{"utf-8", xunicode.UTF8, "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf8 x-unicode20utf8"},
		{"gbk", simplifiedchinese.GBK, "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 iso-ir-58 x-gbk"},
		{"gb18030", simplifiedchinese.GB18030, ""},
		{"big5", traditionalchinese.Big5, "big5-hkscs cn-big5 csbig5 x-x-big5"},
		{"euc-jp", japanese.EUCJP, "cseucpkdfmtjapanese x-euc-jp"},
		{"iso-2022-jp", japanese.ISO2022JP, "csiso2022jp"},
		{"shift_jis", japanese.ShiftJIS, "csshiftjis ms932 ms_kanji shift-jis sjis windows-31j x-sjis"},
		{"euc-kr", korean.EUCKR,
			"cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 " +
				"windows-949"},
		{"replacement", encoding.Replacement, "csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr"},
		{"utf-16be", xunicode.UTF16(xunicode.BigEndian, xunicode.IgnoreBOM), "unicodefffe"},
		{"utf-16le", xunicode.UTF16(xunicode.LittleEndian, xunicode.IgnoreBOM),
			"csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16"},
	}
}
