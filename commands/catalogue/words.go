package catalogue

import (
	_ "embed"
	"strings"
)

//go:embed words.txt
var words string

type kind string

// The kinds.
const (
	ofSubject kind = "subject"
	ofAction  kind = "action"
	ofVague   kind = "vague"
	ofTool    kind = "tool"
)

type wordLine struct {
	kind  kind
	name  string
	words []string
}

// readWords parses the words of find_tools. Tools come after the meanings.
func readWords() (all []wordLine) {
	for line := range strings.Lines(strings.ReplaceAll(words, "\n ", " ")) {
		head, rest, ok := strings.Cut(line, ":")
		of, name, _ := strings.Cut(head, " ")
		if ok && of != "#" {
			all = append(all, wordLine{kind(of), name, strings.Fields(rest)})
		}
	}
	return all
}

// Knows reports whether there are words for a tool.
func Knows(name string) bool {
	for _, l := range readWords() {
		if l.kind == ofTool && l.name == name {
			return true
		}
	}
	return false
}
