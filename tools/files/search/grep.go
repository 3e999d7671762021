// Package search has the tools that look through folders: grep, glob and list_files. They share the walk
// through a tree, its rules of ignored files, and their cursors.
package search

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"time"

	"techo/internal/charset"
	"techo/internal/pattern"
	"techo/internal/walk"
	"techo/tools"
	"techo/tools/files/paths"
)

// Grep is the tool grep: it finds lines in files.
var Grep = &tools.Tool{
	Name:    "grep",
	For:     tools.Agents,
	Command: "grep",
	About:   "Search for a pattern in files using regular expressions",
	More:    "RE2 syntax. Hidden, binary and ignored files are skipped and counted.",
	Details: "The search is line by line. .gitignore (in a repository) and .ignore say which files " +
		"are ignored. \\w, \\d, \\s and \\b are Unicode, as in Python, unless ascii is set. Composed " +
		"and decomposed characters (NFC, NFD) match each other. Results are sorted by path. If " +
		"nothing is found, also_in shows which of the skipped files would match. skipped counts " +
		"them. Links are not followed. column counts characters from 1. include and exclude are " +
		"globs as in the glob tool; one without a slash matches names in any folder. encoding " +
		"auto detects the encoding of each file.",
	Effect:    tools.Reads,
	Forbidden: paths.Forbidden,
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

// usualLine estimates the length of a line, in bytes.
const usualLine = 100

func grep(ctx context.Context, env *tools.Env, in GrepIn) (out GrepOut, err error) {
	began := time.Now()
	s, err := newLineSearch(env, in)
	if err != nil {
		return out, err
	}
	p, isFolder, err := s.startOf(env, in.Path)
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
			return out, tools.InvalidField(env, "/cursor", wrongCursor)
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
		return out, paths.Error(env, in.Path, err)
	}
	late, err := timedOut(ctx)
	if err != nil {
		return out, err
	}
	freeMemory(in.Limit * (s.linesBefore + s.linesAfter) * usualLine)
	unsearched := isFolder && !s.searchedAny()
	out = s.result(p, t, late)
	if out.Files == 0 && !late && in.Cursor == "" {
		explainNothing(ctx, s, env, in, p, t, unsearched, time.Since(began), &out)
	}
	out.unread = env.Host.Unread != nil && env.Host.Unread()
	out.setMessage(env, in)
	freeMemory(len(out.Counts) * usualLine)
	return out, nil
}

// explainNothing adds to a result without a match where matches may be. took is the time of
// the search.
func explainNothing(ctx context.Context, s *lineSearch, env *tools.Env, in GrepIn, p paths.Place, t *tree,
	unsearched bool, took time.Duration, out *GrepOut) {
	ctx, stop := context.WithTimeout(ctx, hintTime(took))
	defer stop()
	out.notes = syntaxNotes(env, in)
	if unsearched {
		out.notes = nothingSearched(ctx, s, env, in, p, out.Skipped)
	}
	if s.mode == modeWithout || s.invert {
		return
	}
	s.hintSkipped(ctx, p, t, out.AlsoIn)
	if in.Encoding == "" && took < fastSearch && !in.onlyASCII() {
		s.hintEncoded(ctx, env, in, p, out.AlsoIn)
	}
}

// syntaxNotes says that signs of basic regular expressions stand for themselves here.
func syntaxNotes(env *tools.Env, in GrepIn) []string {
	if in.FixedStrings {
		return nil
	}
	for _, sign := range []string{`\|`, `\+`, `\?`, `\(`, `\{`} {
		if slices.ContainsFunc(in.expressions(), func(e string) bool { return strings.Contains(e, sign) }) {
			return []string{env.Localize("%s stands for the character itself; as an operator it has no backslash", sign)}
		}
	}
	return nil
}

// onlyASCII reports whether a match can have nothing but ASCII, which is the same in all encodings.
func (in GrepIn) onlyASCII() bool {
	for _, e := range in.expressions() {
		if !charset.IsASCII(e) || !in.FixedStrings && strings.ContainsAny(e, `.[\\`) {
			return false
		}
	}
	return true
}

func (s *lineSearch) searchedAny() bool {
	return slices.ContainsFunc(s.searchers, func(one *searcher) bool { return one != nil })
}

// newLineSearch compiles the patterns and filters. It reports all invalid options at
// once.
func newLineSearch(env *tools.Env, in GrepIn) (*lineSearch, error) {
	var problems []tools.Detail
	s := &lineSearch{encoding: in.Encoding, mostKept: maxKept, maxResults: in.Limit, maxPerFile: in.MaxPerFile,
		linesBefore: cmp.Or(in.Before, in.Context), linesAfter: cmp.Or(in.After, in.Context)}
	problems = append(problems, setMode(env, s, in)...)
	expressions := in.expressions()
	fold := in.IgnoreCase || in.SmartCase && !hasUpper(expressions, in.FixedStrings)
	var where string // the place of the error in the pattern
	var err error
	s.pattern, err = pattern.Compile(expressions,
		pattern.Options{IgnoreCase: fold, Fixed: in.FixedStrings, Word: in.Word, Line: in.WholeLine,
			Multiline: in.Multiline, ASCII: in.ASCII, CR: true})
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
	e := tools.InvalidError(env, problems)
	e.Hint = problems[0].Hint
	if broken != nil && len(problems) == 1 { // wording of the specification
		e.Message = env.Localize("Invalid regex pattern: %s", where)
	}
	return nil, e
}

// setMode sets what the search returns. It refuses contradicting options.
func setMode(env *tools.Env, s *lineSearch, in GrepIn) (problems []tools.Detail) {
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

func (s *lineSearch) searchTree(ctx context.Context, t *tree) {
	workers := max(8, 2*runtime.GOMAXPROCS(0)) // more workers than processors, because some wait for the disk
	s.searchers = append(s.searchers, make([]*searcher, max(0, workers-len(s.searchers)))...)
	w := walk.New(walk.Options{
		Workers: workers, Enter: t.enter, Failed: t.failed, OnSlow: collectNormally,
		Visit: func(worker int, f *walk.Folder, e walk.Entry) { s.searcher(ctx, t, worker).visit(f, e) },
	})
	s.stopAfter = w.Limit
	w.Run(ctx, t.root)
}
