package files

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Limits of diffs, in bytes.
const (
	maxDiff     = 100_000  // that a result shows
	maxCompared = 16 << 20 // of a text from its first difference to its last
)

// unified writes the difference of two texts as a unified diff. What is equal
// at their begin and end is left out of the comparison, which makes a small
// change in a large file cheap. What is left may be too much: then there is no
// diff, and cut is true.
func unified(path string, before, after string) (out []byte, cut bool) {
	const context = 3 // lines
	head := commonLines(before, after)
	for range context {
		head = strings.LastIndexByte(before[:max(head-1, 0)], '\n') + 1
	}
	tail := commonTail(before[head:], after[head:])
	for range context + 1 { // one line of its own, in case that it is cut within one
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
	was, is := "a/"+path, "b/"+path
	if filepath.IsAbs(path) {
		was, is = path, path
	}
	out = diff.Diff(was, []byte(before[head:len(before)-tail]), is, []byte(after[head:len(after)-tail]))
	if i := bytes.IndexByte(out, '\n'); i >= 0 {
		out = out[i+1:] // the line of the command, which is not ours
	}
	return shift(out, strings.Count(before[:head], "\n")), false
}

// commonLines returns the length of the whole lines that two texts begin with.
func commonLines(a, b string) int {
	return strings.LastIndexByte(a[:commonHead(a, b)], '\n') + 1
}

// stride is how much is compared at once.
const stride = 4 << 10

// commonHead returns the length of what two contents begin with.
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

// commonTail returns the length of what two contents end with.
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

// shift adds to the line numbers of a diff's hunks.
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

// allDiffs puts the diffs of files together, as far as a result may show them.
func allDiffs(all []*work) (text string, cut bool) {
	var b strings.Builder
	for _, w := range all {
		b.Write(w.diff)
		cut = cut || w.diffCut
	}
	if text = b.String(); len(text) <= maxDiff {
		return text, cut
	}
	return text[:strings.LastIndexByte(text[:maxDiff], '\n')+1], true
}
