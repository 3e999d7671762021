package patch

import (
	"testing"
)

// nameTests are diffs whose names are not simply a/PATH and b/PATH, and line ends.
var nameTests = []patchTest{
	{name: "two names, the first exists", patch: "--- one\t2026-01-02 03:04:05.000000000 +0900\n" +
		"+++ new\t2026-01-02 03:04:06.000000000 +0900\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n", want: changes("one", "a\nc\n")},
	{name: "two names, the second exists", patch: "--- old\n+++ one\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n",
		want: changes("one", "a\nc\n")},
	{name: "two names with prefixes", patch: "--- a/one\n+++ b/new\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n",
		want: changes("one", "a\nc\n")},
	{name: "two names, one fits", patch: "--- one\n+++ two\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n",
		want: changes("one", "a\nc\n")},
	{name: "two names, the other fits", patch: "--- one\n+++ two\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n",
		want: changes("two", "x\nz\n")},
	{name: "two names, both fit", patch: "--- one\n+++ same\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n",
		err: "The patch names two files, one and same"},
	{name: "two names, none fits", patch: "--- one\n+++ two\n@@ -1 +1 @@\n-q\n+c\n",
		err: "The patch names two files, one and two"},
	{name: "two names, none exists", patch: "--- x\n+++ y\n@@ -1 +1 @@\n-q\n+c\n", err: "File not found: x"},
	{name: "two folders", patch: "diff -ru old/one new/one\n--- old/one\t2026-01-02\n+++ new/one\t2026-01-02\n" +
		"@@ -1,2 +1,2 @@\n a\n-b\n+c\n", want: changes("one", "a\nc\n")},
	{name: "folders named a and b", patch: "--- a/q\n+++ b/q\n@@ -1 +1 @@\n-one\n+1\n", want: changes("a/q", "1\n")},
	{name: "diff -N creates", patch: "--- old/n\t1970-01-01 09:00:00.000000000 +0900\n+++ n\t2026-01-02\n" +
		"@@ -0,0 +1 @@\n+x\n", want: changes("n", "x\n")},
	{name: "mnemonic", patch: "diff --git i/one w/one\nindex 1..2 100644\n--- i/one\n+++ w/one\n@@ -2 +2 @@\n-b\n+c\n",
		want: changes("one", "a\nc\n")},
	{name: "mnemonic, reversed", patch: "diff --git w/one i/one\n--- w/one\n+++ i/one\n@@ -2 +2 @@\n-b\n+c\n",
		want: changes("one", "a\nc\n")},
	{name: "mnemonic, new", patch: "diff --git c/w/n i/w/n\nnew file mode 100644\nindex 0000000..e69de29\n",
		want: changes("w/n", "")},
	{name: "mnemonic, removed", patch: "diff --git c/one i/one\ndeleted file mode 100644\n--- c/one\n+++ /dev/null\n" +
		"@@ -1,2 +0,0 @@\n-a\n-b\n", want: changes("one", "-")},
	{name: "no prefix, removed", patch: "diff --git a/q a/q\ndeleted file mode 100644\n--- a/q\n+++ /dev/null\n" +
		"@@ -1 +0,0 @@\n-one\n", want: changes("a/q", "-")},
	{name: "no prefix, new", patch: "diff --git b/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n" +
		"@@ -0,0 +1 @@\n+x\n", want: changes("b/n", "x\n")},
	{name: "a blank in the name", patch: "diff --git a/x y b/x y\n--- a/x y\t\n+++ b/x y\t\n@@ -1 +1 @@\n-1\n+2\n",
		want: changes("x y", "2\n")},
	{name: "a blank at the end of the name",
		patch: "diff --git a/n  b/n \n--- /dev/null\n+++ b/n \t\n@@ -0,0 +1 @@\n+x\n", want: changes("n ", "x\n")},
	{name: "a home folder", patch: "--- /dev/null\n+++ b/~/n\n@@ -0,0 +1 @@\n+x\n", want: changes("~/n", "x\n")},
	{name: "a copy", patch: "diff --git a/one b/n\nsimilarity index 50%\ncopy from one\ncopy to n\n--- a/one\n+++ b/n\n" +
		"@@ -2 +2 @@\n-b\n+c\n", want: changes("n", "a\nc\n")},
	{name: "parts of one file in order", patch: "--- a/one\n+++ b/one\n@@ -2 +2 @@\n-b\n+c\n--- a/one\n+++ b/one\n" +
		"@@ -2 +2 @@\n-c\n+d\n", want: changes("one", "a\nd\n")},
	{name: "removed and added again", patch: "*** Begin Patch\n*** Delete File: one\n*** Add File: one\n+new\n" +
		"*** End Patch\n", want: changes("one", "new\n")},
	{name: "added and changed", patch: "*** Begin Patch\n*** Add File: n\n+x\n*** Update File: n\n@@\n-x\n+y\n" +
		"*** End Patch\n", want: changes("n", "y\n")},
	{name: "renamed into a folder of its name", patch: "diff --git a/one b/one/x\nsimilarity index 100%\n" +
		"rename from one\nrename to one/x\n", want: map[string]string{"one": "-", "one/x": "a\nb\n"}},

	{name: "a new file with CRLF", patch: "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n" +
		"@@ -0,0 +1,2 @@\n+x\r\n+y\r\n", want: changes("n", "x\r\ny\r\n")},
	{name: "CRLF to LF", patch: "--- a/crlf\n+++ b/crlf\n@@ -1,2 +1,2 @@\n-x\r\n-y\r\n+x\n+y\n",
		want: changes("crlf", "x\ny\n")},
	{name: "LF to CRLF", patch: "--- a/one\n+++ b/one\n@@ -1,2 +1,2 @@\n-a\n-b\n+a\r\n+b\r\n",
		want: changes("one", "a\r\nb\r\n")},
	{name: "one CRLF line more", patch: "--- a/one\n+++ b/one\n@@ -1,2 +1,3 @@\n a\n+n\r\n b\n",
		want: changes("one", "a\nn\r\nb\n")},
	{name: "CRLF by the transport", patch: "--- a/one\r\n+++ b/one\r\n@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n+c\r\n",
		want: changes("one", "a\nc\n")},
	{name: "CRLF by the transport, for a file that has it",
		patch: "--- a/crlf\r\n+++ b/crlf\r\n@@ -1,2 +1,2 @@\r\n x\r\n-y\r\n+z\r\n", want: changes("crlf", "x\r\nz\r\n")},
	{name: "an LF patch keeps the ends of the file", patch: "--- a/crlf\n+++ b/crlf\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n",
		want: changes("crlf", "x\r\nz\r\n")},
	{name: "a byte order mark in the patch", patch: "--- a/bom\n+++ b/bom\n@@ -1,2 +1,2 @@\n-\ufeffx\n+\ufeffz\n y\n",
		want: changes("bom", "\ufeffz\ny\n")},
	{name: "a byte order mark goes", patch: "--- a/bom\n+++ b/bom\n@@ -1,2 +1,2 @@\n-\ufeffx\n+x\n y\n",
		want: changes("bom", "x\ny\n")},
	{name: "a byte order mark comes", patch: "--- a/one\n+++ b/one\n@@ -1,2 +1,2 @@\n-a\n+\ufeffa\n b\n",
		want: changes("one", "\ufeffa\nb\n")},
	{name: "a patch without the mark keeps it", patch: "--- a/bom\n+++ b/bom\n@@ -1,2 +1,2 @@\n-x\n+z\n y\n",
		want: changes("bom", "\ufeffz\ny\n")},
	{name: "lines before the first keep the mark at the beginning",
		patch: "--- a/bom\n+++ b/bom\n@@ -1,2 +1,3 @@\n+w\n x\n y\n", want: changes("bom", "\ufeffw\nx\ny\n")},

	{name: "nothing changes", patch: "--- a/one\n+++ b/one\n@@ -1,2 +1,2 @@\n a\n-b\n+b\n",
		err: "patch changes nothing: its old and new lines are the same"},
	{name: "nothing changes, in sections", patch: "*** Begin Patch\n*** Update File: one\n@@\n-b\n+b\n*** End Patch\n",
		err: "patch changes nothing: its old and new lines are the same"},
	{name: "a slash at the end", patch: "--- /dev/null\n+++ b/sub/\n@@ -0,0 +1 @@\n+x\n",
		err: "path names a folder, because it ends in a slash: sub/"},
	{name: "a folder in the way stays", patch: "--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x\n",
		err: "a is a folder, and a/q in it stays"},
	{name: "a file in the way", patch: "--- /dev/null\n+++ b/one/x\n@@ -0,0 +1 @@\n+x\n",
		err: "one/x cannot be created: one is a file, not a folder"},
	{name: "a link out of the folder",
		patch: "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+../x\n" +
			"\\ No newline at end of file\n", err: "l would be a link to ../x, which is outside of the allowed folders"},
}

// TestPatchNames applies diffs with all kinds of names and line ends.
func TestPatchNames(t *testing.T) {
	runPatches(t, map[string]string{"one": "a\nb\n", "two": "x\ny\n", "same": "a\nb\n", "a/q": "one\n", "x y": "1\n",
		"crlf": "x\r\ny\r\n", "bom": "\ufeffx\ny\n"}, nameTests)
}
