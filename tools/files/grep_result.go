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

// result makes the answer of what was found.
func (s *search) result(p place, t *tree, timedOut bool) GrepOut {
	out := GrepOut{Matches: []Match{}, AlsoIn: map[string]AlsoIn{}, TimedOut: timedOut, Truncated: timedOut}
	last := cursor{}
	s.searchers, s.spare = nil, nil // their memory may be wanted for the answer
	switch s.mode {
	case onlyCounts:
		if s.counts == nil {
			s.counts = []FileCount{}
		}
		out.count(p.shown, s.counts)
	case onlyFiles:
		out.Paths = []string{}
		for _, f := range s.found[:min(len(s.found), s.most)] {
			out.Paths = append(out.Paths, shown(p.shown, f.path))
			last = cursor{f.path, wholeFile}
		}
		out.Count, out.Files = len(out.Paths), len(out.Paths)
	default:
		for _, f := range s.found {
			hits := f.hits[:min(len(f.hits), s.most-len(out.Matches))]
			if len(hits) == 0 {
				break
			}
			out.Matches = append(out.Matches, s.matches(p, t, f, hits)...)
			last = cursor{f.path, hits[len(hits)-1].line}
			if out.Files++; f.more {
				out.Truncated, out.perFile = true, s.perFile
			}
		}
		out.Count = len(out.Matches)
	}
	until := ""
	if s.most > 0 && s.total > s.most {
		out.Truncated, until = true, last.path
		if !timedOut { // else there may be more before it
			out.NextCursor = last.String()
		}
	}
	out.Skipped = t.skipped(until)
	return out
}

// count fills in the counts of files below a path.
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

// wholeFile is the line of a cursor that is past all lines of its file.
const wholeFile = 1 << 30

// matches makes the matches of one file.
func (s *search) matches(p place, t *tree, of fileHits, hits []hit) (all []Match) {
	var around *surroundings
	if s.before > 0 || s.behind > 0 {
		if f, err := s.reopen(p, t, of.path); err == nil { // else there is none to show
			defer f.Close()
			around = newSurroundings(f, of.charset)
		}
	}
	for _, h := range hits {
		m := s.match(h)
		m.Path = shown(p.shown, of.path)
		if around != nil {
			m.Before, m.After = around.of(h, s.before, s.behind)
		}
		all = append(all, m)
	}
	return all
}

// maxText is how much of a line is shown, in characters.
const maxText = 300

// match shows a line, or the part of a long one around the match.
func (s *search) match(h hit) Match {
	m := Match{Line: h.line, Before: []string{}, After: []string{}, Column: 1}
	start := h.inside // in multiline mode that is where it is
	if !s.multiline {
		start, _ = s.pattern.Place(h.view, h.inside)
	}
	if start < 0 {
		start = min(max(h.inside, 0), len(h.view))
		if !h.cut {
			start = 0
		}
	}
	ahead := utf8.RuneCount(h.view[:start])
	m.Column = h.ahead + ahead + 1
	m.Text, m.Lossy = toUTF8(bytes.TrimSuffix(h.view, []byte("\r")))
	m.Text, m.Clipped = clipAround(m.Text, ahead)
	m.Clipped = m.Clipped || h.cut
	return m
}

// toUTF8 replaces what is not UTF-8.
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

// clipAround cuts a text to maxText characters, a third of them before the
// place that matters.
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

// surroundings reads the lines around matches in a file that was searched.
type surroundings struct {
	at   io.ReaderAt
	size int64
}

func newSurroundings(f *os.File, c *charset.Charset) *surroundings {
	var mark [4]byte
	if n, _ := f.ReadAt(mark[:], 0); c != nil || isUTF16(mark[:n]) {
		raw, err := io.ReadAll(bufio.NewReader(io.LimitReader(f, lastBuffer)))
		switch {
		case err == nil && c != nil:
			text := c.Decode(raw).String
			return &surroundings{strings.NewReader(text), int64(len(text))}
		case err == nil && len(raw) >= 2:
			text := decodeUTF16(raw)
			return &surroundings{bytes.NewReader(text), int64(len(text))}
		}
	}
	st, err := f.Stat()
	if err != nil {
		return &surroundings{f, 0}
	}
	return &surroundings{f, st.Size()}
}

// maxAround is how far around a match lines are looked for, in bytes.
const maxAround = 64 << 10

// of returns so many lines before and behind a match, as far as there are any.
func (s *surroundings) of(h hit, before, behind int) (above, below []string) {
	above, below = []string{}, []string{}
	from := max(0, h.offset-maxAround)
	lines := bytes.SplitAfter(s.part(from, h.offset), []byte("\n"))
	lines = lines[:len(lines)-1] // behind the last end there is the match
	for i := max(0, len(lines)-before); i < len(lines); i++ {
		if i == 0 && from > 0 && len(lines) > 1 {
			continue // it may have begun before
		}
		l := lines[i]
		if i == 0 && from > 0 { // it is longer than is looked at
			l = l[max(0, len(l)-len("\n")-maxText):]
		}
		above = append(above, shownLine(l))
	}
	end := h.offset + int64(h.size) + 1
	rest := s.part(end, min(s.size, end+maxAround))
	for l := range bytes.Lines(rest) {
		if len(below) == behind {
			break
		}
		below = append(below, shownLine(l))
	}
	return above, below
}

func (s *surroundings) part(from, to int64) []byte {
	if to <= from {
		return nil
	}
	b := make([]byte, to-from)
	n, _ := s.at.ReadAt(b, from) // what cannot be read any more is not shown
	return b[:n]
}

func shownLine(l []byte) string {
	text, _ := toUTF8(bytes.TrimSuffix(bytes.TrimSuffix(l, []byte("\n")), []byte("\r")))
	text, _ = clipAround(strings.TrimPrefix(text, "\ufeff"), 0)
	return text
}

// say says in one sentence what was found.
func (o *GrepOut) say(env *tools.Env, in GrepIn) {
	switch {
	case o.Files == 0 && o.TimedOut:
		o.said = env.Say(tools.Say{EN: "The time ran out before anything was found for pattern: %s", JA: "何も見つからないうちに時間切れになりました: %s"}, in.Pattern)
	case o.Files == 0:
		o.said = env.Say(tools.Say{EN: "No matches found for pattern: %s", JA: "パターンに一致するものが見つかりませんでした: %s"}, in.Pattern)
	case in.FilesWithMatches:
		o.said = env.Say(tools.Say{EN: "Files with matches: %d", JA: "一致のあるファイル: %d件"}, o.Files)
	default:
		o.said = env.Say(tools.Say{EN: "Matches: %d, in files: %d", JA: "一致: %d件（%dファイル）"}, o.Count, o.Files)
	}
	o.also = alsoText(env, o.AlsoIn)
	switch {
	case o.also != "":
		o.Message = o.said + " (" + o.also + ")"
	case o.TimedOut && o.Files > 0:
		o.Message = o.said + env.Say(tools.Say{EN: "; the time ran out before all was searched", JA: "。時間切れのため、すべては検索していません"})
	case o.NextCursor == "" && o.perFile > 0:
		o.Message = o.said + env.Say(tools.Say{EN: "; there are more than %d in some files", JA: "。%d件を超える一致のあるファイルがあります"}, o.perFile)
	case o.Truncated && o.Files > 0:
		o.Message = o.said + env.Say(tools.Say{EN: "; there are more, go on with cursor", JA: "。続きは cursor で取得できます"})
	default:
		o.Message = o.said
	}
}

// alsoText says where matches were passed over.
func alsoText(env *tools.Env, also map[string]AlsoIn) string {
	names := map[string]tools.Say{
		"ignored":  {EN: "ignored files that match: %d, e.g. %s; see no_ignore", JA: "無視されたファイルに一致あり: %d件（例: %s）。no_ignore を参照"},
		"hidden":   {EN: "hidden files that match: %d, e.g. %s; see hidden", JA: "隠しファイルに一致あり: %d件（例: %s）。hidden を参照"},
		"encoding": {EN: "files in another encoding that match: %d, e.g. %s; see encoding", JA: "別の文字コードのファイルに一致あり: %d件（例: %s）。encoding を参照"},
		"binary":   {EN: "binary files that match: %d, e.g. %s", JA: "バイナリファイルに一致あり: %d件（例: %s）"},
	}
	var texts []string
	for _, name := range []string{"ignored", "hidden", "binary", "encoding"} {
		if a, ok := also[name]; ok {
			texts = append(texts, env.Say(names[name], a.Files, a.First))
		}
	}
	return strings.Join(texts, "; ")
}

// Text writes a line for each match, as the specification has it. Lines around
// a match have dashes for colons, as grep has them.
func (o GrepOut) Text(env *tools.Env) string {
	if o.Files == 0 {
		return strings.TrimSuffix(o.said+"\n"+o.also, "\n")
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
		lines = append(lines, env.Say(tools.Say{EN: "... (the time ran out)", JA: "... (時間切れ)"}))
	case o.NextCursor == "" && o.perFile > 0:
		lines = append(lines, env.Say(tools.Say{EN: "... (truncated at %d results in a file)", JA: "... (1ファイル%d件で打ち切り)"}, o.perFile))
	case o.Truncated:
		lines = append(lines, env.Say(tools.Say{EN: "... (truncated at %d results)", JA: "... (%d件で打ち切り)"}, o.Count))
	}
	return strings.Join(lines, "\n")
}

// matchLines writes matches with the lines around them, each line once.
func (o GrepOut) matchLines() (lines []string) {
	path, done := "", 0 // the line that was written last
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

// hasUpper reports whether the expressions ask for upper case by letter, as
// opposed to \S or \pL.
func hasUpper(expressions []string, fixed bool) bool {
	for _, e := range expressions {
		if fixed {
			if strings.ContainsFunc(e, unicode.IsUpper) {
				return true
			}
			continue
		}
		if re, err := syntax.Parse(e, syntax.Perl); err == nil && upperIn(re) {
			return true
		}
	}
	return false
}

func upperIn(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 && slices.ContainsFunc(re.Rune, unicode.IsUpper) {
			return true
		}
	case syntax.OpCharClass:
		// [A-Z] is asked for by letter, [^a] or \w are not.
		if len(re.Rune) > 0 && re.Rune[len(re.Rune)-1] <= 'Z' && slices.ContainsFunc(re.Rune, unicode.IsUpper) {
			return true
		}
	}
	return slices.ContainsFunc(re.Sub, upperIn)
}

// patternFault says what is wrong with an expression, and how to say it.
func patternFault(env *tools.Env, expressions []string, e *pattern.Error) (d tools.Detail, where string) {
	d = tools.Detail{Path: "/pattern"}
	if e.Index > 0 {
		d.Path = fmt.Sprintf("/patterns/%d", e.Index-1)
	}
	source := expressions[e.Index]
	at := characters(source[:min(e.Offset, len(source))]) + 1
	where = env.Say(tools.Say{EN: "%[1]s: %[2]q at character %[3]d", JA: "%[3]d 文字目の %[2]q（%[1]s）"}, patternReason(env, e), e.Part, at)
	d.Message = env.Say(tools.Say{EN: "is no regular expression: %s", JA: "正規表現として正しくありません: %s"}, where)
	switch e.Kind {
	case pattern.LookAround:
		d.Hint = env.Say(tools.Say{EN: "Look-around is not in RE2. Match what stands around too, e.g. foo(bar) for foo(?=bar), or search for the wanted part and leave out the rest with a second search; --word is for whole words",
			JA: "RE2 に先読み・後読みはありません。foo(?=bar) なら foo(bar) のように前後も含めて書くか、広く検索してから絞り込んでください。単語単位なら --word"})
	case pattern.BackReference:
		d.Hint = env.Say(tools.Say{EN: `Back-references are not in RE2. Write the alternatives out, e.g. 'a'|"a" for (['"])a\1`, JA: `RE2 に後方参照はありません。(['"])a\1 なら 'a'|"a" のように選択肢を並べてください`})
	case pattern.Possessive:
		d.Hint = env.Say(tools.Say{EN: "RE2 never backtracks, so write a+ for a++, and (?:a) for (?>a)", JA: "RE2 はバックトラックしません。a++ は a+、(?>a) は (?:a) と書いてください"})
	case pattern.Newline:
		d.Hint = env.Say(tools.Say{EN: "Use --multiline", JA: "--multiline を付けてください"})
	case pattern.TooLarge:
		d.Hint = env.Say(tools.Say{EN: "Make it shorter, or repeat less", JA: "短くするか、繰り返しを減らしてください"})
	default:
		d.Hint = env.Say(tools.Say{EN: "For plain text use --fixed-strings", JA: "文字列として検索するには --fixed-strings を付けてください"})
	}
	return d, where
}

func patternReason(env *tools.Env, e *pattern.Error) string {
	switch e.Kind {
	case pattern.Newline:
		return env.Say(tools.Say{EN: "a search line by line finds no end of line", JA: "行ごとの検索では改行に一致しません"})
	case pattern.TooLarge:
		return env.Say(tools.Say{EN: "too large", JA: "大きすぎます"})
	}
	return e.Reason
}
