package charset

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"techo/internal/testenv"
)

// samples are texts that their encodings can represent.
var samples = map[string]string{
	"utf-8":        "héllo 日本語 한국어 𠮷 👍\r\n\ttab\n",
	"utf-16le":     "héllo 日本語 한국어 𠮷 👍\r\n਍Ċ\n",
	"utf-16be":     "héllo 日本語 한국어 𠮷 👍\r\n਍Ċ\n",
	"shift_jis":    "日本語の表示ソース、能力は十分です。ﾊﾝｶｸ ABC\\~\r\n貼り付け\n",
	"euc-jp":       "日本語の表示ソース、能力は十分です。ﾊﾝｶｸ ABC\\~\r\n丂丄丅\n",
	"gb18030":      "简体中文 𠮷 €\r\n測試\n",
	"big5":         "繁體中文測試\r\n功能\n",
	"euc-kr":       "한국어 텍스트\r\n시험\n",
	"windows-1252": "général café €“”\r\nnaïve\n",
	"windows-1250": "příliš žluťoučký kůň\r\nŁódź\n",
	"windows-1254": "ışık ağaç €\r\nĞİŞ\n",
	"windows-1251": "Привет, мир\r\nЁлка №\n",
	"koi8-r":       "Привет, мир\r\nЁлка\n",
	"windows-1253": "Καλημέρα κόσμε\r\nΆ\n",
	"windows-1255": "שלום עולם\r\nאבג\n",
	"windows-1256": "مرحبا بالعالم\r\nپ\n",
	"windows-874":  "สวัสดีชาวโลก\r\n฿\n",
}

// encodeByCharacter encodes text one character at a time and returns the bytes of
// each. It is the reference for Text.Offset.
func encodeByCharacter(c *Charset, text string) (pieces [][]byte) {
	for _, r := range text {
		b, err := c.Encode(string(r))
		if err != nil {
			panic(err)
		}
		pieces = append(pieces, b)
	}
	return pieces
}

// TestText decodes random texts in every encoding and checks the text and the
// offset of every position.
func TestText(t *testing.T) {
	r := testenv.Random(t)
	for _, name := range Names() {
		c, ok := Find(name)
		if !ok || c.Name() != name {
			t.Fatalf("%s: not found", name)
		}
		alphabet := []rune(samples[name])
		for range 200 {
			var b strings.Builder
			for range r.IntN(60) {
				b.WriteRune(alphabet[r.IntN(len(alphabet))])
			}
			text, raw := b.String(), []byte(nil)
			if r.IntN(2) == 0 {
				raw = append(raw, c.BOM()...)
			}
			bom := len(raw)
			pieces := encodeByCharacter(c, text)
			for _, p := range pieces {
				raw = append(raw, p...)
			}
			got := c.Decode(raw)
			if got.String != text || got.Lossy || got.BOM != (bom > 0) {
				t.Fatalf("%s: %q became %q (%v)", name, text, got.String, got.Lossy)
			}
			at, i := bom, 0
			for place := range text {
				if got.Offset(place) != at {
					t.Fatalf("%s: %q: place %d is at %d, want %d", name, text, place, got.Offset(place), at)
				}
				at += len(pieces[i])
				i++
			}
			if got.Offset(len(text)) != len(raw) {
				t.Fatalf("%s: %q: the end is at %d of %d", name, text, got.Offset(len(text)), len(raw))
			}
		}
	}
}

// TestDetect detects the encodings of sample files.
func TestDetect(t *testing.T) {
	encode := func(name, text string) []byte {
		c, _ := Find(name)
		b, err := c.Encode(text)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	long := strings.Repeat("plain ASCII\n", 20_000)
	tests := []struct {
		raw  []byte
		want string
	}{
		{nil, "utf-8"},
		{[]byte("plain"), "utf-8"},
		{[]byte("日本語"), "utf-8"},
		{[]byte("\xef\xbb\xbfx"), "utf-8"},
		{[]byte("\xff\xfea\x00"), "utf-16le"},
		{[]byte("\xfe\xff\x00a"), "utf-16be"},
		{[]byte("\xff\xfe\x00\x00a\x00\x00\x00"), "binary"},
		{[]byte("a\x00b"), "binary"},
		{[]byte("\x01\x02\x03ab"), "binary"},
		{[]byte("\x1b[31mred\x1b[0m\f\n"), "utf-8"},
		{append([]byte(long), encode("shift_jis", "日本語の表示")...), "shift_jis"},
		{append([]byte(long), encode("euc-jp", "日本語の表示")...), "euc-jp"},
		{append([]byte(long), "\x00"...), "utf-8"},
		{encode("shift_jis", samples["shift_jis"]), "shift_jis"},
		{encode("euc-jp", samples["euc-jp"]), "euc-jp"},
		{encode("shift_jis", "// 設定を読み込む\nx = 1\n"), "shift_jis"},
		{encode("euc-jp", "// 設定を読み込む\nx = 1\n"), "euc-jp"},
		{encode("shift_jis", "漢字"), "shift_jis"},
		{encode("windows-1252", "général, café"), "windows-1252"},
		{encode("windows-1252", "Größe, Straße, für"), "windows-1252"},
		{encode("windows-1252", "señor, años, niño"), "windows-1252"},
		{[]byte("日本語 with a fault \xff in it"), "utf-8"},
		{[]byte("\x1b$B4A;z\x1b(B"), "iso-2022-jp"},
		{[]byte("\x1b$B4A;z\x1b(B 漢字"), "utf-8"},
	}
	for _, test := range tests {
		got := "binary"
		if c, _ := Detect(test.raw); c != nil {
			got = c.Name()
		}
		if got != test.want {
			t.Errorf("%.40q is %s, want %s", test.raw, got, test.want)
		}
		// Writing in pieces must give the same result.
		var s Sniffer
		for rest := test.raw; len(rest) > 0; {
			n := min(1+len(rest)/3, len(rest))
			s.Write(rest[:n])
			rest = rest[n:]
		}
		if c, _ := s.Charset(); (c == nil) != (got == "binary") || c != nil && c.Name() != got {
			t.Errorf("%.40q in pieces is not %s", test.raw, got)
		}
	}
}

// TestUnencodable checks the errors of Encode.
func TestUnencodable(t *testing.T) {
	for name, text := range map[string]string{
		"shift_jis": "日本語 한", "windows-1252": "é 漢", "euc-jp": "👍",
	} {
		c, _ := Find(name)
		_, err := c.Encode(text)
		bad := new(UnencodableError)
		runes := []rune(text)
		if !errors.As(err, &bad) || bad.Rune != runes[len(runes)-1] || bad.Charset != name {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzDecode decodes arbitrary bytes in every encoding. Offsets must increase, and
// text that was decoded without loss must encode to the same bytes.
func FuzzDecode(f *testing.F) {
	for i, name := range Names() {
		c, _ := Find(name)
		b, _ := c.Encode(samples[name])
		f.Add(b, i)
		f.Add(append(b[:len(b)-1:len(b)-1], 0xff, 0x80, 0x0a), i)
	}
	f.Fuzz(func(t *testing.T, raw []byte, i int) {
		names := Names()
		c, _ := Find(names[(i%len(names)+len(names))%len(names)])
		text := c.Decode(raw)
		if c.Name() != "utf-8" && !utf8.ValidString(text.String) {
			t.Fatalf("%s: %q is no UTF-8", c.Name(), text.String)
		}
		last := -1
		for place := range text.String {
			at := text.Offset(place)
			// Big5 encodes some pairs of characters as one
			if at < last || at > len(raw) || at == last && c.Name() != "big5" {
				t.Fatalf("%s: place %d is at %d, after %d", c.Name(), place, at, last)
			}
			last = at
		}
		if end := text.Offset(len(text.String)); end != len(raw) {
			t.Fatalf("%s: the end is at %d of %d", c.Name(), end, len(raw))
		}
		if again, err := c.Encode(text.String); err == nil && !text.Lossy && c.Decode(again).String != text.String {
			t.Fatalf("%s: %q came back as %q", c.Name(), text.String, again)
		}
		var s Sniffer
		s.Write(raw)
		if d, _ := Detect(raw); d != nil && bytes.IndexByte(raw[:min(len(raw), head)], 0) >= 0 && Marked(raw) == nil {
			t.Fatalf("%q is %s", raw, d.Name())
		}
	})
}

// TestLabel reads other names of encodings.
func TestLabel(t *testing.T) {
	for label, want := range map[string]string{"latin1": "windows-1252", "ISO-8859-1": "windows-1252", "sjis": "shift_jis",
		"cp932": "shift_jis", "GBK": "gb18030", "utf8": "utf-8", "koi8-r": "koi8-r", "iso-2022-jp": "", "latin-nine": "", "": ""} {
		if got := Label(label); got != want {
			t.Errorf("%q is %q, want %q", label, got, want)
		}
	}
}
