package search

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"techo/internal/charset"
	"techo/internal/pattern"
	"techo/internal/walk"
	"techo/tools"
	"techo/tools/files/paths"
)

func (s *lineSearch) result(p paths.Place, t *tree, timedOut bool) GrepOut {
	out := GrepOut{Matches: []Match{}, AlsoIn: map[string]AlsoIn{}, TimedOut: timedOut, Truncated: timedOut}
	last, more := cursor{}, false
	s.searchers, s.spare = nil, nil // free their buffers before building the answer
	switch s.mode {
	case modeCounts:
		if s.counts == nil {
			s.counts = []FileCount{}
		}
		out.count(p.Shown, s.counts)
	case modeFiles, modeWithout:
		out.Paths = []string{}
		for _, f := range s.found[:min(len(s.found), s.maxResults)] {
			out.Paths = append(out.Paths, displayPath(p.Shown, f.path))
			last = cursor{path: f.path, line: wholeFile}
		}
		out.Count, out.Files = len(out.Paths), len(out.Paths)
	default:
		last, more = addMatches(&out, s, p, t)
	}
	until := ""
	if more || s.maxResults > 0 && s.total > s.maxResults {
		out.Truncated, until = true, last.path
		if !timedOut { // after a timeout, earlier files may be missing
			out.NextCursor = last.String()
		}
	}
	out.Skipped = t.countSkipped(until)
	return out
}

// addMatches adds the matches of all files. It returns the place of the last one, and
// whether some were left out.
func addMatches(out *GrepOut, s *lineSearch, p paths.Place, t *tree) (last cursor, more bool) {
	for _, f := range s.found {
		room := s.maxResults - len(out.Matches)
		if room <= 0 {
			more = true
			break
		}
		hits := f.hits[:min(len(f.hits), room)]
		out.Matches = append(out.Matches, s.matches(p, t, f, hits)...)
		last = cursor{path: f.path, line: hits[len(hits)-1].line}
		if out.Files++; f.more {
			out.Truncated, out.limitedPerFile = true, s.maxPerFile
		}
	}
	if n := len(out.Matches) - s.maxResults; n > 0 { // of the last file, with only_matching
		last, more = cursorBefore(out.Matches, n, last, s.after), true
		out.Matches = out.Matches[:s.maxResults]
	}
	out.Count = len(out.Matches)
	return last, more
}

// cursorBefore returns the cursor in front of the last n matches, all of which are in one
// file.
func cursorBefore(all []Match, n int, last, after cursor) cursor {
	kept := all[len(all)-n-1]
	if all[len(all)-n].Line != kept.Line || all[len(all)-n].Path != kept.Path {
		return cursor{path: last.path, line: kept.Line}
	}
	first := slices.IndexFunc(all, func(m Match) bool { return m.Path == kept.Path && m.Line == kept.Line })
	part := len(all) - n - first
	if after.part > 0 && after.line == kept.Line && after.path == last.path {
		part += after.part
	}
	return cursor{last.path, kept.Line, part}
}

// count adds the counts of files below a path.
func (o *GrepOut) count(given string, all []FileCount) {
	slices.SortFunc(all, func(a, b FileCount) int { return walk.Compare(a.Path, b.Path) })
	for i := range all {
		all[i].Path = displayPath(given, all[i].Path)
		o.Count += all[i].Count
	}
	o.Counts, o.Files = all, len(all)
}

func (s *lineSearch) matches(p paths.Place, t *tree, of fileHits, hits []hit) (all []Match) {
	var around *contextReader
	if s.linesBefore > 0 || s.linesAfter > 0 {
		if f, err := s.reopen(p, t, of.path); err == nil { // without the file there is no context to show
			defer f.Close()
			around = newContextReader(f, of.charset)
		}
	}
	shown := displayPath(p.Shown, of.path)
	for _, h := range hits {
		found := []Match{s.match(h)}
		if s.onlyMatching {
			found = parts(s.pattern, h)
			if s.after.part > 0 && h.line == s.after.line && of.path == s.after.path {
				found = found[min(s.after.part, len(found)):]
			}
		}
		for i := range found {
			m := &found[i]
			m.Path = shown
			if around != nil {
				m.Before, m.After = around.around(h, s.linesBefore, s.linesAfter)
			}
		}
		all = append(all, found...)
	}
	return all
}

// parts returns each match of a line, or of the lines of a multiline match.
func parts(p *pattern.Pattern, h hit) (all []Match) {
	// A line may have a match at each character: what lies between two matches is read once.
	line, column, read := h.line, h.charsBefore+1, 0
	for _, place := range p.Places(h.text) {
		between := h.text[read:place[0]]
		if last := bytes.LastIndexByte(between, '\n'); last >= 0 {
			line += bytes.Count(between, []byte("\n"))
			column, between = 1, between[last+1:]
		}
		column += utf8.RuneCount(between)
		read = place[0]
		m := Match{Line: line, Column: column, Before: []string{}, After: []string{}, Clipped: h.partial}
		match := h.text[place[0]:place[1]]
		if place[1] == len(h.text) || h.text[place[1]] == '\n' {
			match = bytes.TrimSuffix(match, []byte("\r"))
		}
		m.Text, m.Lossy = toUTF8(match)
		m.Normalized = p.InOtherForm(h.text[place[0]:place[1]])
		all = append(all, m)
	}
	return all
}

// maxText is the longest line in a result, in characters.
const maxText = 300

// match shows a line, or the part of a long line around the match.
func (s *lineSearch) match(h hit) Match {
	m := Match{Line: h.line, Before: []string{}, After: []string{}, Column: 1}
	start := h.matchOffset // the exact start, in multiline mode and for part of a line
	if !s.multiline && !h.partial && !s.invert {
		start, _ = s.pattern.Place(h.text, h.matchOffset)
	}
	m.Normalized = !s.invert && s.pattern.InOtherForm(h.text)
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
	return string([]rune(string(b))), true
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

func (o *GrepOut) setMessage(env *tools.Env, in GrepIn) {
	switch {
	case o.Files == 0 && o.TimedOut:
		o.summary = env.Localize("Timed out before finding anything for pattern: %s", in.Pattern)
	case o.Files == 0:
		o.summary = env.Localize("No matches found for pattern: %s", in.Pattern)
	case in.FilesWithMatches:
		o.summary = env.Localize("Files with matches: %d", o.Files)
	case in.FilesWithout:
		o.summary = env.Localize("Files without a match: %d", o.Files)
	default:
		o.summary = env.Localize("Matches: %d, in files: %d", o.Count, o.Files)
	}
	if n := o.otherForms(); n > 0 {
		o.summary += env.Localize("; in another Unicode form (NFC or NFD): %d", n)
	}
	unread := ""
	if o.unread {
		unread = env.Localize("stdin was not searched; for that, the path is -")
	}
	if o.Files == 0 && o.unread {
		o.notes, unread = append(o.notes, unread), ""
	}
	o.hint = hintText(env, o.AlsoIn, o.notes...)
	switch {
	case o.hint != "":
		o.Message = o.summary + " (" + o.hint + ")"
	case o.TimedOut && o.Files > 0:
		o.Message = o.summary + env.Localize("; timed out before the search was complete")
	case o.NextCursor == "" && o.limitedPerFile > 0:
		o.Message = o.summary + env.Localize("; some files have more than %d", o.limitedPerFile)
	case o.Truncated && o.Files > 0:
		o.Message = o.summary + env.Hint("; continue with %s to see more", tools.Field("cursor"))
	default:
		o.Message = o.summary
	}
	if unread != "" {
		o.Message += "; " + unread
	}
}

// otherForms counts the matches in the other Unicode form.
func (o *GrepOut) otherForms() (n int) {
	for _, m := range o.Matches {
		if m.Normalized {
			n++
		}
	}
	return n
}

// hintText joins notes, and describes matches in skipped files.
func hintText(env *tools.Env, also map[string]AlsoIn, notes ...string) string {
	texts := slices.Clone(notes)
	add := func(reason string, text tools.Text, way ...any) {
		if a, ok := also[reason]; ok {
			texts = append(texts, env.Hint(text, append([]any{a.Files, a.First}, way...)...))
		}
	}
	add("ignored", "ignored files that match: %d, e.g. %s; use %s", tools.Field("no_ignore"))
	add("hidden", "hidden files that match: %d, e.g. %s; use %s", tools.Field("hidden"))
	add("binary", "binary files that match: %d, e.g. %s")
	add("encoding", "files in another encoding that match: %d, e.g. %s; use %s", tools.Field("encoding"))
	return strings.Join(texts, "; ")
}

// Text returns one line per match, as the specification requires. Context lines
// have dashes instead of colons, as in grep.
func (o GrepOut) Text(env *tools.Env) string {
	if o.Files == 0 {
		return strings.TrimSuffix(o.summary+"\n"+o.hint, "\n")
	}
	var lines []string
	for _, c := range o.Counts {
		lines = append(lines, fmt.Sprintf("%s:%d", paths.ShowLine(c.Path), c.Count))
	}
	for _, path := range o.Paths {
		lines = append(lines, paths.ShowLine(path))
	}
	lines = append(lines, o.matchLines()...)
	switch {
	case o.TimedOut && o.Counts != nil:
		lines = append(lines, "...")
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
	path, shown, done := "", "", 0 // the last line written
	around := slices.ContainsFunc(o.Matches, func(m Match) bool { return len(m.Before)+len(m.After) > 0 })
	isMatch := map[string]bool{}
	key := func(path string, line int) string { return fmt.Sprintf("%s:%d", path, line) }
	for _, m := range o.Matches {
		isMatch[key(m.Path, m.Line)] = true
	}
	for i, m := range o.Matches {
		if m.Path != path {
			path, done = m.Path, 0
			shown = paths.ShowLine(path)
		}
		first := m.Line - len(m.Before)
		if around && i > 0 && first > done+1 || around && i > 0 && done == 0 {
			lines = append(lines, "--")
		}
		for j, text := range m.Before {
			if n := first + j; n > done {
				lines = append(lines, fmt.Sprintf("%s-%d- %s", shown, n, text))
			}
		}
		for j, text := range strings.Split(m.Text, "\n") {
			lines = append(lines, fmt.Sprintf("%s:%d: %s", shown, m.Line+j, strings.TrimRight(text, " \t\r")))
			done = m.Line + j
		}
		for _, text := range m.After {
			if isMatch[key(m.Path, done+1)] {
				break
			}
			done++
			lines = append(lines, fmt.Sprintf("%s-%d- %s", shown, done, text))
		}
	}
	return lines
}

// newHit copies a matching line, or at most the given number of bytes around the
// match.
func newHit(line []byte, inside, most int) hit {
	h := hit{size: len(line), matchOffset: inside}
	if len(line) <= most {
		h.text = bytes.Clone(line)
		return h
	}
	from := max(0, min(inside-most/2, len(line)-most))
	for from > 0 && !utf8.RuneStart(line[from]) {
		from--
	}
	h.text, h.partial, h.matchOffset = bytes.Clone(line[from:min(len(line), from+most)]), true, inside-from
	h.charsBefore = utf8.RuneCount(line[:from])
	return h
}

// add adds the results of a file. Once there are enough, it stops the walk behind
// the last path that is needed.
func (s *lineSearch) add(f fileHits) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mode == modeCounts {
		s.counts = append(s.counts, FileCount{f.path, f.count})
		return
	}
	at, _ := slices.BinarySearchFunc(s.found, f.path,
		func(f fileHits, path string) int { return walk.Compare(f.path, path) })
	s.found = slices.Insert(s.found, at, f)
	s.total += s.results(f)
	if s.maxResults == 0 || s.total <= s.maxResults {
		return
	}
	sum := 0
	for i, f := range s.found {
		if sum += s.results(f); sum > s.maxResults {
			s.found, s.total = slices.Delete(s.found, i+1, len(s.found)), sum
			s.stopAfter(f.path)
			return
		}
	}
}

// results returns how much a file counts towards the limit.
func (s *lineSearch) results(f fileHits) int {
	if s.mode == modeLines {
		return len(f.hits)
	}
	return 1
}

// contextReader reads the lines around matches from a file that was searched.
type contextReader struct {
	at   io.ReaderAt
	size int64
}

func newContextReader(f content, c *charset.Charset) *contextReader {
	if c != nil {
		if raw, err := io.ReadAll(bufio.NewReader(io.LimitReader(f, lastBuffer))); err == nil {
			text := c.Decode(raw).String
			return &contextReader{strings.NewReader(text), int64(len(text))}
		}
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return &contextReader{f, 0}
	}
	return &contextReader{f, size}
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
