package charset

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	xunicode "golang.org/x/text/encoding/unicode"
)

func encoded(t *testing.T, e encoding.Encoding, text string) []byte {
	t.Helper()
	b, err := e.NewEncoder().Bytes([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const japaneseText = "日本語の文章です。これはテストのための、短い例文です。"

// TestDecode decodes texts with correct, missing and wrong declarations.
func TestDecode(t *testing.T) {
	meta := func(label string) string { return `<meta charset="` + label + `">` }
	late := strings.Repeat("<!-- padding -->", 200)
	for name, c := range map[string]struct {
		encoding encoding.Encoding // nil is UTF-8
		declared string
		text     string
		want     string
	}{
		"UTF-8":                     {nil, "utf-8", japaneseText, "utf-8"},
		"undeclared":                {nil, "", japaneseText, "utf-8"},
		"UTF-8, declared SJIS":      {nil, "shift_jis", japaneseText, "utf-8"},
		"UTF-8, meta SJIS":          {nil, "", meta("shift_jis") + japaneseText, "utf-8"},
		"UTF-16 without a mark":     {xunicode.UTF16(xunicode.LittleEndian, xunicode.IgnoreBOM), "", "<!doctype html><p>" + japaneseText, "utf-16le"},
		"UTF-8, meta UTF-16":        {nil, "", meta("utf-16") + japaneseText, "utf-8"},
		"SJIS by header":            {japanese.ShiftJIS, "Shift_JIS", japaneseText, "shift_jis"},
		"SJIS by an old name":       {japanese.ShiftJIS, "x-sjis", japaneseText, "shift_jis"},
		"SJIS by meta":              {japanese.ShiftJIS, "", meta("Shift_JIS") + japaneseText, "shift_jis"},
		"SJIS by late meta":         {japanese.ShiftJIS, "", late + meta("shift_jis") + "雨", "shift_jis"},
		"SJIS, undeclared":          {japanese.ShiftJIS, "", japaneseText, "shift_jis"},
		"SJIS, declared UTF-8":      {japanese.ShiftJIS, "utf-8", japaneseText, "shift_jis"},
		"SJIS, declared Latin-1":    {japanese.ShiftJIS, "iso-8859-1", japaneseText, "shift_jis"},
		"SJIS, eight characters":    {japanese.ShiftJIS, "", "お知らせです。春", "shift_jis"},
		"SJIS, kanji only":          {japanese.ShiftJIS, "", "日本国憲法前文全訳", "shift_jis"},
		"SJIS, half-width kana":     {japanese.ShiftJIS, "shift_jis", "ﾊﾝｶｸｶﾅ", "shift_jis"},
		"SJIS of Windows":           {japanese.ShiftJIS, "shift_jis", "①㈱髙﨑", "shift_jis"},
		"EUC-JP by header":          {japanese.EUCJP, "euc-jp", japaneseText, "euc-jp"},
		"EUC-JP, undeclared":        {japanese.EUCJP, "", japaneseText, "euc-jp"},
		"EUC-JP, declared Latin-1":  {japanese.EUCJP, "iso-8859-1", japaneseText, "euc-jp"},
		"EUC-JP, kanji only":        {japanese.EUCJP, "", "日本国憲法前文全訳", "euc-jp"},
		"ISO-2022-JP":               {japanese.ISO2022JP, "", japaneseText, "iso-2022-jp"},
		"ISO-2022-JP, wrong header": {japanese.ISO2022JP, "utf-8", japaneseText, "iso-2022-jp"},

		"Portuguese, declared Latin-1": {charmap.Windows1252, "iso-8859-1", "Ação, coração e pães", "windows-1252"},

		"by XML":              {japanese.EUCJP, "", `<?xml version="1.0" encoding="EUC-JP"?><a>雨</a>`, "euc-jp"},
		"an unknown name":     {nil, "x-unknown", japaneseText, "utf-8"},
		"Latin-1":             {charmap.Windows1252, "iso-8859-1", "café naïve über straße", "windows-1252"},
		"Latin-1, undeclared": {charmap.Windows1252, "", "un café très serré, s'il vous plaît", "windows-1252"},
		"Cyrillic":            {charmap.Windows1251, "windows-1251", "Привет, мир", "windows-1251"},
		"Chinese":             {simplifiedchinese.GBK, "gb2312", "你好，世界。这是一个测试。", "gbk"},
		"Korean":              {korean.EUCKR, "euc-kr", "안녕하세요 세계", "euc-kr"},
		"ASCII":               {nil, "", "plain", "utf-8"},
	} {
		body := []byte(c.text)
		if c.encoding != nil {
			body = encoded(t, c.encoding, c.text)
		}
		if got, encoding := DecodePage(body, c.declared); got != c.text || encoding != c.want {
			t.Errorf("%s: %q as %s, want %q as %s", name, got, encoding, c.text, c.want)
		}
	}
}

// TestDecodeCut checks that an incomplete character at the end is dropped.
func TestDecodeCut(t *testing.T) {
	for _, e := range []encoding.Encoding{nil, japanese.ShiftJIS, japanese.EUCJP} {
		body := []byte(japaneseText)
		if e != nil {
			body = encoded(t, e, japaneseText)
		}
		for n := len(body) / 2; n < len(body); n++ {
			if got, name := DecodePage(body[:n], ""); strings.Contains(got, "�") ||
				!strings.HasPrefix(japaneseText, got) {
				t.Errorf("%d bytes: %q as %s", n, got, name)
			}
		}
	}
}

func FuzzDecodePage(f *testing.F) {
	f.Add([]byte(japaneseText), "shift_jis")
	f.Add([]byte("\xff\xfea\x00"), "")
	f.Add([]byte("<meta charset=\"\xff"), "utf-16")
	f.Fuzz(func(t *testing.T, body []byte, declared string) {
		if text, name := DecodePage(body, declared); !utf8.ValidString(text) || name == "" {
			t.Fatalf("%q as %q", text, name)
		}
	})
}

// TestLabels compares the labels of encodings with package charset of x/net.
func TestLabels(t *testing.T) {
	if len(byLabel()) != 228 {
		t.Errorf("%d labels", len(byLabel()))
	}
	for label, p := range byLabel() {
		e, name := charset.Lookup(label)
		if e == nil || name != p.name {
			t.Errorf("%s is %s, want %s", label, p.name, name)
			continue
		}
		for b := range 256 {
			code := []byte{byte(b), 0x42, 0xa4, 0xa2}
			got, _ := p.encoding.NewDecoder().Bytes(code)
			want, _ := e.NewDecoder().Bytes(code)
			if string(got) != string(want) {
				t.Errorf("%s decodes %x as %q, want %q", label, code, got, want)
			}
		}
	}
}
