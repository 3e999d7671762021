package ask

import (
	"strconv"
	"strings"
	"unicode"

	"techo/internal/legible"
	"techo/store/question"
	"techo/tools"
)

// verdict classifies a typed line.
type verdict int

const (
	isAnswer verdict = iota
	isEmpty
	isOutOfRange // no option has that number, or only options are allowed
	isAmbiguous  // several options have that text
	isControl    // it has control characters, which no person types
)

// reader parses answers to one question.
type reader struct {
	question.Question
	matcher matcher
}

func newReader(q question.Question) reader { return reader{q, newMatcher(q.Options)} }

// read parses a typed answer. A whole number picks an option, from 1; a number
// without an option is rejected. The text of an option picks it as well, in any
// case and width. Any other text is an answer in the person's own words.
func (r reader) read(line string) (question.Answer, verdict) {
	if hasControl(line) { // before Trim, which would leave the "[B" of an arrow key
		return question.Answer{}, isControl
	}
	line = legible.Trim(line)
	switch {
	case line == "":
		return question.Answer{}, isEmpty
	case len(r.Options) == 0:
		return free(line), isAnswer
	}
	read := r.one
	if r.Multiple {
		read = r.several
	}
	a, v := read(line)
	if v == isAnswer && r.Closed && a.Source != question.FromOption {
		return question.Answer{}, isOutOfRange
	}
	return a, v
}

// ownWords takes a text as an answer in the person's own words, whatever the options are.
func (r reader) ownWords(text string) (question.Answer, verdict) {
	line := legible.Trim(text)
	switch {
	case hasControl(text):
		return question.Answer{}, isControl
	case line == "":
		return question.Answer{}, isEmpty
	case r.Closed:
		return question.Answer{}, isOutOfRange
	}
	return free(line), isAnswer
}

// hasControl reports whether a text has control characters other than tabs and
// line ends, such as the escape sequence of a key.
func hasControl(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) && r != '\t' && r != '\n' && r != '\r'
	})
}

func free(text string) question.Answer {
	return question.Answer{Texts: []string{text}, Source: question.FromFree}
}

// problem returns the reason why an answer is rejected, as a predicate.
func (r reader) problem(env *tools.Env, v verdict) string {
	switch {
	case v == isEmpty:
		return env.Localize("must not be empty")
	case v == isControl:
		return env.Localize("must not contain control characters")
	case v == isAmbiguous:
		return env.Localize("has the text of several options; give the number")
	case len(r.Options) == 1:
		return env.Localize("must be 1 or the text of the option")
	}
	return env.Localize("must be a number from 1 to %d, or the text of an option", len(r.Options))
}

func (r reader) pick(i int) question.Answer {
	return question.Answer{Texts: []string{r.Options[i]}, Indexes: []int{i + 1}, Source: question.FromOption}
}

// one parses the pick of one option, or a text.
func (r reader) one(text string) (question.Answer, verdict) {
	if n, ok := wholeNumber(text); ok {
		if n < 1 || n > len(r.Options) {
			return question.Answer{}, isOutOfRange
		}
		return r.pick(n - 1), isAnswer
	}
	switch i, ambiguous := r.matcher.find(text); {
	case ambiguous:
		return question.Answer{}, isAmbiguous
	case i >= 0:
		return r.pick(i), isAnswer
	}
	return free(text), isAnswer
}

// several parses picks such as "1 3", "1,3" and "1-3". Beside a pick, other words
// between commas become texts. A line without any pick is one answer, including
// its commas.
func (r reader) several(line string) (question.Answer, verdict) {
	if a, v := r.one(line); v != isAnswer || a.Source == question.FromOption {
		return a, v
	}
	all := picks{Answer: question.Answer{Source: question.FromOption}, seen: make([]bool, len(r.Options))}
	for part := range strings.FieldsFuncSeq(line, isComma) {
		if v := all.add(r, legible.Trim(part)); v != isAnswer {
			return question.Answer{}, v
		}
	}
	switch {
	case len(all.Texts) == 0:
		return question.Answer{}, isEmpty
	case len(all.Indexes) == 0:
		return free(line), isAnswer
	}
	return all.Answer, isAnswer
}

func isComma(r rune) bool { return r == ',' || r == '、' || r == '，' }

// picks are the parts of an answer that may pick several options.
type picks struct {
	question.Answer
	seen []bool // by option
}

// add adds a part between commas: a pick, several picks with blanks between them,
// or a text.
func (p *picks) add(r reader, part string) verdict {
	if part == "" {
		return isAnswer
	}
	words := strings.Fields(part)
	if a, v := r.one(part); v == isAnswer && (a.Source == question.FromOption || !r.allPicks(words)) {
		words = []string{part}
	}
	for _, word := range words {
		for _, one := range expandRange(word, len(r.Options)) {
			a, v := r.one(one)
			switch {
			case v != isAnswer:
				return v
			case a.Source == question.FromFree:
				p.Source = question.FromFree
				p.Texts = append(p.Texts, a.Texts...)
			case !p.seen[a.Indexes[0]-1]:
				p.seen[a.Indexes[0]-1] = true
				p.Indexes = append(p.Indexes, a.Indexes...)
				p.Texts = append(p.Texts, a.Texts...)
			}
		}
	}
	return isAnswer
}

// allPicks reports whether each word is a number, a range or the text of an option.
func (r reader) allPicks(words []string) bool {
	for _, word := range words {
		if a, v := r.one(expandRange(word, len(r.Options))[0]); v == isAnswer && a.Source == question.FromFree {
			return false
		}
	}
	return true
}

// expandRange writes a range such as 2-4 as single numbers. It returns any other
// text unchanged.
func expandRange(part string, limit int) []string {
	low, high, ok := strings.Cut(strings.NewReplacer("〜", "-", "～", "-", "－", "-").Replace(part), "-")
	from, okFrom := wholeNumber(strings.TrimSpace(low))
	to, okTo := wholeNumber(strings.TrimSpace(high))
	if !ok || !okFrom || !okTo || from > to || strings.TrimSpace(low) == "" {
		return []string{part}
	}
	if from < 1 || to > limit {
		return []string{"0"} // out of range
	}
	var all []string
	for n := from; n <= to; n++ {
		all = append(all, strconv.Itoa(n))
	}
	return all
}

// wholeNumber parses a number in half-width or full-width digits. It returns at
// most a million, which exceeds every list of options.
func wholeNumber(text string) (n int, ok bool) {
	digits, below := text, false
	for _, sign := range []string{"+", "-", "＋", "－"} {
		if rest, ok := strings.CutPrefix(text, sign); ok {
			digits, below = rest, sign == "-" || sign == "－"
		}
	}
	if digits == "" {
		return 0, false
	}
	for _, r := range digits {
		switch {
		case r >= '０' && r <= '９':
			r -= '０' - '0'
		case !unicode.IsDigit(r) || r > '9':
			return 0, false
		}
		if n = n*10 + int(r-'0'); n > 1_000_000 {
			n = 1_000_000
		}
	}
	if below {
		n = -n
	}
	return n, true
}
