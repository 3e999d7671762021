package files

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"techo/internal/pattern"
	"techo/internal/walk"
	"techo/tools"
	"techo/tools/files/hostfiles"
)

// Grep is the tool grep: it finds lines in files.
var Grep = &tools.Tool{
	Name:    "grep",
	For:     tools.Agents,
	Command: "grep",
	About:   "Search for a pattern in files using regular expressions",
	More: "RE2 syntax, line by line; \\w, \\d, \\s and \\b are Unicode, as in Python, unless ascii is set. Composed " +
		"and decomposed characters (NFC, NFD) match each other. Results are sorted by path. Hidden files, " +
		"binary files and files that .gitignore (in a repository) or .ignore excludes are skipped and counted in " +
		"skipped; if nothing is found, also_in shows which of them would match. Links are not followed. column " +
		"counts characters from 1. include and exclude are globs as in the glob tool; one without a slash matches " +
		"names in any folder. encoding auto detects the encoding of each file.",
	Effect:    tools.Reads,
	Forbidden: forbiddenPath,
	Words:     []string{"pattern", "path"},
	Examples: []tools.Example{
		{Does: "Find a word in the sources of a folder", Line: `grep "func main" . --include "*.go"`},
		{Does: "Find either of two words, ignoring case, with two lines of context",
			Line: `grep "TODO|FIXME" --ignore-case --context 2`},
		{Does: "Count plain text in each file, as text", Line: `grep "a(b" --fixed-strings --count -o text`},
		{Does: "Search what is piped in", Line: `memo list | techo grep name -`},
	},
	Run: tools.Func[GrepIn, GrepOut](grep),
}

// GrepIn is the input of grep.
type GrepIn struct {
	Pattern  string   `json:"pattern" minLength:"1" doc:"Regular expression to search for"`
	Path     string   `json:"path" default:"." minLength:"1" doc:"Folder or file to search in"`
	Patterns []string `json:"patterns,omitempty" minLength:"1" doc:"More expressions; a line needs to match one"`

	Include string `json:"include,omitempty" alternatives:"true" doc:"Only files that match this glob, e.g. *.{ts,tsx}"`
	Exclude string `json:"exclude,omitempty" alternatives:"true" doc:"Skip files and folders that match this glob"`

	Limit int `json:"max_results" default:"50" minimum:"1" maximum:"1000" doc:"Maximum number of results to return"`

	MaxPerFile int    `json:"max_per_file,omitempty" minimum:"1" doc:"Maximum number of results from one file"`
	Cursor     string `json:"cursor,omitempty" doc:"Continue here: next_cursor of the previous result"`

	IgnoreCase       bool `json:"ignore_case,omitempty" doc:"Ignore case"`
	SmartCase        bool `json:"smart_case,omitempty" doc:"Ignore case if the pattern has no upper case"`
	FixedStrings     bool `json:"fixed_strings,omitempty" doc:"Treat the patterns as plain text"`
	Word             bool `json:"word,omitempty" doc:"Match whole words only"`
	WholeLine        bool `json:"whole_line,omitempty" doc:"Match whole lines only"`
	ASCII            bool `json:"ascii,omitempty" doc:"Limit \\w, \\d, \\s and \\b to ASCII"`
	Invert           bool `json:"invert,omitempty" doc:"Find the lines that do not match"`
	OnlyMatching     bool `json:"only_matching,omitempty" doc:"Return each match without the rest of its line"`
	Multiline        bool `json:"multiline,omitempty" doc:"Matches may span lines; (?s) lets a dot match line ends"`
	Context          int  `json:"context,omitempty" minimum:"0" maximum:"100" doc:"Lines before and after each match"`
	Before           int  `json:"before,omitempty" minimum:"0" maximum:"100" doc:"Lines before each match"`
	After            int  `json:"after,omitempty" minimum:"0" maximum:"100" doc:"Lines after each match"`
	FilesWithMatches bool `json:"files_with_matches,omitempty" doc:"Return only the paths of files with matches"`
	FilesWithout     bool `json:"files_without_match,omitempty" doc:"Return only the paths of files without a match"`
	Count            bool `json:"count,omitempty" doc:"Return only the number of matching lines of each file"`
	Hidden           bool `json:"hidden,omitempty" doc:"Include hidden files and folders"`
	NoIgnore         bool `json:"no_ignore,omitempty" doc:"Also search files that .gitignore and .ignore exclude"`

	Encoding searchEncoding `json:"encoding,omitempty" doc:"Encoding of files other than UTF-8 and UTF-16"`
	Type     string         `json:"type,omitempty" doc:"Only files of this type, e.g. go, py, js, ts or md; or go,py"`
}

// GrepOut is the result of grep.
type GrepOut struct {
	Matches    []Match           `json:"matches"`
	Paths      []string          `json:"paths,omitzero"`
	Counts     []FileCount       `json:"counts,omitzero"`
	Count      int               `json:"count"`
	Files      int               `json:"files"`
	Truncated  bool              `json:"truncated"`
	NextCursor string            `json:"next_cursor"`
	TimedOut   bool              `json:"timed_out"`
	Skipped    Skipped           `json:"skipped"`
	AlsoIn     map[string]AlsoIn `json:"also_in"`
	Message    string            `json:"message"`

	notes          []string // why nothing was searched, and what else was not
	summary, hint  string   // the message, and the part about notes and also_in
	lines          string   // text output of counts
	unread         bool     // input waits on stdin, which was not searched
	limitedPerFile int      // the per-file limit, if a file has more matches; else 0
}

// Match is a matching line, or in multiline mode the lines of one match.
type Match struct {
	Path    string   `json:"path"`
	Line    int      `json:"line"`
	Column  int      `json:"column"` // in characters, from 1
	Text    string   `json:"text"`
	Before  []string `json:"before"`
	After   []string `json:"after"`
	Clipped bool     `json:"clipped,omitempty"` // the text is part of a longer line
	Lossy   bool     `json:"lossy,omitempty"`   // invalid UTF-8 was replaced

	// Normalized is set if the file has the text in another Unicode form (NFC or NFD)
	// than the pattern.
	Normalized bool `json:"normalized,omitempty"`
}

// FileCount is the number of matching lines in a file.
type FileCount struct {
	Path  string `json:"path"`
	Count int    `json:"count"`
}

// AlsoIn describes skipped files that would have matched.
type AlsoIn struct {
	Files   int    `json:"files"`
	First   string `json:"first"`
	Partial bool   `json:"partial,omitempty"` // the time limit ended the search for more
}

// Outcome makes a partial result end like a timeout.
func (o GrepOut) Outcome() tools.Code {
	if o.TimedOut {
		return tools.Timeout
	}
	return ""
}

// usualLine estimates the length of a line, in bytes.
const usualLine = 100

func grep(ctx context.Context, env *tools.Env, in GrepIn) (out GrepOut, err error) {
	began := time.Now()
	s, err := newSearch(env, in)
	if err != nil {
		return out, err
	}
	p, isFolder, err := startOf(s, env, in.Path)
	if err != nil {
		return out, err
	}
	var t *tree
	if isFolder {
		t, err = openTree(env, p, in.Hidden, in.NoIgnore)
		if err != nil {
			return out, err
		}
		defer t.root.Close()
		if s.after.line > 0 && s.after.path == "" {
			return out, invalidField(env, "/cursor", wrongCursor)
		}
		t.after = s.after.path
		s.selected.applyTo(t)
		s.searchTree(ctx, t)
	} else {
		t = &tree{}
		err = s.searchFile(ctx, p, t)
	}
	if err == nil {
		err = t.rootError
	}
	if err != nil {
		return out, pathError(env, in.Path, err)
	}
	late, err := timedOut(ctx)
	if err != nil {
		return out, err
	}
	freeMemory(in.Limit * (s.linesBefore + s.linesAfter) * usualLine)
	unsearched := isFolder && !searchedAny(s)
	out = s.result(p, t, late)
	if out.Files == 0 && !late && in.Cursor == "" {
		explainNothing(ctx, s, env, in, p, t, unsearched, time.Since(began), &out)
	}
	out.unread = hostfiles.Of(env).Unread != nil && hostfiles.Of(env).Unread()
	out.setMessage(env, in)
	freeMemory(len(out.lines))
	return out, nil
}

// explainNothing adds to a result without a match where matches may be. took is the time of
// the search.
func explainNothing(ctx context.Context, s *search, env *tools.Env, in GrepIn, p place, t *tree, unsearched bool,
	took time.Duration, out *GrepOut) {
	ctx, stop := context.WithTimeout(ctx, hintTime(took))
	defer stop()
	if unsearched {
		out.notes = nothingSearched(ctx, s, env, in, p, out.Skipped)
	}
	if s.mode == modeWithout || s.invert {
		return
	}
	s.hintSkipped(ctx, p, t, out.AlsoIn)
	if in.Encoding == "" && took < fastSearch && !isASCII(in.expressions()) {
		s.hintEncoded(ctx, env, in, p, out.AlsoIn)
	}
}

// searchedAny reports whether a file was searched.
func searchedAny(s *search) bool {
	return slices.ContainsFunc(s.searchers, func(one *searcher) bool { return one != nil })
}

func (in GrepIn) expressions() []string { return append([]string{in.Pattern}, in.Patterns...) }

// isASCII reports whether the texts have the same bytes in all supported
// encodings.
func isASCII(texts []string) bool {
	return !slices.ContainsFunc(texts, func(t string) bool {
		return strings.ContainsFunc(t, func(r rune) bool { return r >= utf8.RuneSelf })
	})
}

// newSearch compiles the patterns and filters. It reports all invalid options at
// once.
func newSearch(env *tools.Env, in GrepIn) (*search, error) {
	var problems []tools.Detail
	s := &search{encoding: in.Encoding, mostKept: maxKept, maxResults: in.Limit, maxPerFile: in.MaxPerFile,
		linesBefore: cmp.Or(in.Before, in.Context), linesAfter: cmp.Or(in.After, in.Context)}
	problems = append(problems, setMode(env, s, in)...)
	expressions := in.expressions()
	fold := in.IgnoreCase || in.SmartCase && !hasUpper(expressions, in.FixedStrings)
	var where string // the place of the error in the pattern
	var err error
	s.pattern, err = pattern.Compile(expressions,
		pattern.Options{IgnoreCase: fold, Fixed: in.FixedStrings, Word: in.Word, Line: in.WholeLine,
			Multiline: in.Multiline, ASCII: in.ASCII})
	var broken *pattern.Error
	if errors.As(err, &broken) {
		d, at := patternProblem(env, expressions, broken)
		problems, where = append(problems, d), at
	} else if err != nil {
		return nil, err
	} else if s.multiline = s.pattern.Multiline(); s.multiline && s.invert {
		problems = append(problems, tools.Detail{Path: "/invert",
			Message: env.Localize("cannot be combined with a pattern that spans lines")})
	}
	s.selected = newSelection(env, in.Include, in.Exclude, in.Type, &problems)
	if s.after, err = parseCursor(in.Cursor); err != nil {
		problems = append(problems, tools.Detail{Path: "/cursor", Message: env.Localize(wrongCursor)})
	}
	if len(problems) == 0 {
		return s, nil
	}
	e := invalidInput(env, problems)
	e.Hint = problems[0].Hint
	if broken != nil && len(problems) == 1 { // wording of the specification
		e.Message = env.Localize("Invalid regex pattern: %s", where)
	}
	return nil, e
}

// setMode sets what the search returns. It refuses contradicting options.
func setMode(env *tools.Env, s *search, in GrepIn) (problems []tools.Detail) {
	for _, one := range []struct {
		on   bool
		name string
		mode mode
	}{
		{in.FilesWithMatches, "files_with_matches", modeFiles},
		{in.FilesWithout, "files_without_match", modeWithout},
		{in.Count, "count", modeCounts},
	} {
		switch {
		case !one.on:
		case s.mode != modeLines:
			problems = append(problems, tools.Detail{Path: "/" + one.name,
				Message: env.Localize("cannot be combined with %s", s.mode.field())})
		default:
			s.mode = one.mode
		}
	}
	if s.mode == modeCounts {
		s.maxResults, s.maxPerFile = 0, 0
	}
	s.invert, s.onlyMatching = in.Invert, in.OnlyMatching
	if s.onlyMatching {
		s.mostKept = maxMatching
	}
	if s.invert && s.onlyMatching {
		problems = append(problems, tools.Detail{Path: "/only_matching",
			Message: env.Localize("cannot be combined with %s", "invert")})
	}
	return problems
}

var wrongCursor = tools.Text("must be the next_cursor of a result")

// cursor is a position in the results.
type cursor struct {
	path string // relative to the searched folder
	line int    // the last line that was returned
	part int    // unless 0, only the first matches of the line were returned
}

func (c cursor) String() string {
	text := showPath(c.path) + ":" + strconv.Itoa(c.line)
	if c.part > 0 {
		text += "." + strconv.Itoa(c.part)
	}
	return text
}

// skips returns the number of the last line that a search from here skips.
func (c cursor) skips() int {
	if c.part > 0 {
		return c.line - 1
	}
	return c.line
}

func parseCursor(text string) (c cursor, err error) {
	if text == "" {
		return c, nil
	}
	at := strings.LastIndexByte(text, ':')
	if at < 0 {
		return c, strconv.ErrSyntax
	}
	c.path = plainPath(text[:at])
	line, part, parted := strings.Cut(text[at+1:], ".")
	if parted {
		c.part, err = strconv.Atoi(part)
	}
	if err == nil {
		c.line, err = strconv.Atoi(line)
	}
	if c.line < 0 || c.part < 0 {
		err = strconv.ErrRange
	}
	return c, err
}

// searchTree searches a folder.
func (s *search) searchTree(ctx context.Context, t *tree) {
	workers := max(8, 2*runtime.GOMAXPROCS(0)) // more workers than processors, because some wait for the disk
	s.searchers = append(s.searchers, make([]*searcher, max(0, workers-len(s.searchers)))...)
	w := walk.New(walk.Options{
		Workers: workers, Enter: t.enter, Failed: t.failed, OnSlow: collectNormally,
		Visit: func(worker int, f *walk.Folder, e walk.Entry) { s.searcher(ctx, t, worker).visit(f, e) },
	})
	s.stopAfter = w.Limit
	w.Run(ctx, t.root)
}
