package pattern

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"techo/internal/testenv"
)

// pythonScript prints, for each list of an expression and texts, whether each text
// matches. Its argument leaves out characters that are not assigned in Python's
// version of Unicode.
const pythonScript = `import json, re, sys, unicodedata
for line in sys.stdin:
    expression, texts = json.loads(line)
    found = re.compile(expression)
    new = lambda t: any(unicodedata.category(c) == "Cn" for c in t)
    print(json.dumps([None if new(t) else bool(found.search(t)) for t in texts]))
`

// pythonMatches asks Python's re about texts. An answer is nil for a text with
// characters that this Python does not know.
func pythonMatches(t *testing.T, cases [][2]any) (answers [][]*bool) {
	t.Helper()
	var in strings.Builder
	for _, c := range cases {
		b, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&in, "%s\n", b)
	}
	cmd := exec.Command(testenv.Tool(t, "python3"), "-c", pythonScript)
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		var one []*bool
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, one)
	}
	return answers
}

// againstPython compares this package with Python's re.
func againstPython(t *testing.T, expressions []string, texts []string) {
	t.Helper()
	var cases [][2]any
	for _, e := range expressions {
		cases = append(cases, [2]any{e, texts})
	}
	for i, answers := range pythonMatches(t, cases) {
		p, err := Compile([]string{expressions[i]}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for name, s := range scanners(p) {
			for k, want := range answers {
				if want == nil {
					continue
				}
				if _, got := s.Next([]byte(texts[k]+"\n"), 0); got != *want {
					t.Errorf("%s in %q (%U) by %s: %v", expressions[i], texts[k], []rune(texts[k]), name, got)
				}
			}
		}
	}
}

// TestClassesOfPython checks \w, \d, \s and their negations for each character.
func TestClassesOfPython(t *testing.T) {
	var texts []string
	for r := rune(1); r <= 0x10ffff; r++ {
		if r != '\n' && (r < 0xd800 || r > 0xdfff) {
			texts = append(texts, string(r))
		}
		if r == 0x32000 {
			r = 0xe0000 - 1 // planes without characters
		}
		if r == 0xe0fff {
			break
		}
	}
	againstPython(t, []string{`^\w$`, `^\W$`, `^\d$`, `^\s$`, `^[\W\d]$`, `^[^\s\d]$`}, texts)
}

// TestWordsOfPython compares random expressions of classes and word boundaries on
// random texts of several scripts.
func TestWordsOfPython(t *testing.T) {
	r := testenv.Random(t)
	var expressions, texts []string
	for range 300 {
		var b strings.Builder
		for range 1 + r.IntN(5) {
			b.WriteString(oneOf(r, `\w`, `\W`, `\d`, `\s`, `\S`, `\b`, `\B`, "a", "é", "東", "が", "1", " ", "^",
				"$", `[\w-]`, `[\d.]`, `[^\w]`, `[\s,]`) + oneOf(r, "", "", "", "+", "*", "?"))
		}
		e := b.String()
		if !strings.ContainsAny(e, "^$") && !strings.Contains(strings.ToLower(e), `\b`) {
			e = "^" + e + "$"
		}
		for _, bad := range []string{"^+", "^*", "^?", "$+", "$*", "$?", "b+", "b*", "b?", "B+", "B*", "B?"} {
			e = strings.ReplaceAll(e, bad, bad[:1])
		}
		expressions = append(expressions, e)
	}
	for range 300 {
		var b strings.Builder
		for range 1 + r.IntN(8) { // an empty text has no \B in Python
			b.WriteString(oneOf(r, "a", "b", "é", "x\u0301", "東", "京", "が", "ら\u3099", "1", "１", "٣", "²",
				"½", " ", "\u3000", "\u00a0", "\x1f", "-", ",", "_", "。", "한", "ꙮ", "😀", "ß",
				"\u200d", "\u0300"))
		}
		texts = append(texts, b.String())
	}
	againstPython(t, expressions, texts)
}
