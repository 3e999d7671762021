package wording

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"techo/store/search"
	"techo/store/search/common"
	"techo/store/search/speech"
)

// # Captions
//
// A caption that is derived is the first sentence of the text that states something:
// greetings and answers such as "Hi!" and "はい。" are skipped. A very short sentence
// is followed by the next ones. A point after a title, an initial or the number of an item,
// as in "Dr. Smith", ends no sentence.

// maxCaption is the length of a derived caption in characters.
const maxCaption = 80

// captionText is how much of a text is searched for a sentence, in bytes.
const captionText = 2000

// CaptionOf returns the caption of a text, on one line.
func CaptionOf(text string) string {
	all := sentencesOf(text)
	i := slices.IndexFunc(all, func(s sentence) bool { return s.states() })
	if i < 0 {
		i = 0
	}
	if len(all) == 0 {
		return ""
	}
	speaker, caption := all[i].speaker, all[i].text
	for _, next := range all[i+1:] {
		longer := caption + " " + next.text
		if !isShort(caption) || utf8.RuneCountInString(speaker+longer) > maxCaption {
			break
		}
		caption = longer
	}
	return shortened(speaker + caption)
}

// shortened cuts a line to the length of a caption.
func shortened(line string) string {
	n, cut := 0, 0
	for at := range line {
		if n == maxCaption-1 {
			cut = at
		}
		if n++; n > maxCaption {
			line = line[:cut] + "…"
			break
		}
	}
	return strings.TrimSpace(line)
}

// Repeats reports whether a caption is a part of a text.
func Repeats(caption, text string) bool {
	part := strings.TrimSuffix(caption, "…")
	if before, after, found := strings.Cut(text, part); found && part != "" {
		last, _ := utf8.DecodeLastRuneInString(before)
		next, _ := utf8.DecodeRuneInString(after)
		if !inWord(last) && !inWord(next) {
			return true
		}
	}
	return caption == CaptionOf(text)
}

// inWord reports whether a character is part of a word that blanks separate.
func inWord(r rune) bool { return r < 0x3000 && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// StaleCaption reports whether the caption of a text does not fit a new text: it was
// derived, or has a word that only the old text has.
func StaleCaption(caption, old, text string) bool {
	if Repeats(caption, old) {
		return true
	}
	const most = 64
	a := search.NewAnalyzer()
	before, after := a.Bag(old), a.Bag(text)
	for _, word := range search.Keywords(caption, most) {
		for _, t := range a.Bag(word).Terms {
			if before.Has(t.Term) && !after.Has(t.Term) {
				return true
			}
		}
	}
	return false
}

// Turn reports whether a text is a turn of a conversation: it begins with its speaker, as in
// "Anna: Hello!", and it is of a session or has its time in brackets behind the name.
func Turn(text string, session bool) bool {
	name, _ := speech.CutSpeaker(text)
	if name == "" {
		return false
	}
	_, rest, _ := strings.Cut(text, name)
	rest = strings.TrimSpace(rest)
	return session || strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "（")
}

// sentence is a sentence of a text on one line.
type sentence struct {
	speaker string // name and colon before the first sentence of its line, or ""
	text    string
}

// Sentences returns the sentences at the beginning of a text, each on one line.
func Sentences(text string) (all []string) {
	for _, s := range sentencesOf(text) {
		all = append(all, s.text)
	}
	return all
}

// sentencesOf returns the sentences at the beginning of a text.
func sentencesOf(text string) (all []sentence) {
	text = strings.TrimSpace(text)
	for line := range strings.Lines(text[:min(len(text), captionText)]) {
		line = strings.Join(strings.Fields(strings.ToValidUTF8(line, "")), " ")
		speaker, rest := cutSpeaker(withoutMarker(line))
		for rest != "" {
			end := sentenceEnd(rest)
			if part := strings.TrimSpace(rest[:end]); part != "" {
				all = append(all, sentence{speaker, part})
			}
			rest = strings.TrimSpace(rest[end:])
		}
	}
	return all
}

// withoutMarker removes the mark of a heading, a list item or a quotation.
func withoutMarker(line string) string {
	rest := strings.TrimLeft(line, "#>*-+•・")
	if rest != line && strings.HasPrefix(rest, " ") {
		return strings.TrimSpace(rest)
	}
	numbered := strings.TrimLeft(line, "0123456789")
	if numbered != line && (strings.HasPrefix(numbered, ". ") || strings.HasPrefix(numbered, ") ")) {
		return strings.TrimSpace(numbered[1:])
	}
	return line
}

// cutSpeaker cuts the name of a speaker, as in "Alice: Hello!", off a line.
func cutSpeaker(line string) (speaker, rest string) {
	const most = 30
	for _, colon := range []string{": ", "："} {
		name, said, found := strings.Cut(line, colon)
		if found && name != "" && len(name) <= most && len(strings.Fields(name)) <= 3 && said != "" &&
			!strings.ContainsAny(name, ".!?。！？0123456789") {
			return name + colon, said
		}
	}
	return "", line
}

// sentenceEnd returns the length of the first sentence of a line.
func sentenceEnd(line string) int {
	for i, r := range line {
		if r != '.' && r < utf8.RuneSelf && r != '!' && r != '?' {
			continue // nearly all
		}
		_, size := utf8.DecodeRuneInString(line[i:])
		rest := line[i+size:]
		switch r {
		case '。', '！', '？':
			return len(line) - len(strings.TrimLeft(rest, "。！？」"))
		case '.', '!', '?':
			closed := strings.TrimLeft(rest, `.!?"')”’`)
			ends := closed == "" || closed[0] == ' '
			if ends && (r != '.' || !abbreviated(line[:i], strings.TrimSpace(closed))) {
				return len(line) - len(closed)
			}
		}
	}
	return len(line)
}

// abbreviated reports whether a point between two texts belongs to an abbreviation.
func abbreviated(before, after string) bool {
	word := before[strings.LastIndexAny(before, " ([\"'")+1:]
	next, _ := utf8.DecodeRuneInString(after)
	switch lower := strings.ToLower(word); {
	case after == "":
		return false
	case strings.Trim(before, "0123456789") == "": // the number of a list item
		return true
	case utf8.RuneCountInString(word) == 1 && unicode.IsUpper([]rune(word)[0]):
		return word != "I"
	case strings.Contains(" dr mr mrs ms prof mt rev hon gov sen gen col sgt lt capt e.g i.e vs cf ", " "+lower+" "):
		return true
	case strings.Contains(" no nos fig vol pp art sec ", " "+lower+" "):
		return unicode.IsDigit(next)
	case strings.Contains(" st jr sr inc ltd co corp dept approx est ca etc al a.m p.m u.s "+
		"jan feb mar apr jun jul aug sep sept oct nov dec ", " "+lower+" "):
		return unicode.IsLower(next) || unicode.IsDigit(next)
	}
	return false
}

// states reports whether a sentence is more than a greeting or an answer.
func (s sentence) states() bool {
	if !isLatin(s.text) {
		return !isFiller(s.text)
	}
	if opens(firstWords(s.text, mostOpening+1)) {
		return false
	}
	for word := range wordsOf(s.text) {
		if common.Informative(word) {
			return true
		}
	}
	return false
}

// mostOpening is the number of words of the longest opening, and three more.
const mostOpening = 6 + 3

// opens reports whether a sentence is one of the openings with at most three more
// words.
func opens(words []string) bool {
	if len(words) > mostOpening {
		return false
	}
	line := strings.Join(words, " ") + " "
	return slices.ContainsFunc(openings, func(o string) bool {
		rest, ok := strings.CutPrefix(line, o)
		return ok && rest[0] == ' ' && len(strings.Fields(rest)) <= 3
	})
}

// isShort reports whether a sentence should be followed by the next one.
func isShort(text string) bool {
	if !isLatin(text) {
		const short = 5
		return utf8.RuneCountInString(text) < short
	}
	words, informative := firstWords(text, 4), 0
	for _, w := range words {
		if common.Informative(w) {
			informative++
		}
	}
	return len(words) < 3 || len(words) == 3 && informative < 2
}

// isLatin reports whether a text has no characters of a script without blanks.
func isLatin(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= 0x3000 && unicode.IsLetter(r) })
}

// wordsOf yields the words of a text in lower case, without punctuation.
func wordsOf(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '’'
		}) {
			if !yield(strings.ToLower(strings.ReplaceAll(word, "’", "'"))) {
				return
			}
		}
	}
}

// firstWords returns the first words of a text, at most n.
func firstWords(text string, n int) (words []string) {
	for word := range wordsOf(text) {
		if words = append(words, word); len(words) == n {
			break
		}
	}
	return words
}

// openings are the beginnings of sentences that state nothing, if at most three
// words follow.
var openings = []string{
	"hi", "hey", "hello", "yo", "bye", "goodbye", "good morning", "good evening", "good night", "good afternoon",
	"thanks", "thank you", "many thanks", "you're welcome", "no problem", "no worries", "sure", "ok", "okay", "yes",
	"yeah", "yep", "yup", "no", "nope", "wow", "oh", "ah", "great", "cool", "nice", "awesome", "amazing", "congrats",
	"congratulations", "really", "right", "exactly", "absolutely", "definitely", "of course", "haha", "lol", "sorry",
	"good to see you", "great to see you", "nice to see you", "it's so good to see you", "nice to meet you",
	"how are you", "how have you been", "how's it going", "what's up", "what's new", "long time no see",
	"sounds good", "sounds great", "that's great", "that's awesome", "that's amazing", "that's cool", "i see",
	"got it", "take care", "see you", "talk to you", "please",
}

// isFiller reports whether all parts of a Japanese sentence are greetings or answers.
func isFiller(text string) bool {
	parts := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) || r == 'ー' })
	for _, p := range parts {
		if !strings.Contains(fillers, " "+p+" ") {
			return false
		}
	}
	return true
}

const fillers = " はい はーい " +
	"いいえ いえ うん ううん ええ あ ああ あの えっと えーと おお " +
	"わあ そう そうだね そうですね そうですか そうなんだ そうなんですね " +
	"そっか なるほど たしかに 確かに こんにちは こんばんは おはよう " +
	"おはようございます やあ もしもし お疲れ様 お疲れ様です お疲れさまです " +
	"ありがとう ありがとうございます ありがとうございました どうも " +
	"すみません ごめん ごめんなさい 失礼します 了解 了解です 了解しました " +
	"承知しました わかりました 分かりました わかった 分かった オッケ オケ " +
	"よろしく よろしくお願いします よろしくお願いいたします お願いします " +
	"はじめまして 初めまして またね じゃあね お元気ですか 元気ですか 元気 " +
	"お久しぶりです 久しぶり いいですね いいね すごい すごいですね 本当 " +
	"本当ですか ほんと ほんとに 大丈夫 大丈夫です もちろん もちろんです " +
	"おめでとう おめでとうございます "
