package memory

import (
	"iter"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"techo/internal/meaning"
	"techo/internal/stem"
	"techo/store/search"
	"techo/store/search/common"
)

// # Relevance
//
// A search always ranks something first. A prompt should rather stay as it is than
// carry memories that share a single everyday word with the message. So the words of
// a message have weights: names, numbers and compounds weigh most, everyday words
// least. A memory is relevant if it has words with a good part of the weight of the
// message, or a smaller part with a distinctive word among them. With just half of
// the weight, as for one of two words, only the best memory is. The constants were
// chosen on testdata/unrelated.txt.
const (
	relevant      = 0.55 // share of the weight that suffices
	borderline    = 0.5  // likewise, for one memory
	distinctly    = 0.28 // share that suffices with a distinctive word
	distinctive   = 1.5  // weight of a distinctive word, at least
	nameWeight    = 2
	wordWeight    = 1
	kanjiWeight   = 1.5 // of a compound, and of a word in kana
	stemWeight    = 0.5 // of a single kanji with an ending in kana
	everydayShare = 0.4 // of the weight
)

// concept is a word of a message with its weight.
type concept struct {
	text   string // in lower case, kana as hiragana
	kind   conceptKind
	weight float64
	stem   string           // of a word in Latin letters
	parts  *search.Excerpts // finds a word that is more than letters, and its parts
}

// subject is the words of a message that name what it is about.
type subject struct {
	concepts []concept
	words    *search.Excerpts // finds the words of letters alone, all at once
}

type conceptKind byte

const (
	latinConcept conceptKind = iota
	kanjiConcept
	kanaConcept
	hiraganaConcept // perhaps grammar
)

// subjectOf returns the words of a message that name its subject.
func subjectOf(message string) (s subject) {
	var words []string
	there := map[string]bool{}
	add := func(c concept) {
		if key := string(rune(c.kind)) + c.text; there[key] {
			return
		} else {
			there[key] = true
		}
		c.stem = stem.Of(c.text)
		if c.kind == latinConcept && strings.Trim(c.text, letters) == "" {
			words = append(words, c.text)
		} else if c.kind == latinConcept {
			c.parts = search.NewExcerpts(c.text)
		}
		s.concepts = append(s.concepts, c)
	}
	runs := runsOf(message)
	for i, r := range runs {
		switch r.script {
		case latinRun:
			if c, ok := latinConceptOf(r, i == 0 || runs[i-1].ends); ok {
				add(c)
			}
		case kanjiRun:
			var next run
			if i+1 < len(runs) {
				next = runs[i+1]
			}
			add(concept{text: r.text, kind: kanjiConcept, weight: kanjiWeightOf(r.text, next)})
		case katakanaRun:
			if len([]rune(r.text)) > 1 {
				add(concept{text: foldKana(r.text), kind: kanaConcept, weight: kanjiWeight})
			}
		case hiraganaRun:
			afterKanji := r.joined && i > 0 && runs[i-1].script == kanjiRun
			if word := kanaWord(r.text, afterKanji); word != "" {
				add(concept{text: word, kind: hiraganaConcept, weight: kanjiWeight})
			}
		}
	}
	s.words = search.NewExcerpts(strings.Join(words, "\n")) // on lines of their own they are no pairs
	return s
}

const letters = "abcdefghijklmnopqrstuvwxyz"

// kanjiWeightOf returns the weight of a run of kanji before another run.
func kanjiWeightOf(text string, next run) (weight float64) {
	switch {
	case len([]rune(text)) > 1:
		weight = kanjiWeight
	case next.joined && next.script == hiraganaRun && !startsWithParticle(next.text):
		weight = stemWeight
	default:
		weight = wordWeight
	}
	if strings.Contains(everydayKanji, " "+text+" ") {
		weight *= everydayShare
	}
	return weight
}

func latinConceptOf(r run, first bool) (c concept, ok bool) {
	lower := strings.ToLower(r.text)
	if !common.Informative(lower) && len(lower) > 0 && !unicode.IsDigit(rune(lower[0])) {
		return c, false
	}
	c = concept{text: strings.TrimSuffix(lower, "'s"), kind: latinConcept, weight: wordWeight}
	head, _ := firstRune(r.text)
	switch {
	case unicode.IsDigit(head) && len(r.text) < 3, strings.Contains(everydayWords, " "+lower+" "):
		c.weight *= everydayShare
	case unicode.IsDigit(head), unicode.IsUpper(head) && !first:
		c.weight = nameWeight
	}
	return c, true
}

func firstRune(text string) (rune, bool) {
	for _, r := range text {
		return r, true
	}
	return 0, false
}

// relevance is the memory side: the words of a memory.
type relevance struct {
	stems map[string]bool
	text  string // NFKC
	kana  string // likewise, katakana as hiragana
}

// comparedText is how much of a memory is compared with a message, in bytes.
const comparedText = 64 << 10

func relevanceOf(text string) relevance {
	text = strings.ToValidUTF8(text[:min(len(text), comparedText)], "")
	r := relevance{stems: map[string]bool{}, text: norm.NFKC.String(text)}
	r.kana = foldKana(r.text)
	for _, part := range runsOf(text) {
		if part.script == latinRun {
			r.stems[stem.Of(strings.TrimSuffix(strings.ToLower(part.text), "'s"))] = true
		}
	}
	return r
}

// fit is how well a memory fits a message.
type fit byte

const (
	fitsNot fit = iota
	fitsPartly
	fitsWell
)

// reports are the stems of verbs, and kanji, that ask for what there was rather than name it.
const reports = " decid discuss agre talk happen learn plan eat ate did work 決 話 食 買 相談 決定 "

// fits compares a memory with a message. If the memory is of the time that the message
// names, one word is enough.
func (r relevance) fits(message subject, inTime bool) fit {
	subjects := 0
	total, has, best := 0.0, 0.0, 0.0
	for c, share := range r.shares(message) {
		if total += c.weight; c.kind == hiraganaConcept && share == 0 {
			total -= c.weight
		}
		if c.weight >= wordWeight && !strings.Contains(reports, " "+c.stem+" ") {
			subjects++
		}
		has += share * c.weight
		best = max(best, share*c.weight)
	}
	share := has / max(total, wordWeight)
	switch {
	case inTime && (subjects == 0 || best >= stemWeight):
		return fitsWell
	case best < wordWeight:
		return fitsNot // everyday words alone
	case share >= relevant || share >= distinctly && best >= distinctive:
		return fitsWell
	case share >= borderline:
		return fitsPartly
	}
	return fitsNot
}

// weightOf returns the weight of the words of a message that the text has.
func (r relevance) weightOf(message subject) (weight float64) {
	for c, share := range r.shares(message) {
		weight += share * c.weight
	}
	return weight
}

// shares returns the words of a message, and which part of each a memory has, from 0 to 1.
func (r relevance) shares(message subject) iter.Seq2[concept, float64] {
	return func(yield func(concept, float64) bool) {
		words := message.words.Matched(r.text)
		for _, c := range message.concepts {
			if !yield(c, r.share(c, words)) {
				return
			}
		}
	}
}

// share returns which part of a word a memory has that has some words of letters.
func (r relevance) share(c concept, words []string) float64 {
	switch c.kind {
	case latinConcept:
		if r.stems[c.stem] || slices.Contains(words, c.text) || c.parts != nil && len(c.parts.Matched(r.text)) > 0 {
			return 1
		}
	case kanaConcept, hiraganaConcept:
		if strings.Contains(r.kana, c.text) {
			return 1
		}
	case kanjiConcept:
		return r.kanjiShare([]rune(c.text))
	}
	return 0
}

// kanjiShare returns the share of a run of kanji for its longest part in the memory.
// A single kanji counts in full if it stands alone there too.
func (r relevance) kanjiShare(word []rune) float64 {
	if len(word) == 1 {
		for rest := r.text; ; {
			before, after, found := strings.Cut(rest, string(word))
			if !found {
				return 0
			}
			next, _ := firstRune(after)
			last := []rune(before)
			if !unicode.Is(unicode.Han, next) && (len(last) == 0 || !unicode.Is(unicode.Han, last[len(last)-1])) {
				return 1
			}
			rest = after
		}
	}
	for n := len(word); n >= 2; n-- {
		for i := 0; i+n <= len(word); i++ {
			if meaning.HasWord(r.text, string(word[i:i+n])) {
				return float64(n) / float64(len(word))
			}
		}
	}
	return 0
}
