package passage

import (
	"fmt"
	"strings"
	"testing"

	"techo/internal/testenv"
)

// TestNearest changes one character of a passage in a random text and checks that
// the passage and the character are found.
func TestNearest(t *testing.T) {
	r := testenv.Random(t)
	words := strings.Fields("func return error 設定 読み込み value := range if else for tools env Say nil " +
		"文字列 string int case switch default x y i j foo bar baz")
	for range 300 {
		var lines []string
		for i := range 5 + r.IntN(200) {
			line := strings.Repeat("\t", r.IntN(4))
			for range 1 + r.IntN(8) {
				line += words[r.IntN(len(words))] + " "
			}
			lines = append(lines, line+fmt.Sprint(i))
		}
		n := 1 + r.IntN(min(6, len(lines)))
		first := r.IntN(len(lines) - n + 1)
		wanted := append([]string(nil), lines[first:first+n]...)
		k := r.IntN(n)
		runes := []rune(wanted[k])
		c := r.IntN(len(runes))
		was, is := runes[c], []rune("@\u00a0 Ａ")[r.IntN(4)]
		if was == is || n == 1 && len(plain(wanted[0])) < 6 {
			continue
		}
		runes[c] = is
		wanted[k] = string(runes)
		p, ok := Nearest(strings.Join(lines, "\n"), strings.Join(wanted, "\n"))
		if !ok || p.First != first+1 || len(p.Lines) != n {
			if ok && p.First != first+1 && p.Score >= score(lines, wanted, first) {
				continue // another passage is equally similar
			}
			t.Fatalf("%q (%q) from line %d, found %+v, %v", wanted, string(was), first+1, p, ok)
		}
		if p.Line != first+1+k || p.Column != c+1 || p.Found != was || p.Wanted != is {
			t.Fatalf("%q: changed %q to %q in line %d, column %d, found %+v", wanted, was, is, first+1+k, c+1, p)
		}
	}
}

// TestDifferences checks typical mistakes of people and models.
func TestDifferences(t *testing.T) {
	tests := []struct {
		text, want    string
		line, column  int
		found, wanted rune
	}{
		{"a\n\tfoo()\nb\n", "    foo()", 2, 1, '\t', ' '},
		{"x = foo(1)\u00a0+ 2\n", "foo(1) + 2", 1, 11, '\u00a0', ' '},
		{"long line with a typo here and more\n", "a typpo here", 1, 21, 'o', 'p'},
		{"first\nsecond \nthird\n", "first\nsecond\nthird", 2, 7, ' ', '\n'},
		{"first\nsecond\nthird\n", "first\nsecond \nthird", 2, 7, '\n', ' '},
		{"one\ntwo three four", "two three four\n", 2, 15, End, '\n'},
		{"Hello, World\n", "Wrld", 1, 9, 'o', 'r'},
		{"設定ＡＢＣを読む\n", "設定ABCを読む", 1, 3, 'Ａ', 'A'},
		{"say “hello” to all\n", `say "hello" to all`, 1, 5, '“', '"'},
		{"if x {\n\treturn y\n}\n", "if x {\n\treturn z\n}", 2, 9, 'y', 'z'},
		{"begin\nmiddle part\nend\n", "gin\nmiddle prat\nen", 2, 9, 'a', 'r'},
	}
	for _, test := range tests {
		p, ok := Nearest(test.text, test.want)
		if !ok || p.Line != test.line || p.Column != test.column || p.Found != test.found || p.Wanted != test.wanted {
			t.Errorf("%q in %q: %+v, %v, want line %d, column %d, %q for %q", test.want, test.text, p, ok, test.line,
				test.column, test.found, test.wanted)
		}
	}
	for _, none := range []string{"", "x", "\n", "nothing of the kind", "日本"} {
		if p, ok := Nearest("some text\nof two lines\n", none); ok && p.Score < 0.5 {
			t.Errorf("%q: %+v", none, p)
		}
	}
}

// TestSellers compares the alignment with a search over all parts of a line.
func TestSellers(t *testing.T) {
	r := testenv.Random(t)
	text := func(n int) []rune {
		s := make([]rune, r.IntN(n))
		for i := range s {
			s[i] = rune('a' + r.IntN(3))
		}
		return s
	}
	for range 2000 {
		line, want, ends := text(12), text(8), r.IntN(2) == 0
		least := len(want) + len(line)
		for i := range len(line) + 1 {
			for j := i; j <= len(line); j++ {
				if ends || j == len(line) {
					least = min(least, distance(line[i:j], want))
				}
			}
		}
		start, cost := align(line, want, ends)
		got := len(want) + len(line)
		for j := start; j <= len(line); j++ {
			if ends || j == len(line) {
				got = min(got, distance(line[start:j], want))
			}
		}
		if got != least || cost != least {
			t.Fatalf("%q in %q (%v): from %d it costs %d, the least is %d", string(want), string(line), ends, start,
				got, least)
		}
	}
}

// distance computes the edit distance by its recursive definition.
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
		}
		row = next
	}
	return row[len(b)]
}

// FuzzNearest checks that arbitrary texts give a valid position.
func FuzzNearest(f *testing.F) {
	f.Add("a\nb\nc", "b\nd")
	f.Add("\tfoo\n", "    foo\n\n")
	f.Add("日本語\r\n", "日本\n")
	f.Fuzz(func(t *testing.T, text, want string) {
		p, ok := Nearest(text, want)
		if !ok {
			return
		}
		lines := strings.Count(text, "\n") + 1
		if p.First < 1 || p.First > lines || p.Line < 0 || p.Line > lines+1 || p.Score > 1.001 {
			t.Fatalf("%q in %q: %+v", want, text, p)
		}
	})
}
