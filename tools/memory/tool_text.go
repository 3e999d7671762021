package memory

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"techo/store/memfile"
	"techo/tools"
)

const maxShownLines = 999_999

// textError is a failure with a documented text.
type textError struct {
	code tools.Code
	text string
}

func (e *textError) Error() string { return e.text }

// linesOf splits a text into lines without their ends. A last line without an end is a line too.
func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// numbered writes lines with their numbers, from first on.
func numbered(b *strings.Builder, lines []string, first int) {
	for i, line := range lines {
		fmt.Fprintf(b, "\n%6d\t%s", first+i, line)
	}
}

// numberedFile shows a file, or the lines of a range, which may be cut at the end of the file.
func numberedFile(path, text string, lineRange []int) (string, error) {
	lines := linesOf(text)
	if len(lines) > maxShownLines {
		return "", &textError{tools.LimitExceeded, "File " + path + " exceeds maximum line limit of 999,999 lines."}
	}
	first, last := 1, len(lines)
	if len(lineRange) == 2 {
		first = max(lineRange[0], 1)
		if lineRange[1] != -1 {
			last = min(lineRange[1], last)
		}
	}
	var b strings.Builder
	b.WriteString("Here's the content of " + path + " with line numbers:")
	if first <= last {
		numbered(&b, lines[first-1:last], first)
	}
	return b.String(), nil
}

// folderText lists a folder, two levels deep.
func folderText(path string, tree memfile.Tree) string {
	var b strings.Builder
	b.WriteString("Here're the files and directories up to 2 levels deep in " + path +
		", excluding hidden items and node_modules:\n" + size(tree.Bytes(path)) + "\t" + path)
	for _, e := range tree.In(path, 2) {
		names := strings.Split(e.Path[len(path)+1:], "/")
		hidden := func(name string) bool { return name[0] == '.' || name == "node_modules" }
		if !slices.ContainsFunc(names, hidden) {
			b.WriteString("\n" + size(e.Bytes) + "\t" + e.Path)
		}
	}
	return b.String()
}

// size formats a number of bytes, such as 512B, 5.5K and 1.2M.
func size(n int) string {
	if n < 1<<10 {
		return strconv.Itoa(n) + "B"
	}
	if n < 1<<20 {
		return fmt.Sprintf("%.1fK", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1fM", float64(n)/(1<<20))
}

// replaced replaces a text that must occur once. said is the answer, with the lines around the change.
func replaced(text, path, old, instead string) (edited, said string, err error) {
	at := strings.Index(text, old)
	if at < 0 {
		return "", "", &textError{tools.NotFound, "No replacement was performed, old_str `" + old +
			"` did not appear verbatim in " + path + "."}
	}
	if strings.Count(text, old) > 1 {
		var numbers []string
		for from := 0; at >= 0; {
			numbers = append(numbers, strconv.Itoa(lineAt(text, from+at)))
			from += at + len(old)
			at = strings.Index(text[from:], old)
		}
		return "", "", &textError{tools.Conflict, "No replacement was performed. Multiple occurrences of old_str `" +
			old + "` in lines: " + strings.Join(slices.Compact(numbers), ", ") + ". Please ensure it is unique"}
	}
	edited = text[:at] + instead + text[at+len(old):]
	const around = 2
	lines := linesOf(edited)
	first := min(max(lineAt(text, at)-around, 1), len(lines)+1)
	last := min(lineAt(edited, at+len(instead))+around, len(lines))
	var b strings.Builder
	b.WriteString("The memory file has been edited. Here is the snippet showing the change (with line numbers):")
	if first <= last {
		numbered(&b, lines[first-1:last], first)
	}
	return edited, b.String(), nil
}

// lineAt returns the number of the line of a byte.
func lineAt(text string, at int) int { return strings.Count(text[:at], "\n") + 1 }

// inserted inserts a text as lines of its own after a line.
func inserted(text string, line int, more string) (string, error) {
	n := len(linesOf(text))
	if line < 0 || line > n {
		return "", &textError{tools.InvalidInput, fmt.Sprintf("Error: Invalid `insert_line` parameter: %d. It "+
			"should be within the range of lines of the file: [0, %d]", line, n)}
	}
	at := 0
	for range line {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			text += "\n"
			end = len(text) - at - 1
		}
		at += end + 1
	}
	if !strings.HasSuffix(more, "\n") {
		more += "\n"
	}
	return text[:at] + more + text[at:], nil
}
