// Package slips has the words that people type for commands, flags and values of techo. It only
// suggests: a line never runs as another one.
package slips

import (
	_ "embed"
	"slices"
	"strings"
)

// table has rows of what people type and what techo has instead: a line of techo, or one that another
// row corrects. In a line | is between other words, _ is a word, _:// an address, … the words that
// follow, "…" these as one text. Rows that begin with verb, flag or value have other words on the left;
// the first on the right that a family or a command has stands for them.
//
//go:embed slips.txt
var table string

// Signs of a pattern.
const (
	one     = "_"
	address = "_://"
	rest    = "…"
	text    = `"…"`
)

// steps is how many rows may correct a line, one after the other.
const steps = 4

// row is a line of the table. A word on its left may be one of several, with | between them.
type row struct{ left, right []string }

// rows returns the rows of a kind; "" is for lines.
func rows(kind string) (all []row) {
	for line := range strings.Lines(table) {
		left, right, ok := strings.Cut(strings.TrimSpace(line), " = ")
		first, others, _ := strings.Cut(left, " ")
		of := ""
		if slices.Contains([]string{"verb", "flag", "value"}, first) {
			of, left = first, others
		}
		if ok && first != "#" && of == kind {
			all = append(all, row{strings.Fields(left), strings.Fields(right)})
		}
	}
	return all
}

// Word returns the words for another word of a kind: verb, flag or value.
func Word(kind, word string) (words []string) {
	for _, r := range rows(kind) {
		if slices.Contains(r.left, strings.ToLower(word)) {
			words = append(words, r.right...)
		}
	}
	return words
}

// Line returns the line that a person means by another one, nil for none. has reports whether the
// first words of a line are a command; commands returns the verbs of a family.
func Line(typed []string, has func(line []string) bool, verbs func(family string) []string) []string {
	all, line := rows(""), typed
	for range steps {
		next := corrected(all, line)
		if next == nil {
			next = otherVerb(line, verbs)
		}
		if next == nil || slices.Equal(next, line) {
			return nil
		}
		if line = next; has(line) && corrected(all, line) == nil {
			return line
		}
	}
	return nil
}

// corrected applies the best row to a line: one for the whole line before one for its beginning.
func corrected(all []row, line []string) (best []string) {
	most := 0
	for _, r := range all {
		if next, exact := r.apply(line); next != nil && exact > most {
			best, most = next, exact
		}
	}
	return best
}

// apply returns the line on the right of a row for a line on its left, and how well it fits.
func (r row) apply(line []string) (next []string, fits int) {
	words, flags := cut(line)
	left, open := r.left, r.left[len(r.left)-1]
	if open == rest || open == text {
		left = left[:len(left)-1]
	}
	if len(words) < len(left) {
		return nil, 0
	}
	var taken []string
	for i, pattern := range left {
		switch {
		case pattern == one, pattern == address && strings.Contains(words[i], "://"):
			taken = append(taken, words[i])
		case !slices.Contains(strings.Split(pattern, "|"), strings.ToLower(words[i])):
			return nil, 0
		}
	}
	after := words[len(left):]
	switch fits = 2 * len(left); {
	case open == text && len(after) == 0, open != text && open != rest && len(after) > 0:
		return nil, 0
	case open != rest:
		fits++
	}
	return append(r.filled(taken, after), flags...), fits
}

// filled returns the right side of a row with the words that its signs stand for.
func (r row) filled(taken, after []string) (line []string) {
	for _, w := range r.right {
		switch w {
		case one:
			line, taken = append(line, taken[0]), taken[1:]
		case rest:
			line = append(line, after...)
		case text:
			line = append(line, strings.Join(after, " "))
		default:
			line = append(line, w)
		}
	}
	return line
}

// cut returns the words of a line up to the first flag, and what follows.
func cut(line []string) (words, flags []string) {
	i := slices.IndexFunc(line, func(w string) bool { return len(w) > 1 && w[0] == '-' })
	if i < 0 {
		i = len(line)
	}
	return line[:i], line[i:]
}

// otherVerb returns a line with the verb that its family has for another one, nil for none.
func otherVerb(line []string, verbs func(family string) []string) []string {
	if len(line) < 2 {
		return nil
	}
	known := verbs(line[0])
	for _, verb := range Word("verb", line[1]) {
		if slices.Contains(known, verb) && !slices.Contains(known, line[1]) {
			return append([]string{line[0], verb}, line[2:]...)
		}
	}
	return nil
}
