package patch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"techo/tools"
)

// one is a block that changes a.py to two.
const one = "<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n"

var two = changes("a.py", "one\n2\nthree\n")

func changes(name, text string) map[string]string { return map[string]string{name: text} }

// blockTests are SEARCH/REPLACE blocks as aider, Cline and Roo write them, and false ones.
var blockTests = []patchTest{
	{name: "plain", patch: "a.py\n" + one, want: two},
	{name: "fenced", patch: "a.py\n```python\n" + one + "```\n", want: two},
	{name: "the path in the fence", patch: "```python\na.py\n" + one + "```\n", want: two},
	{name: "tildes", patch: "a.py\n~~~\n" + one + "~~~\n", want: two},
	{name: "prose around", patch: "Here is the change you asked for:\n\na.py\n```\n" + one + "```\nThat is all.\n",
		want: two},
	{name: "a blank line behind the path", patch: "a.py\n\n```\n" + one + "```\n", want: two},
	{name: "in backticks, with a colon", patch: "`a.py`:\n" + one, want: two},
	{name: "bold", patch: "**a.py**\n" + one, want: two},
	{name: "a heading", patch: "### a.py\n" + one, want: two},
	{name: "a comment", patch: "```\n# a.py\n" + one + "```", want: two},
	{name: "with blanks, in backticks", patch: "`my notes.txt`\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE",
		want: changes("my notes.txt", "y\n")},
	{name: "another script", patch: "資料/メモ.txt\n<<<<<<< SEARCH\n牛乳\n=======\n豆乳\n>>>>>>> REPLACE\n",
		want: changes("資料/メモ.txt", "卵\n豆乳\n")},
	{name: "another script, prose",
		patch: "次のように変更します。\n\n資料/メモ.txt：\n```\n<<<<<<< SEARCH\n牛乳\n" +
			"=======\n豆乳\n" +
			">>>>>>> REPLACE\n```\n", want: changes("資料/メモ.txt", "卵\n豆乳\n")},
	{name: "two blocks of a file", patch: "a.py\n" + one + "\n<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n",
		want: changes("a.py", "1\n2\nthree\n")},
	{name: "prose between the blocks", patch: "a.py\n```\n" + one + "```\n\nAnd the first line.\n\n```\n" +
		"<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n```\n", want: changes("a.py", "1\n2\nthree\n")},
	{name: "two files", patch: "a.py\n" + one + "Makefile\n<<<<<<< SEARCH\nall:\n=======\nall: x\n>>>>>>> REPLACE\n",
		want: map[string]string{"a.py": "one\n2\nthree\n", "Makefile": "all: x\n\tcc\n"}},
	{name: "a block on the text of the one before", patch: "a.py\n" + one +
		"<<<<<<< SEARCH\n2\n=======\nzwei\n>>>>>>> REPLACE\n", want: changes("a.py", "one\nzwei\nthree\n")},
	{name: "a file again", patch: "a.py\n" + one +
		"Makefile\n<<<<<<< SEARCH\nall:\n=======\nall: x\n>>>>>>> REPLACE\n" +
		"a.py\n<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n",
		want: map[string]string{"a.py": "1\n2\nthree\n", "Makefile": "all: x\n\tcc\n"}},
	{name: "Cline's markers", patch: "a.py\n------- SEARCH\ntwo\n=======\n2\n+++++++ REPLACE\n", want: two},
	{name: "Cline's older markers", patch: "a.py\n<<<<<<< SEARCH>\ntwo\n=======\n2\n>>>>>>> REPLACE>\n", want: two},
	{name: "five and nine", patch: "a.py\n<<<<< SEARCH\ntwo\n=========\n2\n>>>>>> REPLACE  \n", want: two},
	{name: "CRLF in the patch", patch: strings.ReplaceAll("a.py\n```\n"+one+"```\n", "\n", "\r\n"), want: two},
	{name: "CRLF in the file", patch: "crlf.txt\n<<<<<<< SEARCH\none\ntwo\n=======\none\n1.5\n2\n>>>>>>> REPLACE\n",
		want: changes("crlf.txt", "one\r\n1.5\r\n2\r\n")},
	{name: "no end of line", patch: "open.txt\n<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n",
		want: changes("open.txt", "one\n2")},
	{name: "lines are removed", patch: "a.py\n<<<<<<< SEARCH\none\ntwo\n=======\n>>>>>>> REPLACE\n",
		want: changes("a.py", "three\n")},
	{name: "Roo's line", patch: "dup.txt\n<<<<<<< SEARCH\n:start_line:4\n-------\nx\n=======\ny\n>>>>>>> REPLACE\n",
		want: changes("dup.txt", "x\na\nx\ny\nb\n")},
	{name: "Roo's lines, counted before the changes",
		patch: "dup.txt\n<<<<<<< SEARCH\n:start_line: 1\n:end_line: 1\n" +
			"-------\nx\n=======\n1\n1.5\n>>>>>>> REPLACE\n<<<<<<< SEARCH\n:start_line:4\n" +
			"-------\nx\n=======\ny\n>>>>>>> REPLACE",
		want: changes("dup.txt", "1\n1.5\na\nx\ny\nb\n")},
	{name: "Roo's line is wrong",
		patch: "a.py\n<<<<<<< SEARCH\n:start_line:9\n-------\ntwo\n=======\n2\n>>>>>>> REPLACE\n",
		want:  two},
	{name: "escaped markers",
		patch: "merge.txt\n<<<<<<< SEARCH\n\\<<<<<<< HEAD\nours\n\\=======\ntheirs\n\\>>>>>>> x\n" +
			"=======\nours\n>>>>>>> REPLACE\n", want: changes("merge.txt", "ours\n")},
	{name: "one divider fits the marker",
		patch: "rst.txt\n<<<<<<< SEARCH\nTitle\n=====\n=======\nHead\n====\n>>>>>>> REPLACE\n",
		want:  changes("rst.txt", "Head\n====\n")},
	{name: "a new file", patch: "new/n.py\n```\n<<<<<<< SEARCH\n=======\nx\n\ny\n>>>>>>> REPLACE\n```\n",
		want: changes("new/n.py", "x\n\ny\n")},
	{name: "a new file, with a blank line", patch: "n.py\n<<<<<<< SEARCH\n\n=======\nx\n>>>>>>> REPLACE\n",
		want: changes("n.py", "x\n")},
	{name: "typographic quotes",
		patch: "quoted.txt\n<<<<<<< SEARCH\nsay \"hi\" - now\nend\n=======\nsay \"bye\" - now\nend\n" +
			">>>>>>> REPLACE\n", want: changes("quoted.txt", "say “bye” – now\nend  \n")},
	{name: "lines of a diff",
		patch: "p.diff\n<<<<<<< SEARCH\n--- a/x\n+++ b/x\n=======\n--- a/y\n+++ b/y\n>>>>>>> REPLACE\n",
		want:  changes("p.diff", "--- a/y\n+++ b/y\n")},

	{name: "exists", patch: "a.py\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n", err: "a.py already exists"},
	{name: "several places", patch: "dup.txt\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n",
		err: "dup.txt: The lines of a hunk occur more than once: in lines 1, 3, 4"},
	{name: "no place", patch: "a.py\n<<<<<<< SEARCH\ntoo\n=======\n2\n>>>>>>> REPLACE\n",
		err: "a.py: Could not find the lines of a hunk"},
	{name: "one of two fails", patch: "a.py\n" + one + "dup.txt\n<<<<<<< SEARCH\nno\n=======\ny\n>>>>>>> REPLACE\n",
		err: "dup.txt: Could not find the lines of a hunk"},
	{name: "no file", patch: "b.py\n" + one, err: "File not found: b.py"},
	{name: "no path", patch: one, err: "patch line 1: begins a block without a path in front of it"},
	{name: "no path, in a fence", patch: "Change this:\n\n```python\n" + one + "```",
		err: "patch line 4: begins a block without a path…"},
	{name: "prose instead of a path", patch: "Change the second line\n" + one,
		err: "patch line 1: is no path, but in front of a block"},
	{name: "prose between, where a path should be", patch: "a.py\n" + one + "And now the other file\n" + one,
		err: "patch line 7: is no path, but in front of a block"},
	{name: "no divider", patch: "a.py\n<<<<<<< SEARCH\ntwo\n2\n>>>>>>> REPLACE\n",
		err: "patch line 2: begins a block without the line ======="},
	{name: "two dividers", patch: "a.py\n<<<<<<< SEARCH\ntwo\n=======\n2\n=======\n>>>>>>> REPLACE\n",
		err: "patch line 6: is a second line ======= in a block"},
	{name: "no end", patch: "a.py\n<<<<<<< SEARCH\ntwo\n=======\n2\n",
		err: "patch line 2: begins a block that >>>>>>> " +
			"REPLACE does not end"},
	{name: "a block in a block", patch: "a.py\n<<<<<<< SEARCH\ntwo\n=======\n2\n" + one,
		err: "patch line 2: begins a block that >>>>>>> REPLACE does not end"},
	{name: "no change", patch: "a.py\n<<<<<<< SEARCH\ntwo\n=======\ntwo\n>>>>>>> REPLACE\n",
		err: "patch line 2: replaces lines by the same lines"},
	{name: "new and changed", patch: "n.py\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n" +
		"<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n",
		err: "patch line 6: cannot be combined with an earlier block of the file…"},
	{name: "outside", patch: "../a.py\n" + one, err: "../a.py is outside of …"},
	{name: "a diff behind", patch: "a.py\n" + one + "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-one\n+1\n",
		err: "patch line 7: begins a patch of another form"},
	{name: "a block behind a diff", patch: "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-one\n+1\nMakefile\n" + one,
		err: "patch line 7: begins a patch of another form"},
}

// TestPatchBlocks applies SEARCH/REPLACE blocks.
func TestPatchBlocks(t *testing.T) {
	runPatches(t, map[string]string{"a.py": "one\ntwo\nthree\n", "crlf.txt": "one\r\ntwo\r\n", "open.txt": "one\ntwo",
		"dup.txt": "x\na\nx\nx\nb\n", "my notes.txt": "x\n", "Makefile": "all:\n\tcc\n",
		"資料/メモ.txt": "卵\n牛乳\n",
		"merge.txt": "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> x\n", "rst.txt": "Title\n=====\n",
		"quoted.txt": "say “hi” – now\nend  \n", "p.diff": "--- a/x\n+++ b/x\n"}, blockTests)
}

// TestPatchBlocksSay checks what results and errors of blocks say.
func TestPatchBlocksSay(t *testing.T) {
	dir := putFiles(t, map[string]string{"a": "one\nsay “hi”\nthree\n"})
	out, err := patch(dir,
		"a\n<<<<<<< SEARCH\n:start_line:1\n-------\nsay \"hi\"\n=======\nsay \"ho\"\n>>>>>>> REPLACE\n")
	check(t, err)
	if !slices.Equal(out.Normalized, []string{"quotes"}) || !slices.Equal(out.Notes[:2],
		[]string{"a, line 2: matched apart from quotes",
			"a: applied the hunk for line 1 in line 2"}) || out.Files[0].Replacements != 1 {
		t.Errorf("%+v", out)
	}
	_, err = patch(dir, "a\n<<<<<<< SEARCH\nthre\n=======\n3\n>>>>>>> REPLACE\n")
	if e := tools.AsError(testEnv(dir), err); len(e.Details) < 2 || !strings.Contains(e.Details[1].Message,
		"nearest") {
		t.Errorf("%+v", e)
	}
	_, err = patch(dir, "a\n<<<<<<< SEARCH\nx\n>>>>>>> REPLACE\n")
	if e := tools.AsError(testEnv(dir), err); !strings.Contains(e.Hint, "<<<<<<< SEARCH") {
		t.Errorf("%+v", e)
	}
}

// FuzzPatch applies arbitrary patches. One that is refused changes nothing, and nothing is ever
// written outside of the folder.
func FuzzPatch(f *testing.F) {
	for _, test := range slices.Concat(blockTests, patchTests, sectionTests) {
		f.Add(test.patch)
	}
	for _, text := range patchesOf("../x") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		base := t.TempDir()
		dir := filepath.Join(base, "in")
		put(t, filepath.Join(dir, "a.py"), "one\ntwo\nthree\n")
		put(t, filepath.Join(dir, "a.txt"), "one\ntwo\nthree\nfour\nfive\n")
		before := contents(t, base)
		out, err := patch(dir, text)
		got := contents(t, base)
		if err != nil && fmt.Sprint(got) != fmt.Sprint(before) {
			t.Errorf("refused with %v, but changed", err)
		}
		if entries, _ := os.ReadDir(base); len(entries) != 1 {
			t.Errorf("outside: %v", entries)
		}
		if err == nil && len(out.Files) == 0 {
			t.Error("nothing was changed")
		}
	})
}
