package edit

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"techo/internal/charset"
	"techo/internal/testenv"
	"techo/tools"
	"techo/tools/files/document"
	"techo/tools/files/filestest"
	"techo/tools/files/paths"
)

func edit(env *tools.Env, in EditIn) (EditOut, error) { return editFile(context.Background(), env, in) }

func replace(path, old, text string) EditIn {
	return EditIn{Path: path, OldString: &old, NewString: &text}
}

// piece is a character of a file and its bytes. A "\n" may have the bytes "\r\n".
type piece struct {
	char string
	raw  []byte
}

func randomPieces(t *testing.T, r *rand.Rand, c *charset.Charset, alphabet []rune, n int) (all []piece) {
	t.Helper()
	for range n {
		p := piece{char: string(alphabet[r.IntN(len(alphabet))])}
		text := p.char
		if r.IntN(8) == 0 {
			p.char, text = "\n", []string{"\n", "\r\n"}[r.IntN(2)]
		}
		raw, err := c.Encode(text)
		check(t, err)
		p.raw = raw
		all = append(all, p)
	}
	return all
}

func charsOf(all []piece) string {
	var b strings.Builder
	for _, p := range all {
		b.WriteString(p.char)
	}
	return b.String()
}

func bytesOf(all []piece) (b []byte) {
	for _, p := range all {
		b = append(b, p.raw...)
	}
	return b
}

// TestEditBytes replaces random passages in random files of all encodings and line
// ends. It compares the bytes with the same replacement in a list of characters.
func TestEditBytes(t *testing.T) {
	filestest.Once(t)
	t.Parallel()
	r := testenv.Random(t)
	dir := t.TempDir()
	env := testEnv(dir)
	alphabets := map[string]string{
		"utf-8": "ab \t日本é👍", "utf-16le": "ab日本é👍਍ऊ", "utf-16be": "ab日本é👍਍ऊ",
		"shift_jis": "ab\\日本表ソ能十ﾊﾟ", "euc-jp": "ab\\日本表ソ能十ﾊ",
		"gb18030": "ab中文é𠮷", "big5": "ab功能許", "euc-kr": "ab한국",
		"windows-1252": "abé€ü", "windows-1250": "abžšł", "windows-1254": "abğış", "windows-1251": "abпри",
		"koi8-r": "abпри", "windows-1253": "abκαλ", "windows-1255": "abשלו", "windows-1256": "abمرح",
		"windows-874": "abสวั",
	}
	done := map[string]int{}
	for i := range testenv.Pick(1200, 3000) {
		name := charset.Names()[r.IntN(len(alphabets))]
		c, _ := charset.Find(name)
		alphabet := []rune(alphabets[name])
		all := randomPieces(t, r, c, alphabet, 1+r.IntN(80))
		from := r.IntN(len(all))
		to := from + 1 + r.IntN(min(10, len(all)-from))
		old := charsOf(all[from:to])
		if n := strings.Count(charsOf(all), old); n != 1 ||
			strings.Contains(charsOf(all)[strings.Index(charsOf(all), old)+1:], old) {
			continue
		}
		var text []rune
		for range r.IntN(6) {
			text = append(text, alphabet[r.IntN(len(alphabet))])
		}
		var bom []byte
		if r.IntN(2) == 0 {
			bom = c.BOM()
		}
		raw := append(slices.Clone(bom), bytesOf(all)...)
		with, err := c.Encode(string(text))
		check(t, err)
		want := append(append(append(slices.Clone(bom), bytesOf(all[:from])...), with...), bytesOf(all[to:])...)
		if bytes.Equal(raw, want) {
			continue
		}
		path := fmt.Sprint(i, ".txt")
		check(t, os.WriteFile(filepath.Join(dir, path), raw, 0o644))
		in := replace(path, old, string(text))
		in.Encoding = document.Encoding(name)
		out, err := edit(env, in)
		check(t, err)
		got, err := os.ReadFile(filepath.Join(dir, path))
		check(t, err)
		if !bytes.Equal(got, want) || out.Hash != paths.Hash(want) || out.Replacements != 1 {
			t.Fatalf("%s: %q to %q in\n%q gives\n%q, want\n%q", name, old, string(text), raw, got, want)
		}
		check(t, os.Remove(filepath.Join(dir, path)))
		done[name]++
	}
	for _, name := range charset.Names() {
		if done[name] < 20 {
			t.Errorf("%s was hardly tried: %v", name, done)
		}
	}
}

// TestEditLineEnds expects inserted text to get the line ends of its place.
func TestEditLineEnds(t *testing.T) {
	dir := t.TempDir()
	env := testEnv(dir)
	tests := []editCase{
		{"a\r\nb\r\nc\r\n", "b", "x\ny", "a\r\nx\r\ny\r\nc\r\n"},
		{"a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\nc\r\n"},
		{"a\r\nb\r\n", "a\r\nb", "x\r\ny", "x\r\ny\r\n"},
		{"a\nb\n", "a\r\nb", "x\r\ny", "x\r\ny\n"},
		{"a\nb\n", "a\r\nb", "x\ny", "x\ny\n"},
		{"a\r\nb\nc\r\n", "b\nc", "x\ny", "a\r\nx\ny\r\n"},
		{"a\nb\r\nc\n", "b\nc", "x\ny", "a\nx\r\ny\n"},
		{"a\r\nb", "b", "b\nc", "a\r\nb\r\nc"},
		{"a\rb\rc\r", "b\nc", "x\ny", "a\rx\ry\r"},
		{"a\r\nb\r\n", "\r\n", "\n", ""}, // matches twice
		{"a\r\nb", "\r\n", "\n", "a\nb"},
		{"a\nb", "\n", "\r\n", "a\r\nb"},
		{"a\r\r\nb", "a\r\nb", "x", ""},
		{"one", "one", "one\ntwo\n", "one\ntwo\n"},
		{"\ufeffa\r\nb", "\ufeffa\nb", "\ufeffx\ny", "\ufeffx\r\ny"},
		{"\ufeffa", "a", "b", "\ufeffb"},
	}
	for i, test := range tests {
		path := put(t, filepath.Join(dir, fmt.Sprint(i)), test.file)
		_, err := edit(env, replace(path, test.old, test.text))
		if (err != nil) != (test.want == "") {
			t.Errorf("%q to %q in %q: %v", test.old, test.text, test.file, err)
		}
		test.check(t, path)
	}
}

// editCase replaces a text in a file. want is the new content; "" means an error that
// leaves the file unchanged.
type editCase struct{ file, old, text, want string }

// check compares the content of the file at path.
func (c editCase) check(t *testing.T, path string) {
	t.Helper()
	want := c.want
	if want == "" {
		want = c.file
	}
	if got, _ := os.ReadFile(path); string(got) != want {
		t.Errorf("%q to %q in %q gives %q, want %q", c.old, c.text, c.file, got, want)
	}
}

// TestEditIgnoreWhitespace expects a match that ignores blanks only on request and
// only if it is unique.
func TestEditIgnoreWhitespace(t *testing.T) {
	dir := t.TempDir()
	env := testEnv(dir)
	tests := []editCase{
		{"if x {\n\treturn  y\n}\n", "if x {\n    return y\n}", "if z {\n    return y\n}", "if z {\n\treturn y\n}\n"},
		{"\t\tfoo(a, b)\n\t\tbar()\n", "    foo(a, b)\n    bar()\n", "    foo(b)\n    baz()\n",
			"\t\tfoo(b)\n\t\tbaz()\n"},
		{"a\u00a0= 1\n", "a = 1", "a = 2", "a\u00a0= 2\n"},
		{"x　y\r\n", "x y", "z", "z\r\n"},
		{"a b\n", "a\nb", "z", ""},
		{"a  b\na   b\n", "a b", "z", ""},
		{"ab\n", "a b", "z", ""},
		{"a b\na  b\n", "a  b", "z", "a b\nz\n"}, // an exact match has precedence
		{"a\n", " ", "z", ""},
	}
	for i, test := range tests {
		path := put(t, filepath.Join(dir, fmt.Sprint(i)), test.file)
		in := replace(path, test.old, test.text)
		in.IgnoreWhitespace = true
		_, err := edit(env, in)
		if want := test.want; want == "" && (codeOf(err) != tools.NotFound && codeOf(err) != tools.Conflict) ||
			want != "" && err != nil {
			t.Errorf("%q in %q: %v", test.old, test.file, err)
		}
		test.check(t, path)
	}
}

// TestEditAmbiguous counts overlapping occurrences.
func TestEditAmbiguous(t *testing.T) {
	dir := t.TempDir()
	env := testEnv(dir)
	path := put(t, filepath.Join(dir, "f"), "aaa\n")
	if _, err := edit(env, replace(path, "aa", "b")); codeOf(err) != tools.Conflict {
		t.Errorf("overlapping: %v", err)
	}
	in := replace(path, "aa", "b")
	in.ReplaceAll = true
	if out, err := edit(env, in); err != nil || out.Replacements != 1 {
		t.Errorf("all: %+v, %v", out, err)
	}
	if got, _ := os.ReadFile(path); string(got) != "ba\n" {
		t.Errorf("%q", got)
	}
}

// TestEditConcurrently edits one file from many goroutines. No edit may get lost.
func TestEditConcurrently(t *testing.T) {
	const writers, edits = 8, 15
	dir := t.TempDir()
	env := testEnv(dir)
	var b strings.Builder
	for w := range writers {
		fmt.Fprintf(&b, "writer %d: 0.\n", w)
	}
	path := put(t, filepath.Join(dir, "f"), b.String())
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for n := range edits {
				_, err := edit(env, replace(path, fmt.Sprintf("writer %d: %d.", w, n),
					fmt.Sprintf("writer %d: %d.", w, n+1)))
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	got, err := os.ReadFile(path)
	check(t, err)
	for w := range writers {
		if want := fmt.Sprintf("writer %d: %d.\n", w, edits); !strings.Contains(string(got), want) {
			t.Errorf("%q is lost:\n%s", want, got)
		}
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 1 {
		t.Errorf("left behind: %v, %v", names, err)
	}
}

// TestEditTwice expects an error for one file with two names in a batch.
func TestEditTwice(t *testing.T) {
	dir := t.TempDir()
	env := testEnv(dir)
	a := put(t, filepath.Join(dir, "a"), "x y")
	check(t, os.Link(a, filepath.Join(dir, "b")))
	x, y, z := "x", "y", "z"
	for _, second := range []string{"a", "./a", "b", a} {
		_, err := edit(env, EditIn{Batch: []Edited{{Path: "a", OldString: &x, NewString: &z},
			{Path: second, OldString: &y, NewString: &z}}})
		if codeOf(err) != tools.InvalidInput || !strings.Contains(err.Error(), "same file") {
			t.Errorf("%s: %v", second, err)
		}
	}
}
