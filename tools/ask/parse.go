package ask

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"techo/internal/legible"
	"techo/store"
)

// verdict classifies a typed line.
type verdict int

const (
	isAnswer verdict = iota
	isEmpty
	isOutOfRange // no option has that number, or only options are allowed
)

// parse parses a typed answer. A whole number picks an option, from 1; a number
// without an option is rejected. The text of an option picks it as well. Any other
// text is an answer in the person's own words.
func parse(q store.Question, line string) (store.Answer, verdict) {
	line = legible.Trim(line)
	switch {
	case line == "":
		return store.Answer{}, isEmpty
	case len(q.Options) == 0:
		return free(line), isAnswer
	}
	read := parsePart
	if q.Multiple {
		read = parseSeveral
	}
	a, v := read(q, line)
	if v == isAnswer && q.Closed && a.Source != store.FromOption {
		return store.Answer{}, isOutOfRange
	}
	return a, v
}

func free(text string) store.Answer {
	return store.Answer{Texts: []string{text}, Source: store.FromFree}
}

func pick(q store.Question, i int) store.Answer {
	return store.Answer{Texts: []string{q.Options[i]}, Indexes: []int{i + 1}, Source: store.FromOption}
}

func parsePart(q store.Question, text string) (store.Answer, verdict) {
	if n, ok := wholeNumber(text); ok {
		if n < 1 || n > len(q.Options) {
			return store.Answer{}, isOutOfRange
		}
		return pick(q, n-1), isAnswer
	}
	for i, o := range q.Options {
		if legible.Trim(o) == text {
			return pick(q, i), isAnswer
		}
	}
	return free(text), isAnswer
}

// parseSeveral parses picks such as "1,3" and "1-3". Other words become texts. A
// line without any pick is one answer, including its commas.
func parseSeveral(q store.Question, line string) (store.Answer, verdict) {
	var all store.Answer
	all.Source = store.FromOption
	picked := false
	for part := range strings.FieldsFuncSeq(line, func(r rune) bool { return r == ',' || r == '、' || r == '，' }) {
		if part = legible.Trim(part); part == "" {
			continue
		}
		for _, one := range expandRange(part, len(q.Options)) {
			a, v := parsePart(q, one)
			if v != isAnswer {
				return a, v
			}
			if len(a.Indexes) == 0 {
				all.Source = store.FromFree
				all.Texts = append(all.Texts, a.Texts...)
				continue
			}
			picked = true
			if !slices.Contains(all.Indexes, a.Indexes[0]) {
				all.Indexes = append(all.Indexes, a.Indexes[0])
				all.Texts = append(all.Texts, a.Texts...)
			}
		}
	}
	switch {
	case len(all.Texts) == 0:
		return all, isEmpty
	case !picked:
		return free(line), isAnswer
	}
	return all, isAnswer
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
