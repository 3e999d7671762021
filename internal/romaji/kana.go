package romaji

import (
	"slices"
	"strings"
	"sync"
)

// rows are the syllables of Hepburn's spelling, with the official ones that differ, by the letters before the vowel.
var rows = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for row := range strings.Lines(`
あ い う え お
k か き く け こ
s さ し す せ そ
t た ち つ て と
n な に ぬ ね の
h は ひ ふ へ ほ
m ま み む め も
y や い ゆ いぇ よ
r ら り る れ ろ
w わ うぃ う うぇ を
g が ぎ ぐ げ ご
z ざ じ ず ぜ ぞ
d だ ぢ づ で ど
b ば び ぶ べ ぼ
p ぱ ぴ ぷ ぺ ぽ
f ふぁ ふぃ ふ ふぇ ふぉ
j じゃ じ じゅ じぇ じょ
sh しゃ し しゅ しぇ しょ
ch ちゃ ち ちゅ ちぇ ちょ
ts つぁ つぃ つ つぇ つぉ
ky きゃ きぃ きゅ きぇ きょ
gy ぎゃ ぎぃ ぎゅ ぎぇ ぎょ
ny にゃ にぃ にゅ にぇ にょ
hy ひゃ ひぃ ひゅ ひぇ ひょ
by びゃ びぃ びゅ びぇ びょ
py ぴゃ ぴぃ ぴゅ ぴぇ ぴょ
my みゃ みぃ みゅ みぇ みょ
ry りゃ りぃ りゅ りぇ りょ
sy しゃ し しゅ しぇ しょ
ty ちゃ ち ちゅ ちぇ ちょ
zy じゃ じ じゅ じぇ じょ
dy ぢゃ ぢぃ ぢゅ ぢぇ ぢょ
jy じゃ じ じゅ じぇ じょ`) {
		kana := strings.Fields(row)
		if len(kana) == 0 {
			continue
		}
		letters := ""
		if kana[0] < "あ" {
			letters, kana = kana[0], kana[1:]
		}
		all[letters] = kana
	}
	return all
})

const vowels = "aiueo"

// Kana returns the hiragana of a word of Japanese syllables in Latin letters, and what it may be besides, since the
// length of a vowel is often not written: sato is さと or さとう. It returns nothing for another word.
func Kana(word string) (all []string) {
	const most = 4
	word = strings.ToLower(word)
	if !Is(word) {
		return nil
	}
	var parts []string // syllables
	var long []int     // places of syllables that may be longer than they are written
	for len(word) > 0 {
		n := syllable(word)
		part, ends := kanaOf(word[:n])
		if part == "" {
			return nil
		}
		parts, word = append(parts, part), word[n:]
		if (ends == 'o' || ends == 'u') && !strings.HasPrefix(word, "o") && !strings.HasPrefix(word, "u") {
			long = append(long, len(parts)-1)
		}
	}
	all = append(all, strings.Join(parts, ""))
	for _, at := range slices.Backward(long) { // the last one is the likeliest: Kato, Ito
		if len(all) < most {
			all = append(all, strings.Join(parts[:at+1], "")+"う"+strings.Join(parts[at+1:], ""))
		}
	}
	return all
}

// kanaOf returns the kana of one syllable and its vowel; 0 without one.
func kanaOf(syllable string) (kana string, vowel byte) {
	at := strings.IndexAny(syllable, vowels)
	if at < 0 {
		return "ん", 0
	}
	letters, first := syllable[:at], ""
	if strings.HasPrefix(letters, "tch") || len(letters) > 1 && letters[0] == letters[1] {
		letters, first = letters[1:], "っ"
	}
	row := rows()[letters]
	if row == nil {
		return "", 0
	}
	kana = first + row[strings.IndexByte(vowels, syllable[at])]
	if strings.HasSuffix(syllable, "h") { // ohno
		return kana + "お", 0
	}
	return kana, syllable[at]
}

var latin = sync.OnceValue(func() map[string]string {
	all := map[string]string{"ん": "n"}
	for letters, row := range rows() {
		for i, kana := range row {
			spelt := letters + vowels[i:i+1]
			// Of several spellings of one kana Hepburn's is the usual one: shi, not si or syi.
			if known, ok := all[kana]; !ok || hepburn(spelt) > hepburn(known) || hepburn(spelt) == hepburn(known) && spelt < known {
				all[kana] = spelt
			}
		}
	}
	return all
})

// hepburn ranks spellings of one kana.
func hepburn(spelt string) int {
	switch {
	case spelt == "ji" || strings.HasPrefix(spelt, "j") && !strings.HasPrefix(spelt, "jy"), strings.HasPrefix(spelt, "sh"),
		strings.HasPrefix(spelt, "ch"), spelt == "tsu", spelt == "fu", spelt == "i", spelt == "u", spelt == "e":
		return 1
	}
	return 0
}

// Spellings returns how a word of hiragana is written in Latin letters: with its long vowels, without, and with the h of
// names: さとう is satou, sato and satoh. It returns nothing for what is no such word.
func Spellings(kana string) (all []string) {
	var whole, short strings.Builder
	double := false
	runes := []rune(kana)
	for i := 0; i < len(runes); {
		r := runes[i]
		last := byte(0)
		if s := whole.String(); s != "" {
			last = s[len(s)-1]
		}
		switch {
		case r == 'っ':
			double, i = true, i+1
			continue
		case r == 'ー':
			if last == 0 {
				return nil
			}
			whole.WriteByte(last)
			i++
			continue
		}
		n := 1
		spelt, ok := "", false
		if i+1 < len(runes) {
			if spelt, ok = latin()[string(runes[i:i+2])]; ok {
				n = 2
			}
		}
		if !ok {
			if spelt, ok = latin()[string(r)]; !ok {
				return nil
			}
		}
		i += n
		if double {
			spelt, double = doubled(spelt), false
		}
		whole.WriteString(spelt)
		if long := spelt == "u" && (last == 'o' || last == 'u') || spelt == "o" && last == 'o'; !long {
			short.WriteString(spelt)
		}
	}
	if double || whole.Len() == 0 { // a long consonant without its syllable
		return nil
	}
	all = []string{whole.String()}
	if s := short.String(); s != all[0] {
		all = append(all, s)
		if strings.HasSuffix(s, "o") {
			all = append(all, s+"h")
		}
	}
	return all
}

// doubled returns a syllable with a long consonant.
func doubled(spelt string) string {
	if strings.HasPrefix(spelt, "ch") {
		return "t" + spelt
	}
	return spelt[:1] + spelt
}
