package columns

import (
	"slices"
	"strings"
	"testing"
)

func TestWidth(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "abc": 3, "会議": 4, "ｶﾅ": 2, "が": 2, "か\u3099": 2, "é": 1, "e\u0301": 1, "🍣": 2,
		"👨‍👩‍👧": 2, "👍🏽": 2, "🇯🇵": 2, "❤️": 2,
		"✅": 2, "…": 1, "한글": 4, "\u200bx": 1, "１２": 4,
	} {
		if got := Width(text); got != want {
			t.Errorf("%q: %d columns, want %d", text, got, want)
		}
	}
	for _, text := range []string{
		"", "短い", "とても長い題名の予定です", "a会b議c室d室e室f",
		strings.Repeat("🍣", 9), strings.Repeat("👨‍👩‍👧", 5),
	} {
		for wide := 2; wide < 20; wide++ {
			if got := Width(Pad(text, wide)); got != wide {
				t.Errorf("%q in %d columns takes %d", text, wide, got)
			}
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", []string{""}},
		{"one two three", []string{"one two", "three"}},
		{"extraordinary word", []string{"extraordinary", "word"}},
		{"日本語の文は、空白で分かれない。",
			[]string{"日本語の文", "は、空白で", "分かれな", "い。"}},
		{"「techo」を使う", []string{"「techo」", "を使う"}},
		{"a    b", []string{"a    b"}},
		{"会議室の [仮, 通知]", []string{"会議室の", "[仮, 通知]"}},
		{"ああああ👨\u200d👩\u200d👧", []string{"ああああ👨\u200d👩\u200d👧"}},
		{"ああああ👍🏽い", []string{"ああああ👍🏽", "い"}},
	} {
		if got := Wrap(c.text, 10); !slices.Equal(got, c.want) {
			t.Errorf("%q is wrapped as %q, want %q", c.text, got, c.want)
		}
	}
}
