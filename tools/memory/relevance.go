package memory

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"techo/internal/identifier"
	"techo/internal/meaning"
	"techo/internal/stem"
	"techo/store/memory"
	"techo/store/memory/wording"
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
// the weight, as for one of two words, only the best memory is. An identifier, such as getUser or
// a hash, is enough alone. The constants were chosen on testdata/unrelated.txt.
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
	name   string           // as written, of an identifier
	proper string           // as written, of a word with a capital inside a sentence
	stem   string           // of a word in Latin letters
	latin  []string         // stems of what a name in kana may be in Latin letters
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
		if c.name != "" {
			c.parts = search.NewExcerpts(c.name)
		} else if c.kind == latinConcept && strings.Trim(c.text, letters) == "" {
			words = append(words, c.text)
		} else if c.kind == latinConcept {
			c.parts = search.NewExcerpts(c.text)
		}
		s.concepts = append(s.concepts, c)
	}
	for _, name := range identifier.Names(norm.NFKC.String(message)) {
		if !meaning.Known(name) { // GitHub
			add(concept{text: strings.ToLower(name), name: name, weight: nameWeight})
		}
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
				add(concept{text: foldKana(r.text), kind: kanaConcept, weight: kanjiWeight, latin: search.LatinStems(r.text)})
			}
		case hiraganaRun:
			afterKanji := r.joined && i > 0 && runs[i-1].script == kanjiRun
			if word := kanaWord(r.text, afterKanji); word != "" {
				add(concept{text: word, kind: kanaConcept, weight: kanjiWeight, latin: search.LatinStems(r.text)})
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
	head, _ := utf8.DecodeRuneInString(r.text)
	switch {
	case unicode.IsDigit(head) && len(r.text) < 3, strings.Contains(everydayWords, " "+lower+" "):
		c.weight *= everydayShare
	case unicode.IsDigit(head):
		c.weight = nameWeight
	case unicode.IsUpper(head) && !first:
		c.weight, c.proper = nameWeight, strings.TrimSuffix(r.text, "'s")
	}
	return c, true
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
	r := relevance{stems: map[string]bool{}, text: normal(text)}
	r.kana = foldKana(r.text)
	for _, part := range runsOf(text) {
		if part.script == latinRun {
			r.stems[stem.Of(strings.TrimSuffix(strings.ToLower(part.text), "'s"))] = true
		}
	}
	return r
}

// reports are the stems of verbs, and kanji, that ask for what there was rather than name it.
const reports = " decid discuss agre talk happen learn plan eat ate did work 決 話 食 買 相談 決定 "

// overlap is what a memory has of the words of a message.
type overlap struct {
	words    []bool  // by the concepts of the message
	weight   float64 // of these words
	total    float64 // of all words
	best     float64 // weight of one of these words, at most
	subjects int     // words of the message that name what it is about
	lacks    int     // those of them that the memory lacks
	named    bool    // an identifier is among these words
}

// overlap compares a memory with a message.
func (r relevance) overlap(message subject) (o overlap) {
	for c, share := range r.shares(message) {
		if c.weight >= wordWeight && !strings.Contains(reports, " "+c.stem+" ") {
			o.subjects++
			if share == 0 {
				o.lacks++
			}
		}
		o.words, o.named = append(o.words, share > 0), o.named || c.name != "" && share > 0
		o.weight, o.total = o.weight+share*c.weight, o.total+c.weight
		o.best = max(o.best, share*c.weight)
	}
	return o
}

// complete reports whether a memory has all words that name what a message is about.
func (o overlap) complete() bool { return o.subjects > 0 && o.lacks == 0 }

// fits reports whether a memory has enough of the words of a message, of which none before it did if first is true.
// If it is of the time that the message names, one word is enough.
func (o overlap) fits(inTime, first bool) bool {
	share, enough := o.weight/max(o.total, wordWeight), relevant
	if first {
		enough = borderline
	}
	switch {
	case o.named:
		return true
	case inTime && (o.subjects == 0 || o.best >= stemWeight):
		return true
	case o.best < wordWeight:
		return false // everyday words alone
	}
	return share >= enough || share >= distinctly && o.best >= distinctive
}

// # Lines about another fact
//
// Memories may share the subject or the verb of a message with the one that answers it. Beside the
// memory with most of the words, others are offered only if they have as much of them or words that it lacks, if
// their score is near that of the first and they have nearly as much of the words, or if they share a rare name
// with the best: "User got Max 3 years ago" belongs to "User has a dog named Max". Turns of a conversation,
// memories of the time that the message names and what its score offers all stay. In the year of bench this
// halves the lines of a prompt.
const (
	nearlyAll   = 0.7 // of the weight of the words of the memory with most
	otherMatter = 2   // weight of words that it lacks
	nearFirst   = 0.1 // of the score of the first
)

// found is a memory that is relevant for a message.
type found struct {
	memory.Hit
	overlap
	scored bool // it is offered for its score, whatever its words are
}

// isolated reports whether a memory is compared with others: it is no turn of a conversation, and
// not of the time of the message.
func (f *found) isolated() bool { return !f.InTime && !wording.Turn(f.FullText, f.Session != "") }

// aboutIt returns the memories that are about what the message is about, in their order.
func aboutIt(message subject, all []found) (kept []memory.Hit) {
	var most *found
	for i := range all {
		if f := &all[i]; f.isolated() && (most == nil || f.weight > most.weight) {
			most = f
		}
	}
	for i := range all {
		f := &all[i]
		if f == most || f.scored || !f.isolated() || f.Shares != "" && len(kept) < withBeside ||
			f.beyond(message, most.overlap) >= otherMatter || f.weight >= most.weight ||
			f.Score >= nearFirst*all[0].Score && f.weight >= nearlyAll*most.weight {
			kept = append(kept, f.Hit)
		}
	}
	return kept
}

// beyond returns the weight of the words of a message that one memory has and another one lacks.
func (o overlap) beyond(message subject, other overlap) (weight float64) {
	for i, c := range message.concepts {
		if o.words[i] && !other.words[i] {
			weight += c.weight
		}
	}
	return weight
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
		if c.name != "" {
			if slices.Contains(c.parts.Matched(r.text), c.name) {
				return 1
			}
			return 0
		}
		if r.stems[c.stem] || slices.Contains(words, c.text) || c.parts != nil && len(c.parts.Matched(r.text)) > 0 {
			if c.proper != "" && strings.Contains(r.text, strings.ToLower(c.proper)) &&
				!strings.Contains(r.text, c.proper) { // "the night" is no part of the Night Watch
				return wordWeight / float64(nameWeight)
			}
			return 1
		}
	case kanaConcept:
		if strings.Contains(r.kana, c.text) || slices.ContainsFunc(c.latin, func(s string) bool { return r.stems[s] }) {
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
			next, _ := utf8.DecodeRuneInString(after)
			last, _ := utf8.DecodeLastRuneInString(before)
			if !unicode.Is(unicode.Han, next) && !unicode.Is(unicode.Han, last) {
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
