package claims

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"techo/store/search"
)

// # Contradictions
//
// Two sentences are likely to contradict each other if they differ in one place
// only and that place can have one value at a time, as in "Sarah lives in Berlin"
// and "Sarah lives in Lisbon"; if one is the negation of the other; or if they
// differ by words with opposite meanings. The rules favour silence: a person who
// likes tea may like coffee too.

// claim is a sentence as a sequence of words or, in Japanese, of characters.
type claim struct {
	latin    bool
	words    []string // without negations
	negative bool
	topic    string // in Japanese: what is before は
}

// maxClaims limits the sentences of a text that are compared.
const maxClaims = 16

// ClaimsOf returns the sentences at the beginning of a text.
func ClaimsOf(text string) (all []claim) {
	for _, s := range sentencesOf(text) {
		if len(all) == maxClaims {
			break
		}
		line := strings.ToLower(norm.NFKC.String(s.text))
		if isLatin(line) {
			all = append(all, latinClaim(line))
		} else if c, ok := japaneseClaim(line); ok {
			all = append(all, c)
		}
	}
	return all
}

// Contradict reports whether a sentence of one text is likely to contradict one of
// another.
func Contradict(a, b []claim) bool {
	for _, x := range a {
		for _, y := range b {
			if x.latin == y.latin && x.topic == y.topic && x.contradicts(y) {
				return true
			}
		}
	}
	return false
}

func (c claim) contradicts(o claim) bool {
	before, a, b, after := difference(c.words, o.words)
	if len(a) == 0 && len(b) == 0 {
		return c.negative != o.negative && c.hasSubject(len(c.words))
	}
	if c.negative != o.negative || !c.hasSubject(len(before)) {
		return false
	}
	if c.latin {
		return latinConflict(before, a, b, after)
	}
	return japaneseConflict(c.topic, strings.Join(a, ""), strings.Join(b, ""), strings.Join(after, ""))
}

// hasSubject reports whether the first words, which two sentences share, name what
// they are about.
func (c claim) hasSubject(shared int) bool {
	return c.topic != "" || slices.ContainsFunc(c.words[:shared], search.Informative)
}

// difference splits two sequences into the common beginning, the parts that differ,
// and the common end.
func difference(x, y []string) (before, a, b, after []string) {
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	m := 0
	for m < len(x)-n && m < len(y)-n && x[len(x)-1-m] == y[len(y)-1-m] {
		m++
	}
	return x[:n], x[n : len(x)-m], y[n : len(y)-m], x[len(x)-m:]
}

func hasDigit(text string) bool { return strings.ContainsFunc(text, unicode.IsDigit) }

// opposite reports whether two texts are words with opposite meanings.
func opposite(a, b string) bool {
	for _, pair := range opposites {
		one, other := slices.Contains(pair[0], a), slices.Contains(pair[1], a)
		if one && slices.Contains(pair[1], b) || other && slices.Contains(pair[0], b) {
			return true
		}
	}
	return false
}

var opposites = [][2][]string{
	{{"like", "love", "enjoy"}, {"dislikes", "dislike", "hate"}},
	{{"always"}, {"never"}}, {{"open"}, {"closed"}}, {{"on"}, {"off"}}, {{"enabled"}, {"disabled"}},
	{{"single"}, {"married"}}, {{"married"}, {"divorced"}}, {{"true"}, {"false"}}, {{"before"}, {"after"}},
	{{"available"}, {"unavailable"}}, {{"possible"}, {"impossible"}}, {{"allowed"}, {"forbidden"}},
	{{"required"}, {"optional"}}, {{"can"}, {"cannot"}}, {{"alive"}, {"dead"}},
	{{"好き", "大好き", "得意"}, {"嫌い", "大嫌い", "苦手"}}, {{"賛成"}, {"反対"}},
	{{"独身"}, {"既婚"}}, {{"有効"}, {"無効"}},
	{{"可能"}, {"不可能"}}, {{"必要"}, {"不要"}}, {{"上手"}, {"下手"}},
}

// # English

// latinClaim splits a sentence into words and takes out its negation.
func latinClaim(line string) claim {
	c := claim{latin: true}
	line = englishNegations().Replace(line + " ")
	fields := strings.Fields(line)
	for i, w := range fields {
		w = strings.Trim(w, `.,;:!?"'()“”`)
		auxiliary := (w == "do" || w == "does" || w == "did") && i+1 < len(fields) && fields[i+1] == "not"
		switch {
		case w == "" || auxiliary:
		case w == "not" || w == "never":
			c.negative = !c.negative
		default:
			c.words = append(c.words, w)
		}
	}
	// "does not like" is the negation of "likes".
	for i, w := range c.words {
		if base := strings.TrimSuffix(w, "s"); i > 0 && (listed(singleVerbs, base) || listed(severalVerbs, base)) {
			c.words[i] = base
		}
	}
	return c
}

// englishNegations writes all negations with not.
var englishNegations = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("’", "'", "can't", "can not", "cannot", "can not", "won't", "will not",
		"n't ", " not ", "no longer", "not")
})

// listed reports whether a list of words between blanks has a word.
func listed(list, word string) bool { return strings.Contains(list, " "+word+" ") }

const (
	// singleVerbs have one object at a time.
	singleVerbs = " is are was were be live lived work worked born named called cost prefer preferred start started " +
		"begin begins end ends weigh stay stayed expire expired arrive arrives leave leaves close closes open opens " +
		"move moved married retire retired report belong become became drive run runs due turn turned "

	// severalVerbs may have several.
	severalVerbs = " like love enjoy hate has have had own owns bought buy visit visited eat ate met meet know knows " +
		"speak speaks read watch watched play plays see saw use uses want wants need needs try tried made make went " +
		"go goes got get "

	prepositions = " a an the in on at by for from to with of near until since before after "
)

// latinConflict reports whether two sentences that differ by a and b between before
// and after say different things about one matter.
func latinConflict(before, a, b, after []string) bool {
	const most = 5 // words that differ
	if len(a) > most || len(b) > most || len(a) == 0 || len(b) == 0 {
		return false
	}
	one, other := strings.Join(a, " "), strings.Join(b, " ")
	if opposite(one, other) {
		return true
	}
	if len(before)+len(after) < 2 || 2*(len(before)+len(after)) < len(a)+len(b) {
		return false
	}
	if hasDigit(one) && hasDigit(other) {
		return true
	}
	// "at three" and "in the hall" answer different questions.
	if listed(prepositions, a[0]) != listed(prepositions, b[0]) || listed(prepositions, a[0]) && a[0] != b[0] {
		return false
	}
	if slices.ContainsFunc(before, func(w string) bool { return listed(severalVerbs, w) }) {
		return false
	}
	last := before[len(before)-1]
	copula := listed(" is are was were ", last)
	attribute := slices.ContainsFunc(before, func(w string) bool { return strings.HasSuffix(w, "'s") || w == "of" })
	switch {
	case copula:
		const long = 4 // words that name one matter, as in "the office wifi password is"
		return attribute || len(before) >= long
	case attribute && slices.ContainsFunc(before, func(w string) bool { return listed(" is are was were ", w) }):
		return true
	}
	return slices.ContainsFunc(before, func(w string) bool { return listed(singleVerbs, w) })
}

// # Japanese

// japaneseClaim splits a sentence into its topic and the characters of the rest.
func japaneseClaim(line string) (c claim, ok bool) {
	line = strings.TrimRight(line, "。.!?！？ ")
	topic, rest, ok := cutTopic(line)
	if !ok {
		return c, false
	}
	c.topic = topic
	rest, c.negative = cutEnding(rest, negations)
	rest, _ = cutEnding(rest, endings)
	// The last kana of a verb depends on its form: 飲む, 飲まない, 飲みます.
	if runes := []rune(rest); len(runes) > 1 && unicode.Is(unicode.Hiragana, runes[len(runes)-1]) &&
		unicode.Is(unicode.Han, runes[len(runes)-2]) && !strings.ContainsRune("きい", runes[len(runes)-1]) {
		rest = string(runes[:len(runes)-1])
	}
	c.words = strings.Split(rest, "")
	return c, rest != ""
}

// negations and endings of sentences, the longest first.
const (
	negations = "ではありません じゃありません ではない じゃない でない なくなった " +
		"ていません ていない ません なかった ない"
	endings = "でした です である だった だ ています ている でいます でいる ます"
)

// cutEnding cuts the first of some endings, between blanks, that a text has.
func cutEnding(text, endings string) (stem string, found bool) {
	for ending := range strings.FieldsSeq(endings) {
		if stem, found = strings.CutSuffix(text, ending); found {
			return stem, true
		}
	}
	return text, false
}

// containsAny reports whether a text contains one of some words between blanks.
func containsAny(text, words string) bool {
	for word := range strings.FieldsSeq(words) {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// cutTopic splits a sentence at the first は or, without one, at が.
func cutTopic(line string) (topic, rest string, ok bool) {
	for _, particle := range []string{"は", "が"} {
		topic, rest, ok = strings.Cut(line, particle)
		if ok && len(topic) >= len("あ") && rest != "" && !strings.HasSuffix(topic, "で") &&
			!strings.HasSuffix(topic, "に") {
			return topic, rest, true
		}
	}
	return "", "", false
}

// isNumeral reports whether a text is a number in kanji.
func isNumeral(text string) bool {
	return text != "" && strings.Trim(text, "〇一二三四五六七八九十百千万") == ""
}

// counts reports whether what follows a number is what it counts, so that the number is not
// a part of a word such as 一郎.
func counts(after string) bool {
	const counters = "階時月日年歳才分秒個本枚匹人回円番号週度割倍冊台件名章話組杯"
	first, size := utf8.DecodeRuneInString(after)
	return size == 0 || strings.ContainsRune(counters, first)
}

// japaneseConflict is latinConflict for what follows the topic.
func japaneseConflict(topic, a, b, after string) bool {
	const most = 12 // characters that differ
	if a == "" || b == "" || len([]rune(a)) > most || len([]rune(b)) > most {
		return false
	}
	if opposite(a, b) || opposite(a+after, b+after) {
		return true
	}
	if hasDigit(a) && hasDigit(b) || isNumeral(a) && isNumeral(b) && counts(after) {
		return true
	}
	if containsAny(after, "好 嫌 飼 持 買 食 飲 行 会 見 読 話 使 知 ある いる") {
		return false
	}
	if containsAny(after, "住 勤 働 生まれ 引っ越 在住 出身 に変わ になっ という") {
		return true
	}
	kana := func(s string) bool {
		return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Hiragana, r) })
	}
	return after == "" && !kana(a) && !kana(b)
}
