package meaning

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode"
)

// TestTable checks that the table is whole and small.
func TestTable(t *testing.T) {
	if builtIn.header(0) != 0x31544d54 || builtIn.header(1) != Dimensions {
		t.Fatalf("header % x", data[:headerSize])
	}
	if want := headerSize + builtIn.slots()*slotSize + builtIn.rows()*rowSize; len(data) != want {
		t.Errorf("%d bytes, want %d", len(data), want)
	}
	if len(data) > 16_000_000 {
		t.Errorf("%d bytes, want at most 16,000,000", len(data))
	}
	for at := range builtIn.slots() {
		packed := word(data, headerSize+at*slotSize+4) & noRow
		if packed != noRow && int(packed) >= builtIn.rows() {
			t.Fatalf("slot %d: row %d of %d", at, packed, builtIn.rows())
		}
	}
}

// TestTokens compares with the tokens that the training program saw.
func TestTokens(t *testing.T) {
	for _, row := range examples(t, "tokens") {
		var got []string
		use := func(row int) { got = append(got, strconv.Itoa(row)) }
		builtIn.tokens(row[0], func(word []byte) { builtIn.word(word, use) }, use)
		if got := strings.Join(got, " "); got != row[1] {
			t.Errorf("%s\n got %s\nwant %s", row[0], got, row[1])
		}
	}
}

// TestSame gives one vector to what differs in writing only.
func TestSame(t *testing.T) {
	for _, pair := range [][2]string{
		{"The Wedding was CANCELLED", "the wedding was cancelled!"},
		{"Ｋｙｏｔｏ ﾗｰﾒﾝ", "kyoto ラーメン"},
		{"café naïve", "cafe naive"},
		{"it’s mine", "it's mine"},
		{"getUserName", "get_user_name"},
		{"dog bites man", "man bites dog"},
	} {
		if a, b := Vector(pair[0]), Vector(pair[1]); a != b {
			t.Errorf("%s and %s: likeness %.3f, want the same vector", pair[0], pair[1], Likeness(&a, &b))
		}
	}
}

// TestZero gives the zero vector to a text without a token.
func TestZero(t *testing.T) {
	for _, text := range []string{"", " \n", "?!", "\xff\xfe", "Привет"} {
		v := Vector(text)
		if !v.Zero() || v != (Vec{}) {
			t.Errorf("%q: %v", text, v)
		}
		if other := Vector("dog"); Likeness(&v, &other) != 0 || Likeness(&v, &v) != 0 {
			t.Errorf("%q is like something", text)
		}
	}
}

func TestDecode(t *testing.T) {
	v := Vector("The library closes at six.")
	b := v.Append([]byte("x"))
	got, err := Decode(b[1:])
	if err != nil || got != v || len(b) != 1+Size {
		t.Errorf("got %v, %v, %d bytes", got, err, len(b))
	}
	if _, err := Decode(b); err == nil {
		t.Error("no error for a byte too many")
	}
}

// TestConcurrent computes vectors side by side.
func TestConcurrent(t *testing.T) {
	want := Vector("雨だと膝が痛む。")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if Vector("雨だと膝が痛む。") != want {
				t.Error("another vector")
			}
		})
	}
	all.Wait()
}

func FuzzVector(f *testing.F) {
	text, err := os.ReadFile("testdata/texts.txt")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f.Add(line, "The boiler broke.")
	}
	f.Fuzz(func(t *testing.T, x, y string) {
		a, b := Vector(x), Vector(y)
		l := Likeness(&a, &b)
		if l != Likeness(&b, &a) || l < -1.0001 || l > 1.0001 || math.IsNaN(float64(l)) {
			t.Errorf("likeness %v and %v", l, Likeness(&b, &a))
		}
		if self := Likeness(&a, &a); !a.Zero() && (self < .9999 || self > 1.0001) {
			t.Errorf("likeness %v to itself", self)
		}
		if got, err := Decode(a.Append(nil)); err != nil || got != a {
			t.Errorf("decoded %v, %v", got, err)
		}
		if v := Vector(" " + x + "\n"); v != a {
			t.Errorf("blanks around %q change it", x)
		}
		if v := Vector(strings.ToUpper(x)); plainLetters(x) && v != a {
			t.Errorf("capitals change %q", x)
		}
	})
}

// plainLetters reports whether x has neither capitals nor letters whose capital differs from one letter.
func plainLetters(x string) bool {
	return !strings.ContainsFunc(x, func(r rune) bool { return r >= 0x80 || unicode.IsUpper(r) })
}

func FuzzDecode(f *testing.F) {
	v := Vector("dog")
	f.Add(v.Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := Decode(b)
		if (err == nil) != (len(b) == Size) {
			t.Fatal(err)
		}
		if err == nil && !bytes.Equal(v.Append(nil), b) && v.Scale == v.Scale {
			t.Errorf("%x came back as %x", b, v.Append(nil))
		}
	})
}

func BenchmarkQuestion(b *testing.B) {
	for b.Loop() {
		Vector("When must I pay the rent for my apartment in Osaka?")
	}
}

func BenchmarkJapanese(b *testing.B) {
	for b.Loop() {
		Vector("オフィスの暗証番号は先月から変わりましたか、それともまだ同じですか？")
	}
}

// BenchmarkLong is for a text of some 200 words.
func BenchmarkLong(b *testing.B) {
	text := strings.Repeat("My landlord wants the rent by the third of each month. 雨だと膝が痛む。", 14)
	for b.Loop() {
		Vector(text)
	}
}

func BenchmarkLikeness(b *testing.B) {
	v, w := Vector("the rent"), Vector("an apartment")
	for b.Loop() {
		Likeness(&v, &w)
	}
}

// TestReader gives each of many texts the vector that it has alone.
func TestReader(t *testing.T) {
	r := NewReader()
	for range 2 {
		for _, text := range []string{"", "the boat's zubatude, 旅券 and 42", "Boats zubatude boats getUser"} {
			if got, want := r.Vector(text), Vector(text); got != want {
				t.Errorf("%q: %v, not %v", text, got, want)
			}
		}
	}
	if len(r.words) == 0 {
		t.Error("no word is kept")
	}
}

func TestKnown(t *testing.T) {
	for _, word := range []string{"play", "Trap", "plays", "trapped", "Hanako", "Kubernetes", "umbrella", "biggest"} {
		if !Known(word) {
			t.Errorf("%s is unknown", word)
		}
	}
	for _, word := range []string{"tomatto", "umbrela", "insurence", "Valensia", "definately", "birthdya", "", "#"} {
		if Known(word) {
			t.Errorf("%s is known", word)
		}
	}
}
