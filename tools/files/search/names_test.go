package search

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"techo/internal/testenv"
	"techo/tools/files/filestest"
)

// TestGrepGuessed finds a text in files of several encodings.
func TestGrepGuessed(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"gb18030", "big5", "shift_jis", "euc-jp"} {
		text := "今天\n"
		if strings.HasSuffix(name, "jp") || name == "shift_jis" {
			text = "今日は今天\n"
		}
		put(t, filepath.Join(dir, name), string(filestest.Encoded(t, name, text)))
	}
	if out := searchFor(t, dir, GrepIn{Pattern: "今天", Path: ".", Limit: 9, Encoding: "auto"}); out.Count != 4 {
		t.Errorf("%+v", out)
	}
}

// TestUnusualCursor continues behind a file whose name is not UTF-8.
func TestUnusualCursor(t *testing.T) {
	dir := t.TempDir()
	if os.WriteFile(filepath.Join(dir, "b\xff"), bytes.Repeat([]byte("x\n"), 3), 0o644) != nil {
		testenv.Missing(t, "a file system with names that are not UTF-8")
	}
	put(t, filepath.Join(dir, "c"), "x\n")
	var lines []int
	in := GrepIn{Pattern: "x", Path: ".", Limit: 1}
	for range 6 {
		out := searchFor(t, dir, in)
		for _, m := range out.Matches {
			lines = append(lines, m.Line)
		}
		if in.Cursor = out.NextCursor; in.Cursor == "" {
			break
		}
	}
	if !slices.Equal(lines, []int{1, 2, 3, 1}) {
		t.Errorf("%v", lines)
	}
}
