package pdftext

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"techo/internal/testenv"
)

// TestDocuments reads documents in the order of reading, each row of a table on a line of its
// own. testdata/make.py makes them.
func TestDocuments(t *testing.T) {
	names, _ := filepath.Glob("testdata/*.pdf")
	if len(names) != 20 {
		t.Fatalf("%d documents", len(names))
	}
	more, _ := filepath.Glob("testdata/more/*.pdf")
	last, _ := filepath.Glob("testdata/last/*.pdf") // techo was not adjusted on these
	for _, name := range slices.Concat(names, more, last) {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		source, err := os.ReadFile(strings.TrimSuffix(name, "pdf") + "txt")
		if err != nil {
			t.Fatal(err)
		}
		want := string(source)
		d, err := readAll(t.Context(), body, options)
		if err != nil || d.Cut {
			t.Errorf("%s: %v", name, err)
		}
		got := strings.ReplaceAll(d.Text(), "-\n", "") // groff divides words
		if tokens, wanted := tokensOf(got), tokensOf(want); !slices.Equal(tokens, wanted) {
			at := 0
			for at < min(len(tokens), len(wanted)) && tokens[at] == wanted[at] {
				at++
			}
			t.Errorf("%s: %q, want %q", name, tokens[at:min(at+20, len(tokens))], wanted[at:min(at+20, len(wanted))])
		}
		lines := strings.Split(got, "\n")
		for row := range strings.SplitSeq(want, "\n") {
			if strings.HasSuffix(name, "en-typst-career.pdf") {
				break // its rows have cells of several lines, without lines between them
			}
			if strings.Contains(row, "\t") && !slices.ContainsFunc(lines, func(line string) bool {
				return strings.Contains(squeezed(line), squeezed(row))
			}) {
				t.Errorf("%s: %q is not on one line of %q", name, row, got)
			}
		}
	}
}

// tokensOf returns the words of a text, and each wide character.
func tokensOf(text string) (tokens []string) {
	for _, word := range strings.FieldsFunc(norm.NFKC.String(text), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.IsSymbol(r) && r != '☐' && r != '☑'
	}) {
		for i, r := range word {
			if i == 0 || isWide(r) || isOneWide([]byte(tokens[len(tokens)-1])) {
				tokens = append(tokens, string(r))
			} else {
				tokens[len(tokens)-1] += string(r)
			}
		}
	}
	return tokens
}

func squeezed(text string) string { return strings.Join(strings.Fields(norm.NFKC.String(text)), "") }

// TestArrangeAll arranges random runs. No character may be lost or doubled.
func TestArrangeAll(t *testing.T) {
	random := testenv.Random(t)
	for range testenv.Pick(300, 3000) {
		var runs []run
		var rules []rule
		for i := range random.IntN(60) {
			size := float64(6 + random.IntN(3)*4)
			from, width := float64(random.IntN(50)*12), float64(random.IntN(200))
			runs = append(runs, run{text: fmt.Appendf(nil, "%c%d", []rune("aあ窯.")[random.IntN(4)], i), from: from,
				to: from + width, across: float64(random.IntN(60) * 6), size: size, turn: random.IntN(4) / 3 * 90,
				guessed: random.IntN(5) == 0})
			rules = append(rules, rule{from, from + width, float64(random.IntN(60) * 6)})
		}
		var all []byte
		for _, r := range runs {
			all = append(all, r.text...)
		}
		got := arrange(runs, rules)
		if sorted(got) != sorted(string(all)) {
			t.Fatalf("%q becomes %q", all, got)
		}
	}
}

// sorted returns the visible characters of a text in their order.
func sorted(text string) string {
	characters := []rune(squeezed(text))
	slices.Sort(characters)
	return string(characters)
}

// TestManyRuns arranges more pieces than a table has, and more columns.
func TestManyRuns(t *testing.T) {
	var runs []run
	for i := range testenv.Pick(20_000, 60_000) {
		at := float64(i % 300)
		runs = append(runs, run{text: []byte("a"), from: at * 30, to: at*30 + 5, across: -float64(i / 300 * 12),
			size: 10})
	}
	if got := arrange(runs, nil); strings.Count(got, "a") != len(runs) {
		t.Errorf("%d characters", strings.Count(got, "a"))
	}
}
