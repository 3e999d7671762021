package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"techo/internal/kanji"
)

// script is the kind of a run of characters.
type script byte

const (
	noRun script = iota
	latinRun
	kanjiRun
	katakanaRun
	hiraganaRun
)

// run is a sequence of characters of one script.
type run struct {
	text   string // NFKC
	script script
	joined bool // nothing stands between it and the previous run
	ends   bool // a sentence ends after it
}

func scriptOf(r rune) script {
	switch {
	case unicode.Is(unicode.Han, r) || r == '々':
		return kanjiRun
	case unicode.Is(unicode.Katakana, r) || r == 'ー':
		return katakanaRun
	case unicode.Is(unicode.Hiragana, r):
		return hiraganaRun
	case unicode.IsLetter(r) || unicode.IsDigit(r):
		return latinRun
	}
	return noRun
}

// runsOf splits a text into runs.
func runsOf(text string) (all []run) {
	var b strings.Builder
	kind, joined := noRun, false
	flush := func() {
		if kind != noRun {
			all = append(all, run{text: b.String(), script: kind, joined: joined})
		}
		b.Reset()
	}
	for _, r := range normal(text) {
		next := scriptOf(r)
		if r == 'ー' && kind == hiraganaRun { // らーめん
			next = hiraganaRun
		}
		if r == '\'' || r == '’' {
			if kind == latinRun {
				b.WriteByte('\'')
				continue
			}
		}
		if next != kind {
			flush()
			joined, kind = kind != noRun, next
		}
		if next != noRun {
			b.WriteRune(r)
		} else if strings.ContainsRune(".!?。！？\n:", r) && len(all) > 0 {
			all[len(all)-1].ends = true
		}
	}
	flush()
	return all
}

// normal returns a text in NFKC, with the present forms of characters.
func normal(text string) string { return strings.Map(kanji.Standard, norm.NFKC.String(text)) }

// foldKana returns a text in lower case with hiragana for katakana.
func foldKana(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'ァ' && r <= 'ヶ' {
			return r - ('ァ' - 'ぁ')
		}
		return unicode.ToLower(r)
	}, text)
}

// particles are the hiragana that may follow a noun.
const particles = "はがをにでとものへやか"

func startsWithParticle(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return strings.ContainsRune(particles, r)
}

// kanaWord returns the word at the beginning of a run of hiragana, "" if it has
// only endings and grammar. After a kanji it begins behind a particle.
func kanaWord(text string, afterKanji bool) string {
	word := []rune(text)
	if afterKanji {
		if !startsWithParticle(text) {
			return ""
		}
		word = word[1:]
	}
	for i, r := range word {
		if i >= 2 && strings.ContainsRune(particles, r) {
			word = word[:i]
			break
		}
	}
	if len(word) < 2 || len(word) == 2 && len(word) == len([]rune(text)) && !afterKanji {
		return ""
	}
	if last := word[len(word)-1]; strings.ContainsRune("てたるすい", last) { // of a verb or an adjective
		return ""
	}
	for grammar := range strings.FieldsSeq(kanaGrammar) {
		if strings.HasPrefix(string(word), grammar) {
			return ""
		}
	}
	return string(word)
}

// kanaGrammar are the beginnings of runs of hiragana that name nothing.
const kanaGrammar = " この その あの どの これ それ あれ どれ ここ そこ どこ " +
	"こと もの とき ため よう たい ない なに なん いつ だれ なぜ どう どん " +
	"です ます した して する ある あり いる いて いく なる なっ なり いい " +
	"よい よく とて もっと また まだ もう すこ ちょ くだ ありがと おね みん " +
	"みた つい でき いっ おし おす つく かん いろ から まで だけ って たら " +
	"でし だっ とい とこ ほし しま せん たく やす くれ もら ござ さい わか " +
	"はい いえ うん こんに おは "

// everydayWords occur in messages of any subject.
const everydayWords = " write tell make give help explain show list find need want know think say get " +
	"go come take use like please idea ideas question example examples good best better new old time " +
	"times day days today tomorrow yesterday week month year years way thing things people person " +
	"something anything everything much many long short little big first last next name names word words " +
	"sentence short simple easy quick quickly create compare summarize translate describe suggest " +
	"recommend recipe start look try let called call named hi hello hey thanks thank january february " +
	"march april may june july august september october november december monday tuesday wednesday " +
	"thursday friday saturday sunday number one two three user can't don't i'm it's what's how's that's " +
	"there's let's great perfect nice fine cool awesome excellent wonderful lovely brilliant ok okay yes " +
	"yeah sure right correct sounds looks seems sorry welcome "

// everydayKanji are likewise words of Japanese messages.
const everydayKanji = " 先週 来週 今週 先月 来月 今月 " +
	"去年 今年 昨年 来年 今日 明日 昨日 今 人 時間 時 年 月 日 方法 方 一番 何 教 " +
	"書 作 言 思 見 使 考 説明 例 違 意味 必要 簡単 最近 一 二 三 良 新 私 僕 " +
	"手伝 料理 名前 自分 文章 本 完璧 最高 素敵 大丈夫 了解 感謝 結構 "
