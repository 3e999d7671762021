package pdftext

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Hebrew, Arabic and their like are written from right to left. PDFium guesses in which order a
// file has their characters, and is wrong for some writers. So the characters of a line are
// sorted by their places, from left to right, until the line is complete; then they are put
// into the order in which a person wrote them, by the rules of UAX 9 backwards.

// isRTL reports whether a character goes from right to left.
func isRTL(r rune) bool {
	return r >= 0x590 && unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko,
		unicode.Samaritan, unicode.Mandaic, unicode.Adlam) && !unicode.IsDigit(r)
}

// byPlace sorts the characters of lines with text from right to left by their places.
func byPlace(glyphs []glyph) []glyph {
	for i := 0; i < len(glyphs); {
		end, rtl := i+1, isRTL(glyphs[i].r)
		for end < len(glyphs) && glyphs[end].turn == glyphs[i].turn &&
			math.Abs(glyphs[end].across-glyphs[i].across) < glyphs[i].size*0.3 {
			rtl = rtl || isRTL(glyphs[end].r)
			end++
		}
		if rtl {
			sortLine(glyphs[i:end])
		}
		i = end
	}
	return glyphs
}

// sortLine sorts the characters of a line from left to right. A mark keeps its letter, and
// stands before it; so do letters of one ligature, in reverse.
func sortLine(line []glyph) {
	type cluster struct {
		glyphs []glyph
		from   float64
	}
	var all []cluster
	for _, g := range line {
		if unicode.Is(unicode.Mn, g.r) {
			continue
		}
		if last := len(all) - 1; last >= 0 && isRTL(g.r) && all[last].glyphs[0].isAt(g) {
			all[last].glyphs = append(all[last].glyphs, g)
			continue
		}
		all = append(all, cluster{[]glyph{g}, g.from})
	}
	for _, g := range line {
		if !unicode.Is(unicode.Mn, g.r) || len(all) == 0 {
			continue
		}
		i := 0
		for j, c := range all {
			if math.Abs(c.glyphs[0].origin-g.origin) < math.Abs(all[i].glyphs[0].origin-g.origin) {
				i = j
			}
		}
		base := all[i].glyphs[0]
		g.from, g.to, g.across, g.size = base.from, base.to, base.across, base.size
		all[i].glyphs = append(all[i].glyphs, g)
	}
	slices.SortStableFunc(all, func(a, b cluster) int { return cmp.Compare(a.from, b.from) })
	line = line[:0]
	for _, c := range all {
		if len(c.glyphs) > 1 && isRTL(c.glyphs[0].r) {
			if isAlef(c.glyphs[0].r) && c.glyphs[1].r == 'ل' { // one sign, of which lam is the first letter
				c.glyphs[0], c.glyphs[1] = c.glyphs[1], c.glyphs[0]
			}
			slices.Reverse(c.glyphs)
			from, to := c.glyphs[0].from, c.glyphs[0].to
			for _, g := range c.glyphs {
				to = max(to, g.to)
			}
			wide := (to - from) / float64(len(c.glyphs))
			for i := range c.glyphs { // side by side, so that they stay in this order
				c.glyphs[i].from, c.glyphs[i].to = from+float64(i)*wide, from+float64(i+1)*wide
			}
		}
		line = append(line, c.glyphs...)
	}
}

func isAlef(r rune) bool { return strings.ContainsRune("اأإآٱ", r) }

// isAt reports whether two characters are drawn as one. Of lam and alef, some writers tell the
// width of the ink for one of them only.
func (g glyph) isAt(other glyph) bool {
	return math.Abs(g.from-other.from) < 0.01 &&
		(math.Abs(g.to-other.to) < 0.01 || isAlef(g.r) && other.r == 'ل' || g.r == 'ل' && isAlef(other.r))
}

// Classes of characters.
const (
	neutral = iota
	leftward
	rightward
	number
)

func classOf(r rune) int {
	switch {
	case isRTL(r):
		return leftward
	case unicode.IsDigit(r):
		return number
	case unicode.IsLetter(r), unicode.Is(unicode.Mn, r):
		return rightward
	}
	return neutral
}

// logical returns a line, given as it looks from left to right, in the order of its writing.
// onRTL says that the page goes from right to left; other lines do so if most of their letters do.
func logical(line string, onRTL bool) string {
	if !strings.ContainsFunc(line, isRTL) {
		return line
	}
	text := []rune(line)
	classes := make([]int, len(text))
	count := map[int]int{}
	for i, r := range text {
		classes[i] = classOf(r)
		count[classes[i]]++
	}
	for i := range text { // 1,234 and 5%
		before, after := i > 0 && classes[i-1] == number, i+1 < len(text) && classes[i+1] == number
		if before && after && strings.ContainsRune(".,:/", text[i]) || (before || after) &&
			strings.ContainsRune("%$€£₪°", text[i]) {
			classes[i] = number
		}
	}
	if onRTL || count[leftward] > count[rightward] {
		return turned(text, classes)
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if classes[i] != leftward {
			b.WriteRune(text[i])
			i++
			continue
		}
		last := i
		for end := i; end < len(text) && classes[end] != rightward; end++ {
			if classes[end] == leftward {
				last = end
			}
		}
		b.WriteString(turned(text[i:last+1], classes[i:last+1]))
		i = last + 1
	}
	return b.String()
}

// turned reads a text from right to left, but numbers and words of other scripts from left to
// right.
func turned(text []rune, classes []int) string {
	var out []rune
	var loose []int // places in out of brackets of the text from right to left
	for end := len(text); end > 0; {
		if c := classes[end-1]; c == leftward || c == neutral {
			if strings.ContainsRune("()[]{}<>«»", text[end-1]) {
				loose = append(loose, len(out))
			}
			out = append(out, text[end-1])
			end--
			continue
		}
		begin, words := end, false
		for i := end - 1; i >= 0 && classes[i] != leftward; i-- {
			words = words || classes[i] == rightward
			if classes[i] == number && !words && !slices.Contains(classes[i:end], neutral) || classes[i] == rightward ||
				words && classes[i] == number {
				begin = i
			}
		}
		out = append(out, text[begin:end]...)
		end = begin
	}
	for _, at := range loose {
		out[at] = bracket(out, at)
	}
	return presented(string(out))
}

// bracket returns the right one of two brackets. Which one a file has depends on its writer.
func bracket(text []rune, at int) rune {
	const pairs = "()[]{}<>«»"
	i := strings.IndexRune(pairs, text[at])
	opening, size := utf8.DecodeRuneInString(pairs[i:])
	if n := utf8.RuneCountInString(pairs[:i]); n%2 == 1 {
		opening, size = utf8.DecodeLastRuneInString(pairs[:i])
		i -= size
	}
	closing, _ := utf8.DecodeRuneInString(pairs[i+size:])
	isWord := func(i int) bool {
		return i >= 0 && i < len(text) && classOf(text[i]) != neutral
	}
	switch before, after := isWord(at-1), isWord(at+1); {
	case after && !before:
		return opening
	case before && !after:
		return closing
	}
	open := 0
	for _, r := range text[:at] {
		switch r {
		case opening:
			open++
		case closing:
			open--
		}
	}
	if open > 0 {
		return closing
	}
	return opening
}

// presented replaces the shapes of Arabic letters by the letters.
func presented(text string) string {
	isShape := func(r rune) bool { return r >= 0xfb1d && r <= 0xfdff || r >= 0xfe70 && r <= 0xfefc }
	if !strings.ContainsFunc(text, isShape) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if isShape(r) {
			b.WriteString(norm.NFKC.String(string(r)))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isMirrored reports whether most letters of a page go from right to left, so that its columns
// do, too.
func isMirrored(runs []run) bool {
	count := map[int]int{}
	for _, run := range runs {
		for _, r := range string(run.text) {
			count[classOf(r)]++
		}
	}
	return count[leftward] > count[rightward]
}
