package main

import (
	"go/ast"
	"go/parser"
	"regexp"
	"strings"
	"testing"
)

// Limits for the whole module.
const (
	longLines     = 0   // lines of more than 120 bytes, with tabs of 4
	longFunctions = 0   // functions of more than 60 lines
	longFiles     = 0   // files of more than 400 lines
	oddPer10000   = 1.0 // of each odd phrase in 10,000 words of comments
)

// oddPhrases are patterns that make a comment hard to read. Among them are clauses
// as subjects and programs that act like persons.
var oddPhrases = map[string]*regexp.Regexp{
	"question word as a subject": regexp.MustCompile(`(?:^|[.;:!?]\s+)What\s+[a-z]`),
	"negated verb": regexp.MustCompile(
		`\b(?:(?:is|are|was) none|that (?:is|are) no|is no [a-z]+ that)\b`),
	"indefinite person": regexp.MustCompile(`\b[Nn]obody\b`),
	"reporting verb with a question word": regexp.MustCompile(
		`\b(?:tells?|told|says?|said|knows?) (?:what|whether|where|who|why|how|which)\b`),
	"pronoun with of":       regexp.MustCompile(`\b(?:that|those) of\b`),
	"pronoun with a clause": regexp.MustCompile(`\b[Tt]hose that\b`),
	"relative with of":      regexp.MustCompile(`\bof which\b`),
}

// TestHouse counts lines, functions, files and comments that are hard to read.
func TestHouse(t *testing.T) {
	var lines, functions, files []string
	words, odd := 0, map[string]int{}
	goFiles(t, parser.ParseComments, func(f goFile) {
		for line := range strings.Lines(string(f.text)) {
			if len(strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", "    ")) > 120 {
				lines = append(lines, f.path+": "+line)
			}
		}
		if strings.Count(string(f.text), "\n") > 400 {
			files = append(files, f.path)
		}
		for _, d := range f.tree.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && f.set.Position(fn.End()).Line-f.set.Position(fn.Pos()).Line >= 60 {
				functions = append(functions, f.path+": "+fn.Name.Name)
			}
		}
		for _, c := range f.tree.Comments {
			text := strings.Join(strings.Fields(c.Text()), " ")
			words += len(strings.Fields(text))
			for name, pattern := range oddPhrases {
				odd[name] += len(pattern.FindAllString(text, -1))
			}
		}
	})
	t.Logf("%d long lines, %d long functions, %d long files; odd phrases in %d words: %v",
		len(lines), len(functions), len(files), words, odd)
	if len(lines) > longLines || len(functions) > longFunctions || len(files) > longFiles {
		t.Errorf("too long:\n%s%s\n%s", strings.Join(lines, ""), strings.Join(functions, "\n"),
			strings.Join(files, "\n"))
	}
	for name, n := range odd {
		if per := float64(n) * 10000 / float64(words); per > oddPer10000 {
			t.Errorf("%q occurs %.1f times in 10,000 words of comments", name, per)
		}
	}
}
