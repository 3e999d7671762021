package patch

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"techo/internal/testenv"
	"techo/tools"
	"techo/tools/files/document"
	"techo/tools/files/filestest"
)

func patch(dir, text string) (Out, error) {
	return applyPatch(context.Background(), testEnv(dir), In{Patch: text, Parents: true})
}

type patchTest struct {
	name, patch string
	want        map[string]string // only what differs; "-" is removed
	err         string            // the message, or the start of it that ends in "…"
}

// patchTests are unified diffs and patches from *** Begin Patch.
var patchTests = []patchTest{
	{name: "unified", patch: "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
		want: map[string]string{"a.txt": "one\n2\nthree\nfour\nfive\n"}},
	{name: "without prefixes", patch: "--- a.txt\t2026-01-01\n+++ a.txt\n@@ -2 +2 @@\n-two\n+2\n",
		want: map[string]string{"a.txt": "one\n2\nthree\nfour\nfive\n"}},
	{name: "moved", patch: "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n three\n-four\n+4\n",
		want: map[string]string{"a.txt": "one\ntwo\nthree\n4\nfive\n"}},
	{name: "wrong counts", patch: "--- a/a.txt\n+++ b/a.txt\n@@ -1,7 +1,9 @@\n one\n-two\n+2\n three\n",
		want: map[string]string{"a.txt": "one\n2\nthree\nfour\nfive\n"}},
	{name: "line ends", patch: "--- a/crlf.txt\n+++ b/crlf.txt\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+2.5\n three\n",
		want: map[string]string{"crlf.txt": "one\r\n2\r\n2.5\r\nthree\r\n"}},
	{name: "no end", patch: "--- a/open.txt\n+++ b/open.txt\n@@ -1,2 +1,2 @@\n one\n-two\n" +
		"\\ No newline at end of file\n+2\n",
		want: map[string]string{"open.txt": "one\n2\n"}},
	{name: "no end, not marked", patch: "--- a/open.txt\n+++ b/open.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
		err: "open.txt: Could not find the lines of a hunk"},
	{name: "create, remove, rename", patch: "diff --git a/x/new.sh b/x/new.sh\nnew file mode 100755\n" +
		"--- /dev/null\n" +
		"+++ b/x/new.sh\n@@ -0,0 +1,1 @@\n+echo\ndiff --git a/open.txt b/open.txt\ndeleted file mode 100644\n" +
		"--- a/open.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n\\ No newline at end of file\n" +
		"diff --git a/a.txt b/c.txt\nsimilarity index 100%\nrename from a.txt\nrename to c.txt\n",
		want: map[string]string{"x/new.sh": "echo\n", "open.txt": "-", "a.txt": "-",
			"c.txt": "one\ntwo\nthree\nfour\nfive\n"}},
	{name: "empty file", patch: "diff --git a/e b/e\nnew file mode 100644\nindex 0000000..e69de29\n",
		want: map[string]string{"e": ""}},
	{name: "sections", patch: "*** Begin Patch\n*** Update File: dir/b.go\n@@ func b() {\n-\treturn 1\n" +
		"+\treturn 2\n }\n" +
		"*** Add File: n/new.txt\n+hello\n+you\n*** Delete File: a.txt\n*** Update File: open.txt\n" +
		"*** Move to: o.txt\n" +
		"@@\n one\n+1.5\n two\n*** End Patch\n",
		want: map[string]string{"dir/b.go": "func a() {\n\treturn 1\n}\n\nfunc b() {\n\treturn 2\n}\n",
			"n/new.txt": "hello\nyou\n", "a.txt": "-", "open.txt": "-", "o.txt": "one\n1.5\ntwo"}},
	{name: "at the end", patch: "*** Begin Patch\n*** Update File: dir/b.go\n@@\n \treturn 1\n-}\n+} // end\n" +
		"*** End of File\n" +
		"*** End Patch",
		want: map[string]string{"dir/b.go": "func a() {\n\treturn 1\n}\n\nfunc b() {\n\treturn 1\n} // end\n"}},
	{name: "ambiguous", patch: "*** Begin Patch\n*** Update File: dir/b.go\n@@\n-\treturn 1\n+\treturn 2\n" +
		"*** End Patch",
		err: "dir/b.go: The lines of a hunk occur more than once: in lines 2, 6"},
	{name: "all or nothing", patch: "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n" +
		"--- a/crlf.txt\n+++ b/crlf.txt\n" +
		"@@ -1 +1 @@\n-wrong\n+1\n", err: "crlf.txt: Could not find the lines of a hunk"},
	{name: "exists", patch: "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+x\n", err: "a.txt already exists"},
	{name: "missing", patch: "--- a/none\n+++ b/none\n@@ -1 +1 @@\n-x\n+y\n", err: "File not found: none"},
	{name: "twice", patch: "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n" +
		"--- a/a.txt\n+++ b/a.txt\n@@ -2 +2 @@\n-two\n+2\n",
		want: map[string]string{"a.txt": "1\n2\nthree\nfour\nfive\n"}},
	{name: "binary", patch: "diff --git a/p b/p\nBinary files a/p and b/p differ\n",
		err: "patch line 2: is a change of a binary file, which cannot be applied"},
	{name: "nothing", patch: "hello",
		err: "patch has no file: neither --- PATH nor *** Begin Patch nor <<<<<<< SEARCH"},
	{name: "remove with other content", patch: "--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n",
		err: "The patch removes a.txt, but not all of its lines"},
}

// TestPatch applies patches of both formats.
func TestPatch(t *testing.T) {
	before := map[string]string{"a.txt": "one\ntwo\nthree\nfour\nfive\n", "crlf.txt": "one\r\ntwo\r\nthree\r\n",
		"open.txt": "one\ntwo", "dir/b.go": "func a() {\n\treturn 1\n}\n\nfunc b() {\n\treturn 1\n}\n"}
	runPatches(t, before, patchTests)
}

// TestPatchRepeated has a hunk of so many equal lines in a file of more of them that comparing it at each line would
// not end.
func TestPatchRepeated(t *testing.T) {
	const n = 200_000
	same := strings.Repeat("same\n", 2*n)
	dir := putFiles(t, map[string]string{"a.txt": same + "end\n"})
	lines := strings.Repeat(" same\n", n)
	_, err := patch(dir, "*** Begin Patch\n*** Update File: a.txt\n@@\n"+lines+"-end\n+last\n*** End Patch\n")
	check(t, err)
	if got := contents(t, dir)["a.txt"]; got != same+"last\n" {
		t.Errorf("got %d bytes that end with %q", len(got), got[max(0, len(got)-20):])
	}
}

// runPatches applies each patch to the same files.
func runPatches(t *testing.T, before map[string]string, tests []patchTest) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := putFiles(t, before)
			_, err := patch(dir, test.patch)
			if test.err == "" {
				check(t, err)
			} else if begin, cut := strings.CutSuffix(test.err, "…"); err == nil ||
				!(err.Error() == test.err || cut && strings.HasPrefix(err.Error(), begin)) {
				t.Errorf("got %v, want %s", err, test.err)
			}
			want := maps.Clone(before)
			for name, text := range test.want {
				if want[name] = text; text == "-" {
					delete(want, name)
				}
			}
			if got := contents(t, dir); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

// TestPatchEncoding applies a patch to files in UTF-8 and in another encoding.
func TestPatchEncoding(t *testing.T) {
	dir := t.TempDir()
	env := testEnv(dir)
	sjis := func(text string) string { return string(filestest.Encoded(t, "shift_jis", text)) }
	put(t, filepath.Join(dir, "old.txt"), sjis("表示\r\n設定\r\n"))
	put(t, filepath.Join(dir, "new.txt"), "表示\n設定\n")
	text := ""
	for _, name := range []string{"old.txt", "new.txt"} {
		text += fmt.Sprintf("--- a/%s\n+++ b/%[1]s\n@@ -1,2 +1,2 @@\n 表示\n-設定\n+設計\n", name)
	}
	text += "--- /dev/null\n+++ b/made.txt\n@@ -0,0 +1 @@\n+能力\n"
	_, err := applyPatch(t.Context(), env, In{Patch: text, Parents: true})
	if e, _ := err.(*tools.Error); codeOf(err) != tools.InvalidInput || e.Details[0].Path != "/encoding" {
		t.Errorf("without the encoding: %v", err)
	}
	_, err = applyPatch(t.Context(), env, In{Patch: text, Encoding: "shift_jis"})
	check(t, err)
	want := map[string]string{"old.txt": sjis("表示\r\n設計\r\n"), "new.txt": "表示\n設計\n",
		"made.txt": sjis("能力\n")}
	if got := contents(t, dir); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for as, want := range map[document.Encoding]string{"utf-16le": "\xff\xfex\x00\n\x00", "euc-jp": "x\n"} {
		dir := t.TempDir()
		in := In{Patch: "*** Begin Patch\n*** Add File: f\n+x\n*** End Patch\n", Encoding: as}
		_, err := applyPatch(t.Context(), testEnv(dir), in)
		check(t, err)
		if got := contents(t, dir)["f"]; got != want {
			t.Errorf("%s: %q, want %q", as, got, want)
		}
	}
	in := In{Patch: "*** Begin Patch\n*** Add File: f\n+한국\n*** End Patch\n", Encoding: "shift_jis"}
	_, err = applyPatch(t.Context(), env, in)
	if e, _ := err.(*tools.Error); codeOf(err) != tools.InvalidInput || e.Details[0].Path != "/patch" {
		t.Errorf("a character that the encoding does not have: %v", err)
	}
}

// randomLines makes a text of few different lines, so that contexts repeat.
func randomLines(r *rand.Rand, n int) (lines []string) {
	for range n {
		lines = append(lines, []string{"a", "b", "}", "", "\treturn nil", "if x {", "日本", "- item", "+ plus",
			"@@ at"}[r.IntN(10)]+[]string{"", "", " 1", " 2", " 3"}[r.IntN(5)])
	}
	return lines
}

func changed(r *rand.Rand, lines []string, n int) []string {
	lines = append([]string(nil), lines...)
	for range n {
		at := r.IntN(len(lines) + 1)
		end := min(len(lines), at+r.IntN(3))
		lines = append(append(append([]string(nil), lines[:at]...), randomLines(r, r.IntN(3))...), lines[end:]...)
	}
	return lines
}

func textOf(r *rand.Rand, lines []string) string {
	text := strings.Join(lines, "\n")
	if len(lines) > 0 && r.IntN(5) > 0 {
		text += "\n"
	}
	return text
}

// TestPatchAgainstGit applies generated diffs to the file that they were made from
// and to changed ones. A result must be the one of git apply or patch.
func TestPatchAgainstGit(t *testing.T) {
	git, other := testenv.Tool(t, "git"), testenv.Tool(t, "patch")
	r := testenv.Random(t)
	applied, refused, alone := 0, 0, 0
	for n := testenv.Pick(60, 200); applied+refused+alone < n; {
		lines := randomLines(r, 1+r.IntN(40))
		was, is := textOf(r, lines), textOf(r, changed(r, lines, 1+r.IntN(3)))
		if was == is || was == "" || is == "" {
			continue
		}
		base, drifted := was, r.IntN(3) == 0
		if drifted {
			base = textOf(r, changed(r, strings.Split(strings.TrimSuffix(was, "\n"), "\n"), 1))
		}
		work := putFiles(t, map[string]string{"a/f": was, "b/f": is, "git/f": base, "patch/f": base, "techo/f": base})
		cmd := exec.Command(git, "diff", "--no-index", "--no-color", fmt.Sprintf("-U%d", r.IntN(4)), "a/f", "b/f")
		cmd.Dir = work
		diff, _ := cmd.Output() // it exits with 1 if there are differences
		diff = []byte(strings.NewReplacer("a/a/f", "a/f", "b/b/f", "b/f").Replace(string(diff)))
		run := func(dir, name string, args ...string) (string, bool) {
			cmd := exec.Command(name, args...)
			cmd.Dir, cmd.Stdin = filepath.Join(work, dir), strings.NewReader(string(diff))
			cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+work)
			err := cmd.Run()
			b, e := os.ReadFile(filepath.Join(work, dir, "f"))
			return string(b), err == nil && e == nil
		}
		byGit, gitOK := run("git", git, "apply", "--unidiff-zero", "-p1", "-")
		byPatch, patchOK := run("patch", other, "-p1", "-s", "--fuzz=0", "--no-backup-if-mismatch", "-r", "-")
		_, err := patch(filepath.Join(work, "techo"), string(diff))
		got := contents(t, filepath.Join(work, "techo"))["f"]
		switch {
		case err != nil && got != base:
			t.Fatalf("refused, but changed: %v", err)
		case err != nil && !drifted:
			t.Fatalf("%v\n%s\non %q", err, diff, base)
		case err != nil:
			refused++
		case !drifted && got != is:
			t.Fatalf("%s\non %q\ngot  %q\nwant %q", diff, base, got, is)
		case gitOK && got == byGit || patchOK && got == byPatch:
			applied++
		case !gitOK && !patchOK:
			alone++
			t.Errorf("only techo applies\n%s\nto %q\n as %q", diff, base, got)
		default:
			t.Fatalf("%s\non %q\ngot   %q\ngit   %v %q\npatch %v %q", diff, base, got, gitOK, byGit, patchOK, byPatch)
		}
	}
	t.Logf("%d applied, %d refused", applied, refused)
}

// TestPatchFoldsOnce applies many blocks that match only apart from dashes. Each line must be
// folded once, not for each block: else the allocations are their product.
func TestPatchFoldsOnce(t *testing.T) {
	const lines, blocks = 2000, 40
	var text, blocksText strings.Builder
	for i := range lines {
		fmt.Fprintf(&text, "line %d — text\n", i)
	}
	blocksText.WriteString("f\n")
	for i := range blocks {
		fmt.Fprintf(&blocksText, "<<<<<<< SEARCH\nline %d - text\n=======\nnew %[1]d\nmore\n>>>>>>> REPLACE\n",
			i*lines/blocks)
	}
	dir := putFiles(t, map[string]string{"f": text.String()})
	n := testing.AllocsPerRun(1, func() {
		out, err := applyPatch(t.Context(), testEnv(dir), In{Patch: blocksText.String(), DryRun: true})
		check(t, err)
		if out.Files[0].Replacements != blocks {
			t.Errorf("%+v", out)
		}
	})
	if n > lines*blocks {
		t.Errorf("%v allocations", n)
	}
}

// TestPatchRefusalHints checks what the refusal of a patch says about places that match loosely,
// and that it speaks of the patch.
func TestPatchRefusalHints(t *testing.T) {
	dir := putFiles(t, map[string]string{"a": "x — y\nmiddle\nx – y\nif z:\n\treturn “1”\nlast\n",
		"open": "x — y"})
	for _, test := range []struct{ old, message, hint string }{
		{"x - y", "a: The lines of a hunk occur nowhere exactly, but apart from dashes more than once: in lines 1, 3",
			"add lines of context"},
		{"return \"1\"", "a: Could not find the lines of a hunk", "--normalize"},
		{"if z:\n    return “1”", "a: Could not find the lines of a hunk", "--ignore-whitespace"},
		{"midd", "a: Could not find the lines of a hunk", "add lines of context"},
		{"nothing like it", "a: Could not find the lines of a hunk", "add lines of context"},
	} {
		_, err := patch(dir, "a\n<<<<<<< SEARCH\n"+test.old+"\n=======\nnew\n>>>>>>> REPLACE\n")
		e := tools.AsError(testEnv(dir), err)
		if err == nil || e.Message != test.message || !strings.Contains(e.Hint, test.hint) {
			t.Errorf("%q: %s (%s)", test.old, e.Message, e.Hint)
		}
		for _, d := range e.Details {
			if strings.Contains(d.Message+d.Hint, "old_string") {
				t.Errorf("%q: %+v", test.old, d)
			}
		}
	}
	// A diff that does not say that the last line has no end fits only as an edit.
	_, err := patch(dir, "--- a/open\n+++ b/open\n@@ -1 +1 @@\n-x - y\n+z\n")
	if e := tools.AsError(testEnv(dir), err); err == nil || !strings.Contains(e.Hint, "--normalize") {
		t.Errorf("%v", err)
	}
}
