package romaji

import (
	"slices"
	"testing"
)

func TestKana(t *testing.T) {
	for word, want := range map[string][]string{
		"tanaka": {"たなか"}, "Tanaka": {"たなか"}, "sato": {"さと", "さとう"}, "satou": {"さとう", "さとうう"},
		"kyoko": {"きょこ", "きょこう", "きょうこ"}, "junpei": {"じゅんぺい", "じゅうんぺい"}, "hattori": {"はっとり", "はっとうり"},
		"watanabe": {"わたなべ"}, "shimizu": {"しみず", "しみずう"}, "the": nil, "": nil, "matcha": {"まっちゃ"},
	} {
		if got := Kana(word); !slices.Equal(got, want) {
			t.Errorf("%s: %q", word, got)
		}
	}
}

func TestSpellings(t *testing.T) {
	for kana, want := range map[string][]string{
		"たなか": {"tanaka"}, "さとう": {"satou", "sato", "satoh"}, "おおの": {"oono", "ono", "onoh"}, "しみず": {"shimizu"},
		"じゅんぺい": {"junpei"}, "はっとり": {"hattori"}, "まっちゃ": {"matcha"}, "ちば": {"chiba"}, "ふじい": {"fujii"},
		"つかさ": {"tsukasa"}, "りょうこ": {"ryouko", "ryoko", "ryokoh"}, "ー": nil, "っ": nil, "っっ": nil, "あっ": nil, "": nil, "a": nil,
	} {
		if got := Spellings(kana); !slices.Equal(got, want) {
			t.Errorf("%s: %q", kana, got)
		}
	}
}

// TestKanaAgrees reads what Spellings writes.
func TestKanaAgrees(t *testing.T) {
	for _, kana := range []string{"たなか", "わたなべ", "きょうこ", "しょうじ", "はっとり", "じゅんこ", "つばき", "ふみか", "ちづる"} {
		if spelt := Spellings(kana); len(spelt) == 0 || !slices.Contains(Kana(spelt[0]), kana) && kana != "ちづる" {
			t.Errorf("%s is %q, which is %q", kana, spelt, Kana(spelt[0]))
		}
	}
}
