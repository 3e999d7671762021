package document

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"techo/tools/files/paths"
)

// Limits of diffs, in bytes.
const (
	MaxDiff     = 100_000  // in a result
	maxCompared = 16 << 20 // between the first and the last difference of a text
)

// Diff returns a unified diff of two texts. It compares only the part between
// their common beginning and end, so that a small change in a large file is cheap.
// If that part is larger than maxCompared, there is no diff and cut is true.
func Diff(path string, before, after string) (out []byte, cut bool) {
	const context = 3 // lines
	head := commonLines(before, after)
	for range context {
		head = strings.LastIndexByte(before[:max(head-1, 0)], '\n') + 1
	}
	tail := commonTail(before[head:], after[head:])
	for range context + 1 { // one extra line, because the common end may start within a line
		i := strings.IndexByte(before[len(before)-tail:], '\n')
		if i < 0 {
			tail = 0
			break
		}
		tail -= i + 1
	}
	if max(len(before), len(after))-head-tail > maxCompared {
		return nil, true
	}
	path = paths.Plain(path)
	was, is := "a/"+path, "b/"+path
	if filepath.IsAbs(path) {
		was, is = path, path
	}
	was, is = paths.ShowLine(paths.Show(was)), paths.ShowLine(paths.Show(is))
	out = diff.Diff(was, []byte(before[head:len(before)-tail]), is, []byte(after[head:len(after)-tail]))
	if i := bytes.IndexByte(out, '\n'); i >= 0 {
		out = out[i+1:] // drop the "diff" line
	}
	return shift(out, strings.Count(before[:head], "\n")), false
}

// commonLines returns the length of the complete lines that two texts begin with.
func commonLines(a, b string) int {
	return strings.LastIndexByte(a[:commonHead(a, b)], '\n') + 1
}

// stride is the block size of comparisons, in bytes.
const stride = 4 << 10

// commonHead returns the length of the common prefix of two texts.
func commonHead[T string | []byte](a, b T) int {
	n, most := 0, min(len(a), len(b))
	for n+stride <= most && string(a[n:n+stride]) == string(b[n:n+stride]) {
		n += stride
	}
	for n < most && a[n] == b[n] {
		n++
	}
	return n
}

// commonTail returns the length of the common suffix of two texts.
func commonTail[T string | []byte](a, b T) int {
	n, most := 0, min(len(a), len(b))
	for n+stride <= most && string(a[len(a)-n-stride:len(a)-n]) == string(b[len(b)-n-stride:len(b)-n]) {
		n += stride
	}
	for n < most && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// shift moves the line numbers of a diff's hunks.
func shift(out []byte, by int) []byte {
	if by == 0 {
		return out
	}
	hunk := regexp.MustCompile(`(?m)^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$`)
	return hunk.ReplaceAllFunc(out, func(line []byte) []byte {
		m := hunk.FindSubmatch(line)
		was, _ := strconv.Atoi(string(m[1]))
		is, _ := strconv.Atoi(string(m[3]))
		return fmt.Appendf(nil, "@@ -%d,%s +%d,%s @@", was+by, m[2], is+by, m[4])
	})
}
