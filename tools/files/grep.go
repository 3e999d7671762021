package files

import (
	"cmp"
	"context"
	"errors"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"techo/internal/pattern"
	"techo/internal/walk"
	"techo/tools"
)

// Grep finds lines in files.
var Grep = tools.Define(tools.Tool{
	Name:    "grep",
	Command: "grep",
	About:   tools.Say{EN: "Search for a pattern in files using regular expressions", JA: "正規表現でファイルの中を検索する"},
	More: tools.Say{
		EN: "RE2 syntax, line by line; \\w, \\d, \\s and \\b are ASCII. Matches come in the order of their paths, the same on every run. " +
			"What .gitignore (in a repository) and .ignore name, hidden and binary files are passed over, and counted in skipped; " +
			"when nothing is found, also_in tells whether they would have matched. Links are not followed. column counts characters from 1.",
		JA: "RE2 の構文で行ごとに検索する（\\w \\d \\s \\b は ASCII）。結果はパス順で、毎回同じ。" +
			".gitignore（リポジトリ内）と .ignore の対象、隠しファイル、バイナリは除外し、skipped に数える。何も見つからない時は、それらに一致があるかを also_in に示す。" +
			"シンボリックリンクはたどらない。column は 1 から数えた文字位置。",
	},
	Effect:    tools.Reads,
	Forbidden: forbiddenPath,
	Words:     []string{"pattern", "path"},
	Examples: []tools.Example{
		{Does: tools.Say{EN: "Find a word in the sources of a folder", JA: "フォルダ内のソースから語を探す"}, Line: `grep "func main" . --include "*.go"`},
		{Does: tools.Say{EN: "Find either of two words, in any case, with two lines around", JA: "2つの語のどちらかを、大文字小文字を区別せず前後2行と共に探す"}, Line: `grep "TODO|FIXME" --ignore-case --context 2`},
		{Does: tools.Say{EN: "Count plain text in each file, for a person", JA: "文字列の出現行数をファイルごとに数える"}, Line: `grep "a(b" --fixed-strings --count -o text`},
	},
}, grep)

// GrepIn is the input of grep.
type GrepIn struct {
	Pattern          string   `json:"pattern" min:"1" en:"Regular expression to search for" ja:"検索する正規表現"`
	Path             string   `json:"path" default:"." min:"1" en:"Folder or file to search in" ja:"検索するフォルダまたはファイル"`
	Patterns         []string `json:"patterns,omitempty" min:"1" en:"More expressions, any of which may match" ja:"追加の正規表現（いずれかに一致）"`
	Include          string   `json:"include,omitempty" en:"Only files that match this glob, e.g. *.py or src/**/*.{ts,tsx}" ja:"対象とするファイルの glob（例: *.py、src/**/*.{ts,tsx}）"`
	Exclude          string   `json:"exclude,omitempty" en:"No files and folders that match this glob" ja:"除外するファイルやフォルダの glob"`
	MaxResults       int      `json:"max_results" default:"50" min:"1" max:"1000" en:"Maximum number of results to return" ja:"返す結果の最大件数"`
	MaxPerFile       int      `json:"max_per_file,omitempty" min:"1" en:"Maximum number of results from one file" ja:"1ファイルあたりの最大件数"`
	Cursor           string   `json:"cursor,omitempty" en:"Go on behind this place: next_cursor of the result before" ja:"続きから検索する位置（前回の next_cursor）"`
	IgnoreCase       bool     `json:"ignore_case,omitempty" en:"Upper and lower case are the same" ja:"大文字と小文字を区別しない"`
	SmartCase        bool     `json:"smart_case,omitempty" en:"Ignore case, unless the pattern has upper case" ja:"パターンに大文字がなければ区別しない"`
	FixedStrings     bool     `json:"fixed_strings,omitempty" en:"The patterns are plain text" ja:"パターンを正規表現でなく文字列とみなす"`
	Word             bool     `json:"word,omitempty" en:"Match whole words only" ja:"単語全体に一致するものだけ"`
	Multiline        bool     `json:"multiline,omitempty" en:"A match may go over the ends of lines; (?s) lets a dot do so" ja:"行をまたいで一致させる（ドットも改行に一致させるには (?s)）"`
	Context          int      `json:"context,omitempty" min:"0" max:"100" en:"Lines to show before and after each match" ja:"一致の前後に示す行数"`
	Before           int      `json:"before,omitempty" min:"0" max:"100" en:"Lines to show before each match" ja:"一致の前に示す行数"`
	After            int      `json:"after,omitempty" min:"0" max:"100" en:"Lines to show after each match" ja:"一致の後に示す行数"`
	FilesWithMatches bool     `json:"files_with_matches,omitempty" en:"Return only the paths of files with matches" ja:"一致のあるファイルのパスだけを返す"`
	Count            bool     `json:"count,omitempty" en:"Return only how many lines match in each file, of all files" ja:"ファイルごとの一致行数だけを返す（全ファイル）"`
	Hidden           bool     `json:"hidden,omitempty" en:"Also hidden files and folders" ja:"隠しファイルと隠しフォルダも対象にする"`
	NoIgnore         bool     `json:"no_ignore,omitempty" en:"Also what .gitignore and .ignore name" ja:".gitignore と .ignore の対象も検索する"`
	Encoding         string   `json:"encoding,omitempty" enum:"auto,shift_jis,euc-jp,gb18030,big5,euc-kr,windows-1252" en:"In which encoding the files are that are not in UTF-8 or UTF-16; auto finds out" ja:"UTF-8・UTF-16 でないファイルの文字コード（auto: 自動判定）"`
	Type             string   `json:"type,omitempty" en:"Only files of this type, e.g. go, py, js, ts, rust, java, md" ja:"ファイルの種類（例: go、py、js、ts、rust、java、md）"`
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

	said, also string // the message, and what it adds of also_in
	lines      string // the counts, for a person
	perFile    int    // so many of a file, which has more; 0 when all are there
}

// Match is a line that matches, or the lines of one match in multiline mode.
type Match struct {
	Path    string   `json:"path"`
	Line    int      `json:"line"`
	Column  int      `json:"column"` // characters, from 1
	Text    string   `json:"text"`
	Before  []string `json:"before"`
	After   []string `json:"after"`
	Clipped bool     `json:"clipped,omitempty"` // the text is a part of a longer line
	Lossy   bool     `json:"lossy,omitempty"`   // bytes that are not UTF-8 were replaced
}

// FileCount is how many lines of a file match.
type FileCount struct {
	Path  string `json:"path"`
	Count int    `json:"count"`
}

// AlsoIn are files that were passed over and would have matched.
type AlsoIn struct {
	Files   int    `json:"files"`
	First   string `json:"first"`
	Partial bool   `json:"partial,omitempty"` // there was no time to look at all
}

// Outcome ends the process as a timeout does, with what was found in time.
func (o GrepOut) Outcome() tools.Code {
	if o.TimedOut {
		return tools.Timeout
	}
	return ""
}

// usualLine is how long most lines are at most, in bytes.
const usualLine = 100

func grep(ctx context.Context, env *tools.Env, in GrepIn) (out GrepOut, err error) {
	began := time.Now()
	s, err := newSearch(env, in)
	if err != nil {
		return out, err
	}
	p, st, err := start(env, in.Path)
	if err != nil {
		return out, err
	}
	var t *tree
	if st.IsDir() {
		t, err = openTree(env, p, in.Hidden, in.NoIgnore)
		if err != nil {
			return out, err
		}
		defer t.root.Close()
		if s.after.line > 0 && s.after.path == "" {
			return out, invalid(env, "/cursor", wrongCursor)
		}
		t.after = s.after.path
		s.selected.narrow(t)
		s.goThrough(ctx, t)
	} else {
		t = &tree{}
		err = s.single(ctx, p, t)
	}
	if err == nil {
		err = t.started
	}
	if err != nil {
		return out, fault(env, in.Path, err)
	}
	late, err := timedOut(ctx)
	if err != nil {
		return out, err
	}
	makeRoom(in.MaxResults * (s.before + s.behind) * usualLine)
	out = s.result(p, t, late)
	if out.Files == 0 && !late && in.Cursor == "" {
		took := time.Since(began)
		ctx, stop := context.WithTimeout(ctx, lookFor(took))
		defer stop()
		s.lookAgain(ctx, p, t, out.AlsoIn)
		if in.Encoding == "" && took < quick && !isASCII(in.expressions()) {
			s.lookEncoded(ctx, env, in, p, out.AlsoIn)
		}
	}
	out.say(env, in)
	makeRoom(len(out.lines))
	return out, nil
}

func (in GrepIn) expressions() []string { return append([]string{in.Pattern}, in.Patterns...) }

// isASCII reports whether texts are the same in all encodings.
func isASCII(texts []string) bool {
	return !slices.ContainsFunc(texts, func(t string) bool {
		return strings.ContainsFunc(t, func(r rune) bool { return r >= utf8.RuneSelf })
	})
}

// newSearch reads the patterns and what else is asked for, and refuses all
// faults at once.
func newSearch(env *tools.Env, in GrepIn) (*search, error) {
	var wrong []tools.Detail
	s := &search{encoding: in.Encoding, most: in.MaxResults, perFile: in.MaxPerFile, before: cmp.Or(in.Before, in.Context), behind: cmp.Or(in.After, in.Context)}
	switch {
	case in.Count && in.FilesWithMatches:
		wrong = append(wrong, tools.Detail{Path: "/count", Message: env.Say(tools.Say{EN: "cannot be given together with files_with_matches", JA: "files_with_matches と同時に指定できません"})})
	case in.Count:
		s.mode, s.most, s.perFile = onlyCounts, 0, 0
	case in.FilesWithMatches:
		s.mode = onlyFiles
	}
	expressions := in.expressions()
	fold := in.IgnoreCase || in.SmartCase && !hasUpper(expressions, in.FixedStrings)
	var where string // the pattern is wrong
	var err error
	s.pattern, err = pattern.Compile(expressions, pattern.Options{IgnoreCase: fold, Fixed: in.FixedStrings, Word: in.Word, Multiline: in.Multiline})
	var broken *pattern.Error
	if errors.As(err, &broken) {
		d, at := patternFault(env, expressions, broken)
		wrong, where = append(wrong, d), at
	} else if err != nil {
		return nil, err
	} else {
		s.multiline = s.pattern.Multiline()
	}
	s.selected = selectFiles(env, in.Include, in.Exclude, in.Type, &wrong)
	if s.after, err = readCursor(in.Cursor); err != nil {
		wrong = append(wrong, tools.Detail{Path: "/cursor", Message: env.Say(wrongCursor)})
	}
	if len(wrong) == 0 {
		return s, nil
	}
	e := faults(env, wrong)
	e.Hint = wrong[0].Hint
	if broken != nil && len(wrong) == 1 { // the sentence of the specification
		e.Message = env.Say(tools.Say{EN: "Invalid regex pattern: %s", JA: "正規表現が正しくありません: %s"}, where)
	}
	return nil, e
}

var wrongCursor = tools.Say{EN: "must be the next_cursor of a result", JA: "結果の next_cursor を指定してください"}

// cursor is a place in the results.
type cursor struct {
	path string // below the start
	line int
}

func (c cursor) String() string { return c.path + ":" + strconv.Itoa(c.line) }

func readCursor(text string) (c cursor, err error) {
	if text == "" {
		return c, nil
	}
	at := strings.LastIndexByte(text, ':')
	if at < 0 {
		return c, strconv.ErrSyntax
	}
	c.path = text[:at]
	c.line, err = strconv.Atoi(text[at+1:])
	if c.line < 0 {
		err = strconv.ErrRange
	}
	return c, err
}

// goThrough searches a tree.
func (s *search) goThrough(ctx context.Context, t *tree) {
	workers := max(8, 2*runtime.GOMAXPROCS(0)) // more than processors: some wait for the disk
	s.searchers = append(s.searchers, make([]*searcher, max(0, workers-len(s.searchers)))...)
	w := walk.New(walk.Options{
		Workers: workers, Enter: t.enter, Failed: t.failed, Lasting: saveMemory,
		Visit: func(worker int, f *walk.Folder, e walk.Entry) { s.searcher(ctx, t, worker).visit(f, e) },
	})
	s.limit = w.Limit
	w.Run(ctx, t.root)
}

// single searches one file, whatever it is called.
func (s *search) single(ctx context.Context, p place, t *tree) error {
	f, err := p.open()
	if err != nil {
		return err
	}
	defer f.Close()
	s.limit = func(string) {}
	s.searchOne(ctx, t, f, s.after.line)
	return nil
}

// searchOne searches an open file, of which so many lines are known.
func (s *search) searchOne(ctx context.Context, t *tree, f *os.File, past int) {
	if len(s.searchers) == 0 {
		s.searchers = make([]*searcher, 1)
	}
	one := s.searcher(ctx, t, 0)
	one.past = past
	one.report("", one.read(f))
}

// reopen opens a file that was searched.
func (s *search) reopen(p place, t *tree, path string) (*os.File, error) {
	if t.root == nil {
		return p.open()
	}
	return t.root.OpenFile(path, os.O_RDONLY|noWait, 0)
}
