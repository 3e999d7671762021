package pattern

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"
	"unicode/utf8"

	"techo/internal/testenv"
)

func oneOf(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

func expression(r *rand.Rand, depth int) string {
	if depth == 0 || r.IntN(4) == 0 {
		return oneOf(r, "a", "b", "ab", "s", "k", "x", "-", " ", "foo", "func", "é", "カ", "ー", ".", `\w`, `\W`,
			`\s`, `\S`, `\d`,
			"[ab]", "[^a]", "[a-z]", "[A-Z]", `[^\x00-\x7F]`, "[ァ-ヶ]", `\b`, `\B`, "^", "$", `\A`, `\z`, `\pL`,
			"(?i)k", "(?i)É")
	}
	sub := func() string { return expression(r, depth-1) }
	switch r.IntN(9) {
	case 0, 1, 2:
		return sub() + sub()
	case 3:
		return "(" + sub() + "|" + sub() + ")"
	case 4:
		return "(?:" + sub() + ")" + oneOf(r, "*", "+", "?", "*?", "+?")
	case 5:
		return fmt.Sprintf("(?:%s){%d,%d}", sub(), r.IntN(3), 2+r.IntN(3))
	case 6:
		return fmt.Sprintf("(%s){%d,}", sub(), r.IntN(4))
	case 7:
		return "(?i:" + sub() + ")"
	}
	return sub() + sub() + sub()
}

// lines generates a text that the expressions match now and then.
func lines(r *rand.Rand) []byte {
	var b bytes.Buffer
	for range r.IntN(40) {
		for range r.IntN(12) {
			b.WriteString(oneOf(r, "a", "b", "ab", "A", "B", "s", "S", "ſ", "k", "K", "\u212a", "x", "-", " ", "\t",
				"_", "foo", "Func", "func", "é", "É", "カ", "ー", "ケ", "1", "Z", "\x00", "\r"))
		}
		if r.IntN(20) == 0 {
			b.WriteString(strings.Repeat(oneOf(r, "a", "é", "-"), r.IntN(200)))
		}
		b.WriteByte('\n')
	}
	if r.IntN(2) == 0 {
		b.WriteString(oneOf(r, "a", "foo", "カ"))
	}
	return b.Bytes()
}

// scanners returns a scanner for each search strategy.
func scanners(p *Pattern) map[string]*Scanner {
	all := map[string]*Scanner{"all": p.Scanner(), "matcher": {p: p}}
	if p.program != nil {
		all["automaton"] = &Scanner{p: p, dfa: p.program.newDFA()}
	}
	if len(p.plan.runs) > 0 {
		all["candidates"] = &Scanner{p: p, finder: newFinder(p.plan)}
	}
	return all
}

func found(s *Scanner, text []byte) (all []string) {
	for at := 0; ; {
		span, ok := s.Next(text, at)
		if !ok {
			return all
		}
		all = append(all, fmt.Sprintf("%d:%s", span.Start, text[span.Start:span.End]))
		at = span.End + 1
	}
}

// expected returns the lines that package regexp matches.
func expected(re *regexp.Regexp, text []byte) (all []string) {
	at := 0
	for l := range bytes.Lines(text) {
		line := bytes.TrimSuffix(l, []byte("\n"))
		if re.Match(line) {
			all = append(all, fmt.Sprintf("%d:%s", at, line))
		}
		at += len(l)
	}
	return all
}

func compare(t *testing.T, e string, o Options, text []byte) {
	t.Helper()
	source := e
	switch {
	case o.Fixed:
		source = regexp.QuoteMeta(e)
	case !o.ASCII:
		source = unicodeClasses(e)
	}
	if o.IgnoreCase {
		source = "(?i:" + source + ")"
	}
	if o.Word {
		source = `(?:^|\W)(?:` + source + `)(?:$|\W)`
	}
	re, err := regexp.Compile(source)
	if err != nil {
		return
	}
	p, err := Compile([]string{e}, o)
	if err != nil {
		if e := err.(*Error); e.Kind == Newline || e.Kind == TooLarge {
			return
		}
		t.Fatalf("%q: %v", e, err)
	}
	want := expected(re, text)
	for name, s := range scanners(p) {
		if got := found(s, text); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%q %+v by %s (%d runs, exact %v)\ntext %q\ngot  %q\nwant %q", e, o, name, len(p.plan.runs),
				p.plan.exact, text, got, want)
		}
	}
}

// TestAgainstStandard compares every strategy with package regexp.
func TestAgainstStandard(t *testing.T) {
	r := testenv.Random(t)
	for range testenv.Pick(2_000, 20_000) {
		e := expression(r, 1+r.IntN(4))
		o := Options{IgnoreCase: r.IntN(4) == 0, Word: r.IntN(5) == 0, Fixed: r.IntN(10) == 0, ASCII: true}
		compare(t, e, o, lines(r))
		// Package regexp has no Unicode word boundaries.
		if o.ASCII, o.Word = false, false; !strings.Contains(strings.ToLower(e), `\b`) || o.Fixed {
			compare(t, e, o, lines(r))
		}
	}
}

func FuzzPattern(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		f.Add(expression(r, 3), string(lines(r)), false, false)
	}
	f.Add(`\bfunc \w+\(`, "func main(\n func\tx(", true, true)
	f.Add(`a\Q.b`, "xa.b\na", false, false)
	f.Fuzz(func(t *testing.T, e, text string, fold, word bool) {
		if !utf8.ValidString(text) || len(e) > 200 || strings.Contains(e, `\Q`) && word {
			return
		}
		if re, err := syntax.Parse(e, syntax.Perl); err != nil || re.Simplify() == nil {
			return
		}
		compare(t, e, Options{IgnoreCase: fold, Word: word, ASCII: true}, []byte(text))
	})
}

// TestFewStates checks that evicting DFA states does not change the results.
func TestFewStates(t *testing.T) {
	e := `a[ab]{12}c`
	p, err := Compile([]string{e}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := testenv.Random(t)
	text := make([]byte, 1<<16)
	for i := range text {
		text[i] = "abababababababababababababababababababc\n"[r.IntN(40)]
	}
	d := &Scanner{p: p, dfa: p.program.newDFA()}
	if got, want := found(d, text), expected(regexp.MustCompile(e), text); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %d lines, want %d", len(got), len(want))
	}
	if d.dfa.flushed == 0 {
		t.Error("the states were never forgotten")
	}
	if n := len(d.dfa.states); n > maxStates+1 {
		t.Errorf("%d states", n)
	}
}

// TestVectors compares the vector code with the portable code.
func TestVectors(t *testing.T) {
	if !hasVectors {
		t.Log("no vectors here: the plain code is compared with itself")
	}
	r := testenv.Random(t)
	for range 20_000 {
		text := make([]byte, r.IntN(300))
		letters := 2 + r.IntN(254)
		for i := range text {
			text[i] = byte(r.IntN(letters))
		}
		p := &pair{byte(r.IntN(letters)), byte(r.IntN(letters)), 0, r.IntN(2*maxDistance) - maxDistance}
		from := r.IntN(len(text) + 1)
		if got, want := p.find(text, from), p.findPlain(text, from+max(0, -p.distance)); got != want {
			t.Fatalf("%+v from %d in %v: %d, want %d", p, from, text, got, want)
		}
		var runs []placed
		for range 1 + r.IntN(12) {
			one := make([]set, 1+r.IntN(12))
			for i := range one {
				for range 1 + r.IntN(3) {
					one[i].add(byte(r.IntN(letters)))
				}
			}
			runs = append(runs, placed{run: run{sets: one}, start: r.IntN(len(one))})
		}
		tab := newTables(runs, []int{shortWindow, maxWindow}[r.IntN(2)])
		if got, want := tab.find(text, from), tab.findPlain(text, from); got != want {
			t.Fatalf("%d runs from %d in %v: %d, want %d", len(runs), from, text, got, want)
		}
	}
}

// TestNotUTF8 checks that invalid UTF-8 matches only itself.
func TestNotUTF8(t *testing.T) {
	for _, test := range []struct {
		e, text string
		want    bool
	}{
		{"a.b", "a\xffb", false}, {"a.b", "aéb", true}, {"a[^x]b", "a\xe3\x82b", false},
		{`a\W`, "a\xff", false}, {`a\b`, "a\xff", true}, {"a$", "a\xff", false}, {"^.", "\xffa", false},
		{"a", "\xffa", true},
		{"é", "\xc3\xa9", true}, {"é", "\xc3", false},
		// An expression of any size gives the same answer.
		{"x.y", "x\xffy", false}, {`x.y(\pL{0,30})`, "x\xffy", false}, {`x.y(\pL{0,300})`, "x\xffy", false},
	} {
		p, err := Compile([]string{test.e}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for name, s := range scanners(p) {
			if _, ok := s.Next([]byte(test.text), 0); ok != test.want {
				t.Errorf("%q in %q by %s: %v", test.e, test.text, name, ok)
			}
		}
	}
}

// TestPlans pins the plans of common expressions, which determine the speed.
func TestPlans(t *testing.T) {
	for _, test := range []struct {
		e     string
		runs  int
		exact bool
	}{
		{"return nil", 1, true}, {"kmem_cache_alloc_bulk", 1, true}, {"(?i)deprecated", 1, true},
		{"mutex_lock|spin_lock_irqsave|RLock|atomic_inc", 4, true}, {`\bfunc \w+\(`, 1, false},
		{`[A-Z]{3,}_[A-Z]+`, 1, true}, {"カーネル", 1, true}, {`\w{5}\s+\w{5}\s+\w{5}`, 1, false},
		{`^import\s+`, 1, false}, {`colou?r`, 2, true}, {`(foo|bar|baz)\w*\(`, 2, false}, {`^$`, 0, false},
		{`\w+Handler\(`, 1, true}, {`(?i)kernel_mask_skip`, 32, true}, {`(?i)kernel_mask_skip_s`, 1, false},
		{`.{120,}`, 0, false}, {"e", 0, false},
	} {
		p, err := Compile([]string{test.e}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(p.plan.runs); test.runs == 0 && got > 0 || got < test.runs || p.plan.exact != test.exact {
			t.Errorf("%s: %d runs, exact %v", test.e, got, p.plan.exact)
		}
	}
}

// TestErrors checks the kind and position of errors.
func TestErrors(t *testing.T) {
	for _, test := range []struct {
		e      string
		kind   Kind
		offset int
	}{
		{"a(b", Invalid, 1}, {"ab)", Invalid, 2}, {"a[b", Invalid, 1}, {"*a", Invalid, 0}, {`ab\`, Invalid, 2},
		{"foo(?=bar)", LookAround, 3}, {"(?<!x)y", LookAround, 0}, {`(a)\1`, BackReference, 3},
		{`\\1 (a)\1`, BackReference, 7},
		{"a(?>b)", Possessive, 1}, {"ab++", Possessive, 2}, {`a\nb`, Newline, 1}, {"((a{1000}){1000})", Invalid, 10},
		{"日本(", Invalid, 6}, {"a{5,2}", Invalid, 1}, {strings.Repeat("a", 1<<17), TooLarge, 0},
	} {
		_, err := Compile([]string{"fine", test.e}, Options{})
		e, ok := err.(*Error)
		if !ok || e.Kind != test.kind || e.Offset != test.offset || e.Index != 1 {
			t.Errorf("%.40q: %+v", test.e, err)
		}
	}
}

// TestPlace locates matches in lines of any length.
func TestPlace(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, test := range []struct {
		e, line    string
		o          Options
		start, end int
	}{
		{"b+", "aabbb", Options{}, 2, 5},
		{"b", "ab b", Options{Word: true}, 3, 4},
		{"needle", long + "needle" + long, Options{}, 1 << 20, 1<<20 + 6},
		{"n[e]+dle|zz", long + "needle" + long, Options{}, 1 << 20, 1<<20 + 6},
		// The part of a long line that is searched has no line start and no word of its own.
		{"^x|needle", "b" + long + "needle" + long, Options{}, 1<<20 + 1, 1<<20 + 7},
		{`\bx|needle`, "b" + long + "needle" + long, Options{}, 1<<20 + 1, 1<<20 + 7},
		{`needle|x$|x\b`, long + "needle" + long + "b", Options{}, 1 << 20, 1<<20 + 6},
	} {
		p, err := Compile([]string{test.e}, test.o)
		if err != nil {
			t.Fatal(err)
		}
		span, ok := p.Scanner().Next([]byte(test.line), 0)
		if start, end := p.Place([]byte(test.line), span.Inside); !ok || start != test.start || end != test.end {
			t.Errorf("%q: %d to %d, want %d to %d", test.e, start, end, test.start, test.end)
		}
	}
}

// touched returns the lines that matches touch, with the offsets of the matches;
// lines that share a match are joined.
func touched(s *Scanner, text []byte) (all []string) {
	s.All(text, func(lines Span, start int) bool {
		all = append(all, fmt.Sprintf("%d-%d at %d", lines.Start, lines.End, start))
		return true
	})
	return all
}

// touchedBy is touched, computed with package regexp alone.
func touchedBy(re *regexp.Regexp, text []byte) (all []string) {
	var lines Span
	first := -1
	for _, m := range re.FindAllIndex(text, -1) {
		if m[0] == len(text) && text[m[0]-1] == '\n' {
			break
		}
		begin := bytes.LastIndexByte(text[:m[0]], '\n') + 1
		end := max(m[0], m[1]-1)
		if i := bytes.IndexByte(text[end:], '\n'); i >= 0 {
			end += i
		} else {
			end = len(text)
		}
		switch {
		case first >= 0 && begin <= lines.End:
			lines.End = max(lines.End, end)
			continue
		case first >= 0:
			all = append(all, fmt.Sprintf("%d-%d at %d", lines.Start, lines.End, first))
		}
		lines, first = Span{Start: begin, End: end}, m[0]
	}
	if first >= 0 {
		all = append(all, fmt.Sprintf("%d-%d at %d", lines.Start, lines.End, first))
	}
	return all
}

// TestAll compares multiline matches with the ones package regexp finds.
func TestAll(t *testing.T) {
	r := testenv.Random(t)
	over := func() string { return oneOf(r, "", `\n`, `\s*`, `(?s:.)`, `(?s:.{0,9})`, `\n\n`, `(?:^|\n)`) }
	for range 5000 {
		e := over() + expression(r, 1+r.IntN(3)) + over() + expression(r, r.IntN(2))
		text := bytes.Repeat(lines(r), 1+r.IntN(3))
		re, err := regexp.Compile("(?m)" + e)
		if err != nil || len(text) == 0 {
			continue
		}
		p, err := Compile([]string{e}, Options{Multiline: true, ASCII: true})
		if err != nil {
			t.Fatal(err)
		}
		if !p.Multiline() {
			continue // TestAgainstStandard covers single lines
		}
		if got, want := touched(p.Scanner(), text), touchedBy(re, text); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%q in %q:\ngot  %q\nwant %q", e, text, got, want)
		}
	}
}

// TestAllOfOneLine has so many matches on one line that reading the line for each would not end.
func TestAllOfOneLine(t *testing.T) {
	p, err := Compile([]string{"[a\n]"}, Options{Multiline: true})
	if err != nil {
		t.Fatal(err)
	}
	text := []byte(strings.Repeat("a", 1<<22) + "\nb\na\n")
	if got := touched(p.Scanner(), text); len(got) != 3 {
		t.Errorf("got %q", got)
	}
}
