package commands

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fileSteps are file operations as a command line and as a call.
var fileSteps = []struct {
	args  []string
	input string
}{
	{[]string{"fs", "write", "--path=-", "--content", "-- x\n", "--create-only"},
		`write_file {"path":"-","content":"-- x\n","create_only":true}`},
	{[]string{"fs", "write", "--path=メモ.txt", "--content", "一\r\n二\r\n"},
		`write_file {"content":"一\r\n\u4e8c\r\n","path":"メモ.txt","encoding":null}`},
	{[]string{"fs", "write", "メモ.txt", "", "--create-only"},
		`write_file {"path":"メモ.txt","content":"","create_only":true}`},
	{[]string{"fs", "edit", "メモ.txt", "一\n二", "-1\n--"},
		`edit_file {"path":"メモ.txt","old_string":"一\n二","new_string":"-1\n--"}`},
	{[]string{"edit_file", "メモ.txt", "--edit", `{"old_string":"-1","new_string":"a"}`, "--edit",
		`{"old_string":"--","new_string":"a"}`},
		`edit_file {"path":"メモ.txt","old_string":"","new_string":"","edits":[` +
			`{"old_string":"-1","new_string":"a"},{"old_string":"--","new_string":"a"}]}`},
	{[]string{"fs", "edit", "メモ.txt", "a", "b"},
		`edit_file {"path":"メモ.txt","old_string":"a","new_string":"b"}`},
	{[]string{"fs", "edit", "メモ.txt", "a", "b", "--expected-count", "2"},
		`edit_file {"path":"メモ.txt","old_string":"a","new_string":"b","expected_count":2.0}`},
	{[]string{"fs", "edit", "メモ.txt", "a", "b"},
		`edit_file {"path":"メモ.txt","old_string":"a","new_string":"b"}`},
	{[]string{"fs", "edit", "--batch", `[{"path":"メモ.txt","old_string":"b\nb","new_string":"c"}]`},
		`edit_file {"batch":[{"path":"メモ.txt","old_string":"b\nb","new_string":"c"}]}`},
	{[]string{"fs", "edit", "--batch", `{"path":"x"}`, "--edits", "[]"},
		`edit_file {"batch":[{"path":"x"}],"edits":[]}`},
	{[]string{"fs", "edit", "--edits", "nonsense"}, `edit_file {"edits":["nonsense"]}`},
	{[]string{"fs", "read", "メモ.txt", "--offset", "1", "--limit=1"}, `read_file {"path":"メモ.txt","limit":1}`},
	{[]string{"fs", "read", "../x", "--limit=0"}, `read_file {"path":"../x","limit":0}`},
	{[]string{"fs", "undo", "メモ.txt"}, `undo_edit {"path":"メモ.txt"}`},
	{[]string{"fs", "undo"}, `undo_edit {}`},
	{[]string{"fs", "read", "メモ.txt"}, `read_file {"path":"メモ.txt"}`},
}

// TestSameFiles makes the same edits by flags and by JSON, in two folders:
// answers and files have the same bytes.
func TestSameFiles(t *testing.T) {
	line, call, batch := newWorld(t), newWorld(t), newWorld(t)
	for _, w := range []*world{line, call, batch} {
		root := filepath.Join(w.dir, "root")
		if err := os.Mkdir(root, 0o755); err != nil {
			t.Fatal(err)
		}
		w.dir, w.env["TECHO_ROOTS"] = root, root
	}
	var lines strings.Builder
	var answers []string
	failed := 0
	for _, step := range fileSteps {
		want := line.feed("", append(step.args[:len(step.args):len(step.args)], "--")...)
		tool, input, _ := strings.Cut(step.input, " ")
		if got := call.feed(input, "call", tool); got.out != want.out || got.code != want.code {
			t.Errorf("%q\ngives %d %s\n%s\ngives %d %s", step.args, want.code, want.out, step.input, got.code, got.out)
		}
		lines.WriteString(`{"tool":"` + tool + `","input":` + input + "}\n")
		answers = append(answers, want.out)
		if want.code != 0 {
			failed++
		}
	}
	if got := batch.feed(lines.String(), "call", "--batch").out; got != strings.Join(answers, "") {
		t.Errorf("one by one:\n%sin a batch:\n%s", strings.Join(answers, ""), got)
	}
	if failed != 6 {
		t.Errorf("%d of them failed:\n%s", failed, strings.Join(answers, ""))
	}
	for _, w := range []*world{call, batch} {
		for _, name := range []string{"-", "メモ.txt"} {
			want, _ := os.ReadFile(filepath.Join(line.dir, name))
			if got, err := os.ReadFile(filepath.Join(w.dir, name)); err != nil || string(got) != string(want) {
				t.Errorf("%s holds %q, %v, want %q", name, got, err, want)
			}
		}
	}
}

// TestForbiddenFirst checks that a path outside the roots is forbidden, whatever
// else is wrong with the input.
func TestForbiddenFirst(t *testing.T) {
	w := newWorld(t)
	root := filepath.Join(w.dir, "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"fs", "read", "x", "--limit", "0", "--colour", "red"},
		{"fs", "edit", "x"},
		{"fs", "edit", "x", "", ""},
		{"fs", "edit", "--batch", `[{"path":"root/missing","old_string":"a","new_string":"b"},{"path":"x"}]`},
		{"fs", "write", "x"},
		{"fs", "undo", "x", "y"},
		{"grep", "(", "x", "--max-results", "0"},
		{"fs", "glob", "*", "x", "--limit", "-1"},
		{"call", "edit_file", `{"path":"x","old_string":5}`},
		{"call", "edit_file", `{"batch":[{"path":"root/missing","old_string":"a","new_string":"b"},` +
			`{"path":"x","old_string":"a","new_string":"b"}]}`},
	} {
		if a := w.feed("", append(args, "--root", root)...); a.code != 4 ||
			!strings.HasPrefix(a.out, `{"error":{"code":"forbidden"`) {
			t.Errorf("%q: %d %s", args, a.code, a.out)
		}
	}
	w.noStore()
}
