package files

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"techo/internal/charset"
	"techo/internal/pattern"
	"techo/internal/walk"
	"techo/tools"
)

// result builds the answer.
func (s *search) result(p place, t *tree, timedOut bool) GrepOut {
	out := GrepOut{Matches: []Match{}, AlsoIn: map[string]AlsoIn{}, TimedOut: timedOut, Truncated: timedOut}
	last := cursor{}
	s.searchers, s.spare = nil, nil // free their buffers before building the answer
	switch s.mode {
	case modeCounts:
		if s.counts == nil {
			s.counts = []FileCount{}
		}
		out.count(p.shown, s.counts)
	case modeFiles:
		out.Paths = []string{}
		for _, f := range s.found[:min(len(s.found), s.maxResults)] {
			out.Paths = append(out.Paths, displayPath(p.shown, f.path))
			last = cursor{f.path, wholeFile}
		}
		out.Count, out.Files = len(out.Paths), len(out.Paths)
	default:
		for _, f := range s.found {
			hits := f.hits[:min(len(f.hits), s.maxResults-len(out.Matches))]
			if len(hits) == 0 {
				break
			}
			out.Matches = append(out.Matches, s.matches(p, t, f, hits)...)
			last = cursor{f.path, hits[len(hits)-1].line}
			if out.Files++; f.more {
				out.Truncated, out.limitedPerFile = true, s.maxPerFile
			}
		}
		out.Count = len(out.Matches)
	}
	until := ""
	if s.maxResults > 0 && s.total > s.maxResults {
		out.Truncated, until = true, last.path
		if !timedOut { // after a timeout, earlier files may be missing
			out.NextCursor = last.String()
		}
	}
	out.Skipped = t.countSkipped(until)
	return out
}

// count adds the counts of files below a path.
func (o *GrepOut) count(given string, all []FileCount) {
	slices.SortFunc(all, func(a, b FileCount) int { return walk.Compare(a.Path, b.Path) })
	var paths []string
	o.lines, paths = pathLines(given, len(all), func(i int) (path, tail string) {
		return all[i].Path, ":" + strconv.Itoa(all[i].Count)
	})
	for i, path := range paths {
		all[i].Path = path
		o.Count += all[i].Count
	}
	o.Counts, o.Files = all, len(all)
}

// wholeFile is the line of a cursor behind the last line of a file.
const wholeFile = 1 << 30

// matches builds the matches of one file.
func (s *search) matches(p place, t *tree, of fileHits, hits []hit) (all []Match) {
	var around *contextReader
	if s.linesBefore > 0 || s.linesAfter > 0 {
		if f, err := s.reopen(p, t, of.path); err == nil { // without the file there is no context to show
			defer f.Close()
			around = newContextReader(f, of.charset)
		}
	}
	for _, h := range hits {
		m := s.match(h)
		m.Path = displayPath(p.shown, of.path)
		if around != nil {
			m.Before, m.After = around.around(h, s.linesBefore, s.linesAfter)
		}
		all = append(all, m)
	}
	return all
}

// maxText is the longest line in a result, in characters.
const maxText = 300

// match shows a line, or the part of a long line around the match.
func (s *search) match(h hit) Match {
	m := Match{Line: h.line, Before: []string{}, After: []string{}, Column: 1}
	start := h.matchOffset // in multiline mode the exact start
	if !s.multiline {
		start, _ = s.pattern.Place(h.text, h.matchOffset)
	}
	if start < 0 {
		start = min(max(h.matchOffset, 0), len(h.text))
		if !h.partial {
			start = 0
		}
	}
	ahead := utf8.RuneCount(h.text[:start])
	m.Column = h.charsBefore + ahead + 1
	m.Text, m.Lossy = toUTF8(bytes.TrimSuffix(h.text, []byte("\r")))
	m.Text, m.Clipped = clipAround(m.Text, ahead)
	m.Clipped = m.Clipped || h.partial
	return m
}

// toUTF8 replaces invalid UTF-8 with U+FFFD.
func toUTF8(b []byte) (text string, lossy bool) {
	if utf8.Valid(b) {
		return string(b), false
	}
	var t strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		t.WriteRune(r)
		b = b[n:]
	}
	return t.String(), true
}

// clipAround cuts a text to maxText characters. A third of them precede offset at.
func clipAround(text string, at int) (string, bool) {
	if len(text) <= maxText {
		return text, false
	}
	runes := []rune(text)
	if len(runes) <= maxText {
		return text, false
	}
	from := max(0, min(at-maxText/3, len(runes)-maxText))
	return string(runes[from : from+maxText]), true
}

// contextReader reads the lines around matches from a file that was searched.
type contextReader struct {
	at   io.ReaderAt
	size int64
}

func newContextReader(f *os.File, c *charset.Charset) *contextReader {
	var mark [4]byte
	if n, _ := f.ReadAt(mark[:], 0); c != nil || isUTF16(mark[:n]) {
		raw, err := io.ReadAll(bufio.NewReader(io.LimitReader(f, lastBuffer)))
		switch {
		case err == nil && c != nil:
			text := c.Decode(raw).String
			return &contextReader{strings.NewReader(text), int64(len(text))}
		case err == nil && len(raw) >= 2:
			text := decodeUTF16(raw)
			return &contextReader{bytes.NewReader(text), int64(len(text))}
		}
	}
	st, err := f.Stat()
	if err != nil {
		return &contextReader{f, 0}
	}
	return &contextReader{f, st.Size()}
}

// maxAround limits the bytes that are read on each side of a match for its context
// lines.
const maxAround = 64 << 10

// around returns up to before lines above and behind lines below a match.
func (s *contextReader) around(h hit, before, behind int) (above, below []string) {
	above, below = []string{}, []string{}
	from := max(0, h.offset-maxAround)
	lines := bytes.SplitAfter(s.readRange(from, h.offset), []byte("\n"))
	lines = lines[:len(lines)-1] // the last element is the match itself
	for i := max(0, len(lines)-before); i < len(lines); i++ {
		if i == 0 && from > 0 && len(lines) > 1 {
			continue // the line may have begun earlier
		}
		l := lines[i]
		if i == 0 && from > 0 { // the line is longer than maxAround
			l = l[max(0, len(l)-len("\n")-maxText):]
		}
		above = append(above, shownLine(l))
	}
	end := h.offset + int64(h.size) + 1
	rest := s.readRange(end, min(s.size, end+maxAround))
	for l := range bytes.Lines(rest) {
		if len(below) == behind {
			break
		}
		below = append(below, shownLine(l))
	}
	return above, below
}

func (s *contextReader) readRange(from, to int64) []byte {
	if to <= from {
		return nil
	}
	b := make([]byte, to-from)
	n, _ := s.at.ReadAt(b, from) // unreadable context is left out
	return b[:n]
}

func shownLine(l []byte) string {
	text, _ := toUTF8(bytes.TrimSuffix(bytes.TrimSuffix(l, []byte("\n")), []byte("\r")))
	text, _ = clipAround(strings.TrimPrefix(text, "\ufeff"), 0)
	return text
}

// setMessage summarizes the result in one sentence.
func (o *GrepOut) setMessage(env *tools.Env, in GrepIn) {
	switch {
	case o.Files == 0 && o.TimedOut:
		o.summary = env.Localize("Timed out before finding anything for pattern: %s", in.Pattern)
	case o.Files == 0:
		o.summary = env.Localize("No matches found for pattern: %s", in.Pattern)
	case in.FilesWithMatches:
		o.summary = env.Localize("Files with matches: %d", o.Files)
	default:
		o.summary = env.Localize("Matches: %d, in files: %d", o.Count, o.Files)
	}
	o.hint = hintText(env, o.AlsoIn)
	switch {
	case o.hint != "":
		o.Message = o.summary + " (" + o.hint + ")"
	case o.TimedOut && o.Files > 0:
		o.Message = o.summary + env.Localize("; timed out before the search was complete")
	case o.NextCursor == "" && o.limitedPerFile > 0:
		o.Message = o.summary + env.Localize("; some files have more than %d", o.limitedPerFile)
	case o.Truncated && o.Files > 0:
		o.Message = o.summary + env.Localize("; continue with cursor to see more")
	default:
		o.Message = o.summary
	}
}

// hintText describes matches in skipped files.
func hintText(env *tools.Env, also map[string]AlsoIn) string {
	names := map[string]tools.Text{
		"ignored":  "ignored files that match: %d, e.g. %s; use no_ignore",
		"hidden":   "hidden files that match: %d, e.g. %s; use hidden",
		"encoding": "files in another encoding that match: %d, e.g. %s; use encoding",
		"binary":   "binary files that match: %d, e.g. %s",
	}
	var texts []string
	for _, name := range []string{"ignored", "hidden", "binary", "encoding"} {
		if a, ok := also[name]; ok {
			texts = append(texts, env.Localize(names[name], a.Files, a.First))
		}
	}
	return strings.Join(texts, "; ")
}

// Text returns one line per match, as the specification requires. Context lines
// have dashes instead of colons, as in grep.
func (o GrepOut) Text(env *tools.Env) string {
	if o.Files == 0 {
		return strings.TrimSuffix(o.summary+"\n"+o.hint, "\n")
	}
	if o.Counts != nil {
		if o.TimedOut {
			return o.lines + "..."
		}
		return strings.TrimSuffix(o.lines, "\n")
	}
	lines := slices.Clone(o.Paths)
	lines = append(lines, o.matchLines()...)
	switch {
	case o.TimedOut:
		lines = append(lines, env.Localize("... (timed out)"))
	case o.NextCursor == "" && o.limitedPerFile > 0:
		lines = append(lines, env.Localize("... (truncated at %d results in a file)", o.limitedPerFile))
	case o.Truncated:
		lines = append(lines, env.Localize("... (truncated at %d results)", o.Count))
	}
	return strings.Join(lines, "\n")
}

// matchLines returns the matches with their context, each line once.
func (o GrepOut) matchLines() (lines []string) {
	path, done := "", 0 // the last line written
	around := slices.ContainsFunc(o.Matches, func(m Match) bool { return len(m.Before)+len(m.After) > 0 })
	isMatch := map[string]bool{}
	key := func(path string, line int) string { return fmt.Sprintf("%s:%d", path, line) }
	for _, m := range o.Matches {
		isMatch[key(m.Path, m.Line)] = true
	}
	for i, m := range o.Matches {
		if m.Path != path {
			path, done = m.Path, 0
		}
		first := m.Line - len(m.Before)
		if around && i > 0 && first > done+1 || around && i > 0 && done == 0 {
			lines = append(lines, "--")
		}
		for j, text := range m.Before {
			if n := first + j; n > done {
				lines = append(lines, fmt.Sprintf("%s-%d- %s", m.Path, n, text))
			}
		}
		for j, text := range strings.Split(m.Text, "\n") {
			lines = append(lines, fmt.Sprintf("%s:%d: %s", m.Path, m.Line+j, strings.TrimRight(text, " \t\r")))
			done = m.Line + j
		}
		for _, text := range m.After {
			if isMatch[key(m.Path, done+1)] {
				break
			}
			done++
			lines = append(lines, fmt.Sprintf("%s-%d- %s", m.Path, done, text))
		}
	}
	return lines
}

// hasUpper reports whether an expression contains an upper case letter to match.
// Classes such as \S or \pL do not count.
func hasUpper(expressions []string, fixed bool) bool {
	for _, e := range expressions {
		if fixed {
			if strings.ContainsFunc(e, unicode.IsUpper) {
				return true
			}
			continue
		}
		if re, err := syntax.Parse(e, syntax.Perl); err == nil && hasUpperLiteral(re) {
			return true
		}
	}
	return false
}

func hasUpperLiteral(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 && slices.ContainsFunc(re.Rune, unicode.IsUpper) {
			return true
		}
	case syntax.OpCharClass:
		// [A-Z] counts, [^a] and \w do not.
		if len(re.Rune) > 0 && re.Rune[len(re.Rune)-1] <= 'Z' && slices.ContainsFunc(re.Rune, unicode.IsUpper) {
			return true
		}
	}
	return slices.ContainsFunc(re.Sub, hasUpperLiteral)
}

// patternProblem describes an invalid expression and suggests another one.
func patternProblem(env *tools.Env, expressions []string, e *pattern.Error) (d tools.Detail, where string) {
	d = tools.Detail{Path: "/pattern"}
	if e.Index > 0 {
		d.Path = fmt.Sprintf("/patterns/%d", e.Index-1)
	}
	source := expressions[e.Index]
	at := characters(source[:min(e.Offset, len(source))]) + 1
	where = env.Localize("%[1]s: %[2]q at character %[3]d", patternReason(env, e), e.Part, at)
	d.Message = env.Localize("is not a valid regular expression: %s", where)
	switch e.Kind {
	case pattern.LookAround:
		d.Hint = env.Localize("RE2 has no look-around. Match the surrounding text too, e.g. foo(bar) for " +
			"foo(?=bar), or filter the result with a second search; use --word for whole words")
	case pattern.BackReference:
		d.Hint = env.Localize(`RE2 has no back-references. Write out the alternatives, e.g. 'a'|"a" for (['"])a\1`)
	case pattern.Possessive:
		d.Hint = env.Localize("RE2 never backtracks, so write a+ for a++, and (?:a) for (?>a)")
	case pattern.Newline:
		d.Hint = env.Localize("Use --multiline")
	case pattern.TooLarge:
		d.Hint = env.Localize("Shorten it or use smaller repetitions")
	default:
		d.Hint = env.Localize("For plain text use --fixed-strings")
	}
	return d, where
}

func patternReason(env *tools.Env, e *pattern.Error) string {
	switch e.Kind {
	case pattern.Newline:
		return env.Localize("a search by line cannot match line ends")
	case pattern.TooLarge:
		return env.Localize("too large")
	}
	return env.RegexpReason(syntax.ErrorCode(e.Reason))
}
