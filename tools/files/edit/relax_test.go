package edit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"techo/tools"
)

// TestEditRelaxed checks what matches apart from the differences that models make,
// what the result reports, and which option a refusal names.
func TestEditRelaxed(t *testing.T) {
	for i, test := range []struct {
		file, old, text, want string // "" is a refusal
		normalize, blanks     bool
		reported              string // or the part of the hint
	}{
		{file: "cafe\u0301 au lait\n", old: "caf\u00e9 au", text: "caf\u00e9 ohne", want: "cafe\u0301 ohne lait\n",
			reported: "[unicode_form]"},
		{file: "\u304b\u3099\u304d\u3099\n", old: "\u304c\u304e", text: "\u304c\u3054",
			want:     "\u304b\u3099\u3053\u3099\n",
			reported: "[unicode_form]"},
		{file: "say \u201chello\u201d\n", old: `say "hello"`, text: `say "bye"`, reported: "normalize"},
		{file: "say \u201chello\u201d\n", old: `say "hello"`, text: `say "bye"`, want: "say \u201cbye\u201d\n",
			normalize: true, reported: "[quotes]"},
		{file: "it\u2019s 5\u00a0km  \nend\n", old: "it's 5 km\nend", text: "it's 6 km\nend",
			want: "it\u2019s 6\u00a0km  \nend\n", normalize: true, reported: "[quotes no_break_space trailing_blanks]"},
		{file: "a \u201cb\u201d\na \u2018b\u2019 \u201cb\u201d\n", old: `"b"`, text: "c",
			normalize: true},
		{file: "a  \nb\n", old: "a\nb", text: "a\nc", reported: "normalize"},
		{file: "1 \u2013 2\u3000\u2212 3\n", old: "1 - 2 - 3", text: "1 - 2 - 4", want: "1 \u2013 2\u3000\u2212 4\n",
			normalize: true, reported: "[dashes other_spaces]"},
		{file: "a\u3000\nb\n", old: "a\nb", text: "a\nc", want: "a\u3000\nc\n", normalize: true,
			reported: "[trailing_blanks]"},
		{file: "if x:\n\treturn 1\n", old: "if x:\n    return 1", text: "if y:\n    return 2",
			reported: "ignore_whitespace"},
		{file: "def f():\n\tif x:\n\t\treturn 1\n", old: "    if x:\n        return 1\n",
			text: "    if x:\n        if y:\n            return 2\n    return 1\n", blanks: true,
			want: "def f():\n\tif x:\n\t\tif y:\n\t\t\treturn 2\n\treturn 1\n"},
		{file: "class A:\n  def f():\n    pass\n", old: "def f():\n\tpass",
			text: "def f():\n\tif a:\n\t\tpass", blanks: true, want: "class A:\n  def f():\n    if a:\n      pass\n"},
		// Lines that the new text repeats keep their ends.
		{file: "a\r\nb\nc\r\n", old: "a\nb\nc", text: "a\nX\nc", want: "a\r\nX\nc\r\n"},
		{file: "a\r\nb\nc\r\n", old: "a\nb\nc\n", text: "a\nb\nnew\nc\n", want: "a\r\nb\nnew\r\nc\r\n"},
	} {
		dir := t.TempDir()
		path := put(t, filepath.Join(dir, fmt.Sprint(i)), test.file)
		in := replace(path, test.old, test.text)
		in.Normalize, in.IgnoreWhitespace = test.normalize, test.blanks
		out, err := edit(testEnv(dir), in)
		got, e := os.ReadFile(path)
		check(t, e)
		if test.want == "" {
			failed := new(tools.Error)
			if !errors.As(err, &failed) || string(got) != test.file ||
				!strings.Contains(failed.Hint, strings.ReplaceAll(test.reported, "_", "-")) {
				t.Errorf("%q in %q: %v, %+v", test.old, test.file, err, failed)
			}
			continue
		}
		if err != nil || string(got) != test.want {
			t.Errorf("%q to %q in %q: %v\n got %q\nwant %q", test.old, test.text, test.file, err, got, test.want)
		}
		if names := fmt.Sprint(out.Normalized); test.reported != "" && names != test.reported {
			t.Errorf("%q in %q: reports %s", test.old, test.file, names)
		}
	}
}

// TestEditStrict checks inputs of clients that send all required fields beside a
// batch.
func TestEditStrict(t *testing.T) {
	x, y := "x", "y"
	batch := []Edited{{Path: "b", OldString: &x, NewString: &y}}
	for name, in := range map[string]EditIn{
		"path alone":   {Path: "a", Batch: batch},
		"one more":     {Path: "a", OldString: &x, NewString: &y, Batch: batch},
		"the same one": {Path: "b", OldString: &x, NewString: &y, Batch: batch},
	} {
		dir := putFiles(t, map[string]string{"a": "x", "b": "x"})
		_, err := edit(testEnv(dir), in)
		want := map[string]string{"a": "x", "b": "y"}
		if name == "one more" {
			want["a"] = "y"
		}
		if got := contents(t, dir); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
}

// TestEditRefusalHint refuses a string that fits two places apart from dashes.
func TestEditRefusalHint(t *testing.T) {
	dir := putFiles(t, map[string]string{"a": "x — y\nmiddle\nx – y\n"})
	_, err := edit(testEnv(dir), replace("a", "x - y", "z"))
	if e := tools.AsError(testEnv(dir), err); err == nil || !strings.Contains(e.Hint, "--normalize") {
		t.Errorf("%v", err)
	}
}
