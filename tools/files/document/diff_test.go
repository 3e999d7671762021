package document

import (
	"fmt"
	"strings"
	"testing"

	"techo/internal/testenv"
)

// patched applies a unified diff by its definition.
func patched(t *testing.T, before string, diff []byte) string {
	t.Helper()
	lines := strings.SplitAfter(before, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	var out strings.Builder
	at := 0
	rest := strings.SplitAfter(string(diff), "\n")
	for i := 0; i < len(rest); i++ {
		line := rest[i]
		if i+1 < len(rest) && strings.HasPrefix(rest[i+1], `\ No newline`) {
			line = strings.TrimSuffix(line, "\n")
		}
		var from, n, to, m int
		switch {
		case i < 2 || line == "" || line[0] == '\\': // the first two lines name the file
		case strings.HasPrefix(line, "@@"):
			if _, err := fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &from, &n, &to, &m); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			if n > 0 {
				from--
			}
			for ; at < from; at++ {
				out.WriteString(lines[at])
			}
			if have := strings.Count(out.String(), "\n"); m > 0 && have != to-1 {
				t.Fatalf("%q stands at line %d", line, have+1)
			}
		case line[0] == '+':
			out.WriteString(line[1:])
		default:
			if at >= len(lines) || lines[at] != line[1:] {
				t.Fatalf("%q is not line %d:\n%s", line, at+1, diff)
			}
			if line[0] == ' ' {
				out.WriteString(line[1:])
			}
			at++
		}
	}
	for ; at < len(lines); at++ {
		out.WriteString(lines[at])
	}
	return out.String()
}

// TestUnified applies the diffs of random changes and expects the changed texts.
func TestUnified(t *testing.T) {
	r := testenv.Random(t)
	text := func(n int) string {
		var b strings.Builder
		for range r.IntN(n) {
			fmt.Fprintf(&b, "%s\n", []string{"", "x", "y", "+", "@@ -1,2 +3,4 @@", fmt.Sprint(r.IntN(1000))}[r.IntN(6)])
		}
		if r.IntN(3) == 0 {
			b.WriteString("no end")
		}
		return b.String()
	}
	for range 5000 {
		before := text(40)
		after := before
		for range 1 + r.IntN(3) {
			i := r.IntN(len(after) + 1)
			j := i + r.IntN(min(len(after)-i, 20)+1)
			after = after[:i] + text(4) + after[j:]
		}
		if r.IntN(10) == 0 {
			after = text(40)
		}
		diff, _ := Diff("f", before, after)
		if (diff == nil) != (before == after) {
			t.Fatalf("%q to %q: %s", before, after, diff)
		}
		if got := patched(t, before, diff); got != after {
			t.Fatalf("%q to %q gives %q by\n%s", before, after, got, diff)
		}
	}
}

// TestUnifiedLarge expects no diff above the limit.
func TestUnifiedLarge(t *testing.T) {
	line := "a line of a large file\n"
	middle := strings.Repeat(line, (maxCompared+1<<20)/len(line))
	if diff, cut := Diff("f", "x\n"+middle+"y\n", "X\n"+middle+"Y\n"); diff != nil || !cut {
		t.Errorf("%d bytes, %v", len(diff), cut)
	}
	diff, cut := Diff("f", middle+"x\n"+middle, middle+"y\n"+middle)
	lines := strings.Count(middle, "\n")
	if want := fmt.Sprintf("@@ -%d,7 +%[1]d,7 @@\n", lines-2); cut || !strings.Contains(string(diff), want) {
		t.Errorf("%q, %v, want %q", diff, cut, want)
	}
}
