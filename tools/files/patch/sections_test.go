package patch

import (
	"slices"
	"strings"
	"testing"
)

// begin returns a patch of the format of apply_patch.
func begin(lines ...string) string {
	return "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"
}

var secondChanged = map[string]string{"a.txt": "one\n2\nthree\nfour\n"}

// sectionTests are what agents that know apply_patch send, as the tests of that tool have it.
var sectionTests = []patchTest{
	{name: "add", patch: begin("*** Add File: d/n.txt", "+x", "+", "+y"),
		want: map[string]string{"d/n.txt": "x\n\ny\n"}},
	{name: "add an empty file", patch: begin("*** Add File: n.txt"), want: map[string]string{"n.txt": ""}},
	{name: "add in another script", patch: begin("*** Add File: 資料/一覧.txt", "+牛乳"),
		want: map[string]string{"資料/一覧.txt": "牛乳\n"}},
	{name: "add over another", patch: begin("*** Add File: a.txt", "+x"), err: "a.txt already exists"},
	{name: "delete", patch: begin("*** Delete File: a.txt"), want: map[string]string{"a.txt": "-"}},
	{name: "delete a missing one", patch: begin("*** Delete File: none"), err: "File not found: none"},
	{name: "delete a folder", patch: begin("*** Delete File: sub"), err: "path is a folder, not a file: sub"},
	{name: "update a missing one", patch: begin("*** Update File: none", "@@", "-x", "+y"),
		err: "File not found: none"},
	{name: "move", patch: begin("*** Update File: a.txt", "*** Move to: e/b.txt", "@@", "-two", "+2"),
		want: map[string]string{"a.txt": "-", "e/b.txt": "one\n2\nthree\nfour\n"}},
	{name: "move without a change", patch: begin("*** Update File: a.txt", "*** Move to: b.txt"),
		want: map[string]string{"a.txt": "-", "b.txt": "one\ntwo\nthree\nfour\n"}},
	{name: "move onto another", patch: begin("*** Update File: a.txt", "*** Move to: sub/c.txt", "@@", "-two", "+2"),
		err: "sub/c.txt already exists"},
	{name: "several hunks", patch: begin("*** Update File: a.txt", "@@", "-two", "+2", "@@", "-four", "+4"),
		want: map[string]string{"a.txt": "one\n2\nthree\n4\n"}},
	{name: "hunks without @@ at first", patch: begin("*** Update File: a.txt", " one", "-two", "+2"),
		want: secondChanged},
	{name: "hunks in the wrong order", patch: begin("*** Update File: a.txt", "@@", "-four", "+4", "@@", "-two", "+2"),
		err: "a.txt: Could not find the lines of a hunk"},
	{name: "only added lines", patch: begin("*** Update File: a.txt", "@@", "+five"),
		want: map[string]string{"a.txt": "one\ntwo\nthree\nfour\nfive\n"}},
	{name: "added lines behind an anchor", patch: begin("*** Update File: a.txt", "@@ two", "+2.5"),
		want: map[string]string{"a.txt": "one\ntwo\n2.5\nthree\nfour\n"}},
	{name: "at the end of the file", patch: begin("*** Update File: dup.txt", "@@", "-x", "+y", "*** End of File"),
		want: map[string]string{"dup.txt": "x\nx\ny\n"}},
	{name: "interleaved", patch: begin("*** Add File: n", "+n", "*** Delete File: sub/c.txt",
		"*** Update File: a.txt", "@@",
		"-two", "+2", "*** Add File: m", "+m"),
		want: map[string]string{"n": "n\n", "m": "m\n", "sub/c.txt": "-", "a.txt": "one\n2\nthree\nfour\n"}},
	{name: "all or nothing", patch: begin("*** Add File: n/n", "+n", "*** Update File: a.txt", "@@", "-none", "+2"),
		err: "a.txt: Could not find the lines of a hunk"},
	{name: "nothing", patch: begin(), err: "patch has no file…"},
	{name: "an unknown header", patch: begin("*** Frobnicate File: x"),
		err: "patch line 2: must begin with *** Add File:…"},
	{name: "no hunk", patch: begin("*** Update File: a.txt"), err: "patch line 2: has no hunk"},
	{name: "two patches", patch: begin("*** Update File: a.txt", "@@", "-two", "+2") + "and\n" +
		begin("*** Add File: n", "+n"), want: map[string]string{"a.txt": "one\n2\nthree\nfour\n", "n": "n\n"}},
	{name: "another form behind", patch: begin("*** Add File: n", "+n") +
		"--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n",
		err: "patch line 5: begins a patch of another form"},
	{name: "a heredoc", patch: "apply_patch <<'EOF'\n" + begin("*** Update File: a.txt", "@@", "-two", "+2") + "EOF\n",
		want: secondChanged},

	{name: "blanks around headers",
		patch: "  *** Begin Patch  \n  *** Update File: a.txt  \n@@\n-two\n+2\n  *** End Patch ",
		want:  secondChanged},
	{name: "blanks around later headers", patch: begin("*** Update File: a.txt", "  *** Move to: b.txt ", "@@",
		"-two", "+2",
		"*** End of File ", " *** Delete File: sub/c.txt", "   *** Update File: dup.txt ", "@@", "-x", "+y",
		"  *** End of File",
		" *** Add File: n", "+n"), err: "a.txt: Could not find the lines of a hunk"},
	{name: "blanks around all headers", patch: begin(" *** Update File: a.txt", "  *** Move to: b.txt ", "@@", "-two",
		"+2",
		" *** Delete File: sub/c.txt", "   *** Update File: dup.txt ", "@@", "-x", "+y", "  *** End of File",
		" *** Add File: n", "+n"), want: map[string]string{"a.txt": "-", "b.txt": "one\n2\nthree\nfour\n",
		"sub/c.txt": "-",
		"dup.txt":   "x\nx\ny\n", "n": "n\n"}},
	{name: "a line of the file that looks like a header", patch: begin("*** Update File: doc.md", "@@",
		"   *** Add File: evil.txt", "+  +Hello", "+  +you"),
		want: map[string]string{"doc.md": "Example:\n  *** Add File: evil.txt\n  +Hello\n  +you\n"}},

	{name: "dashes", patch: begin("*** Update File: typo.txt", "@@", " a - b", "-c", "+d"),
		want: map[string]string{"typo.txt": "a – b\nd\n“q” ‘r’\nn\u00a0b\u3000s  \nend\t\n"}},
	{name: "quotes", patch: begin("*** Update File: typo.txt", "@@", " c", `-"q" 'r'`, `+"q" 's'`),
		want: map[string]string{"typo.txt": "a – b\nc\n“q” ‘s’\nn\u00a0b\u3000s  \nend\t\n"}},
	{name: "spaces and blanks at line ends", patch: begin("*** Update File: typo.txt", "@@", " n b s", "-end", "+fin"),
		want: map[string]string{"typo.txt": "a – b\nc\n“q” ‘r’\nn\u00a0b\u3000s  \nfin\n"}},
	{name: "an anchor", patch: begin("*** Update File: typo.txt", "@@ a - b", "-c", "+d"),
		want: map[string]string{"typo.txt": "a – b\nd\n“q” ‘r’\nn\u00a0b\u3000s  \nend\t\n"}},
	{name: "a unified diff", patch: "--- a/typo.txt\n+++ b/typo.txt\n@@ -1,2 +1,2 @@\n a - b\n-c\n+d\n",
		want: map[string]string{"typo.txt": "a – b\nd\n“q” ‘r’\nn\u00a0b\u3000s  \nend\t\n"}},
	{name: "several places", patch: begin("*** Update File: twice.txt", "@@", "-a - b", "+x"),
		err: "twice.txt: The lines of a hunk occur nowhere exactly, but apart from dashes more than once: in " +
			"lines 1, 3"},
	{name: "an exact place before others", patch: begin("*** Update File: twice.txt", "@@", "-a – b", "+x"),
		want: map[string]string{"twice.txt": "x\nc\na — b\n"}},
	{name: "other words", patch: begin("*** Update File: typo.txt", "@@", "-a - B", "+x"),
		err: "typo.txt: Could not find the lines of a hunk"},
}

// TestPatchSections applies patches of the format of apply_patch.
func TestPatchSections(t *testing.T) {
	runPatches(t, map[string]string{"a.txt": "one\ntwo\nthree\nfour\n", "dup.txt": "x\nx\nx\n", "sub/c.txt": "c\n",
		"doc.md": "Example:\n  *** Add File: evil.txt\n", "twice.txt": "a – b\nc\na — b\n",
		"typo.txt": "a – b\nc\n“q” ‘r’\nn\u00a0b\u3000s  \nend\t\n"}, sectionTests)
}

// TestPatchNormalized checks that a result says what was ignored, and where.
func TestPatchNormalized(t *testing.T) {
	dir := putFiles(t, map[string]string{"f": "a – b\n“q”\nx\u3000y\u00a0z  \nend\n"})
	out, err := patch(dir, "--- a/f\n+++ b/f\n@@ -1,4 +1,4 @@\n a - b\n \"q\"\n x y z\n-end\n+fin\n")
	check(t, err)
	want := []string{"quotes", "no_break_space", "dashes", "other_spaces", "trailing_blanks"}
	if !slices.Equal(out.Normalized, want) || !strings.Contains(out.Notes[0], "f, line 1: matched apart from quotes") {
		t.Errorf("%+v", out)
	}
	if got := contents(t, dir)["f"]; got != "a – b\n“q”\nx\u3000y\u00a0z  \nfin\n" {
		t.Errorf("%q", got)
	}
	if out, err = patch(dir, "--- a/f\n+++ b/f\n@@ -4 +4 @@\n-fin\n+end\n"); err != nil || out.Normalized != nil {
		t.Errorf("%+v, %v", out, err)
	}
}
