package document

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// # Relaxed matching
//
// Where old_string does not occur exactly, canonically equivalent characters (NFC
// and NFD) match each other. With normalize, curly and straight quotes, dashes and
// hyphens, no-break and other spaces and ordinary ones, and blanks at line ends do as
// well; in a patch always, as a last resort. Only a single place may fit.
// The parts of the new text that repeat old_string keep the characters of the file.

// Relaxation is a set of differences that matching ignores.
type Relaxation uint8

const (
	RelaxForm Relaxation = 1 << iota
	relaxQuotes
	relaxSpaces
	relaxDashes
	relaxOtherSpaces
	relaxTrailing
	RelaxPath // the Unicode form of the file's name

	RelaxAll = RelaxPath - 1
)

// anyBlank are the blanks that relaxTrailing removes.
const anyBlank = " \t\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"

// Names lists the differences as results show them.
func (r Relaxation) Names() (all []string) {
	for i, name := range []string{"unicode_form", "quotes", "no_break_space", "dashes", "other_spaces",
		"trailing_blanks", "path"} {
		if r&(1<<i) != 0 {
			all = append(all, name)
		}
	}
	return all
}

// folded is a text without the differences that matching ignores.
type folded struct {
	text string
	from []int // for each byte, the offset in the source of the character it comes from
	end  int   // of the source
}

// fold removes differences from a text.
func (r Relaxation) fold(s string) folded {
	var b strings.Builder
	f := folded{end: len(s)}
	for i := 0; i < len(s); {
		if s[i] == '\r' && strings.HasPrefix(s[i:], "\r\n") {
			i++ // line ends match each other
			continue
		}
		if r&relaxTrailing != 0 && (s[i] == ' ' || s[i] == '\t' || s[i] >= utf8.RuneSelf) {
			rest := strings.TrimLeft(s[i:], anyBlank)
			atEnd := rest == "" || rest[0] == '\n' || strings.HasPrefix(rest, "\r\n")
			if atEnd && len(rest) < len(s)-i {
				i = len(s) - len(rest)
				continue
			}
		}
		n := 1
		if s[i] >= utf8.RuneSelf || r&RelaxForm != 0 && i+1 < len(s) && s[i+1] >= utf8.RuneSelf {
			_, n = utf8.DecodeRuneInString(s[i:])
			if r&RelaxForm != 0 {
				n = max(n, norm.NFC.NextBoundaryInString(s[i:], true))
			}
		}
		char := s[i : i+n]
		if r&RelaxForm != 0 {
			char = norm.NFC.String(char)
		}
		char = r.plain(char)
		for range len(char) {
			f.from = append(f.from, i)
		}
		b.WriteString(char)
		i += n
	}
	f.text = b.String()
	return f
}

// Fold returns a text without any of the differences.
func Fold(s string) string { return RelaxAll.fold(s).text }

// plain returns the plain form of a quote, a dash or a space.
func (r Relaxation) plain(char string) string {
	switch char {
	case "\u2018", "\u2019", "\u201a", "\u201b":
		if r&relaxQuotes != 0 {
			return "'"
		}
	case "\u201c", "\u201d", "\u201e", "\u201f":
		if r&relaxQuotes != 0 {
			return `"`
		}
	case "\u00a0", "\u2007", "\u202f":
		if r&relaxSpaces != 0 {
			return " "
		}
	case "\u2010", "\u2011", "\u2012", "\u2013", "\u2014", "\u2015", "\u2212":
		if r&relaxDashes != 0 {
			return "-"
		}
	default:
		if r&relaxOtherSpaces != 0 && char[0] >= utf8.RuneSelf && strings.Contains(anyBlank, char) {
			return " "
		}
	}
	return char
}

// source returns the offset in the source of an offset in the folded text.
func (f folded) source(at int) int {
	if at == len(f.from) {
		return f.end
	}
	return f.from[at]
}

// isBoundary reports whether an offset is between two characters of the source.
func (f folded) isBoundary(at int) bool {
	return at == 0 || at == len(f.from) || f.from[at] != f.from[at-1]
}

// FindRelaxed returns the occurrences of old without the differences.
func (d *Document) FindRelaxed(old string, r Relaxation) (found []Match) {
	want, text := r.fold(old), r.fold(d.Text.String)
	if want.text == "" {
		return nil
	}
	for _, at := range occurrences(text.text, want.text, false) {
		end := at + len(want.text)
		if !text.isBoundary(at) || !text.isBoundary(end) {
			continue
		}
		start, stop := text.source(at), text.source(end-1)
		_, n := utf8.DecodeRuneInString(d.Text.String[stop:])
		if r&RelaxForm != 0 {
			n = max(n, norm.NFC.NextBoundaryInString(d.Text.String[stop:], true))
		}
		line := strings.Count(d.Text.String[:start], "\n") + 1
		found = append(found, Match{Start: start, End: stop + n, Line: line})
	}
	return found
}

// Needed returns the differences without which two texts would not be equal.
func Needed(a, b string) (r Relaxation) {
	for one := RelaxForm; one <= relaxTrailing; one <<= 1 {
		rest := RelaxAll &^ one
		if rest.fold(a).text != rest.fold(b).text {
			r |= one
		}
	}
	return r
}

// KeepRepeated returns a new text in which the lines and the ends of lines that
// repeat old come from the matched text.
func KeepRepeated(old, matched, text, end string) string {
	was, is := strings.Split(strings.ReplaceAll(old, "\r\n", "\n"), "\n"), strings.Split(text, "\n")
	have := strings.Split(matched, "\n")
	if len(was) != len(have) || len(was)*len(is) > 1<<20 {
		return strings.ReplaceAll(text, "\n", end)
	}
	pairs := CommonPairs(was, is)
	var b strings.Builder
	for j, line := range is {
		i := pairs[j]
		sep := end
		switch {
		case i >= 0:
			line = strings.TrimSuffix(have[i], "\r")
			if i < len(have)-1 {
				sep = have[i][len(line):] + "\n"
			}
		case len(was) == len(is):
			line = keepEnds(was[j], strings.TrimSuffix(have[j], "\r"), line)
			if j < len(have)-1 && strings.HasSuffix(have[j], "\r") {
				sep = "\r\n"
			} else if j < len(have)-1 {
				sep = "\n"
			}
		}
		b.WriteString(line)
		if j < len(is)-1 {
			b.WriteString(sep)
		}
	}
	return b.String()
}

// CommonPairs returns, for each line of b, the line of a that it repeats, or -1: the
// longest common subsequence.
func CommonPairs(a, b []string) []int {
	best := make([][]int, len(a)+1)
	for i := range best {
		best[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				best[i][j] = best[i+1][j+1] + 1
			} else {
				best[i][j] = max(best[i+1][j], best[i][j+1])
			}
		}
	}
	pairs := slices.Repeat([]int{-1}, len(b))
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			pairs[j] = i
			i, j = i+1, j+1
		case best[i+1][j] >= best[i][j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}

// keepEnds returns a new line in which the beginning and the end that it shares
// with the old line come from the matched line, and the rest has its Unicode
// form.
func keepEnds(old, matched, line string) string {
	if old == matched {
		return line
	}
	a, m := RelaxAll.fold(old), RelaxAll.fold(matched)
	if a.text != m.text {
		return line
	}
	head, tail := commonHead(old, line), 0
	for head > 0 && !norm.NFC.PropertiesString(line[head:]).BoundaryBefore() {
		head--
	}
	for head > 0 && head < len(old) && !utf8.RuneStart(old[head]) {
		head--
	}
	tail = commonTail(old[head:], line[head:])
	for tail > 0 && !utf8.RuneStart(line[len(line)-tail]) {
		tail--
	}
	at := func(place int) int { // in matched, for an offset in old
		i, _ := slices.BinarySearch(a.from, place)
		return m.source(i)
	}
	middle := line[head : len(line)-tail]
	if norm.NFD.IsNormalString(matched) && !norm.NFC.IsNormalString(matched) {
		middle = norm.NFD.String(middle)
	}
	return matched[:at(head)] + middle + matched[at(len(old)-tail):]
}
