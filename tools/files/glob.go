package files

import (
	"cmp"
	"context"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"techo/internal/walk"
	"techo/tools"
)

// Glob finds files by their names.
var Glob = tools.Define(tools.Tool{
	Name:    "glob",
	Command: "fs glob",
	About:   tools.Say{EN: "Find files matching a glob pattern", JA: "glob パターンに一致するファイルを探す"},
	More: tools.Say{
		EN: "* and ? stay within one name, ** is any number of folders, [ab] and {a,b} are choices: **/*.py for all Python files. " +
			"What .gitignore (in a repository) and .ignore name and hidden files are passed over and counted in skipped; what the pattern names itself is not. " +
			"Links are not followed. total is how many there are in all.",
		JA: "* と ? は1つの名前の中、** は任意の数のフォルダ、[ab] と {a,b} は選択肢（例: **/*.py ですべての Python ファイル）。" +
			".gitignore（リポジトリ内）と .ignore の対象、隠しファイルは除外し、skipped に数える。パターンに名前を書いたフォルダは除外しない。" +
			"シンボリックリンクはたどらない。total は全件数。",
	},
	Effect:    tools.Reads,
	Forbidden: forbiddenPath,
	Words:     []string{"pattern", "path"},
	Examples: []tools.Example{
		{Does: tools.Say{EN: "All Go files", JA: "すべての Go ファイル"}, Line: `fs glob "**/*.go"`},
		{Does: tools.Say{EN: "What changed last, for a person", JA: "最近変更されたものから"}, Line: `fs glob "**" --sort modified --limit 10 -o text`},
	},
}, findFiles)

// GlobIn is the input of glob.
type GlobIn struct {
	Pattern  string `json:"pattern" min:"1" en:"Glob pattern, e.g. **/*.py for all Python files" ja:"glob パターン（例: **/*.py）"`
	Path     string `json:"path" default:"." min:"1" en:"Base folder to search from" ja:"検索を始めるフォルダ"`
	Limit    int    `json:"limit" default:"100" min:"1" max:"100000" en:"How many paths to return" ja:"返すパスの最大件数"`
	Sort     string `json:"sort" default:"path" enum:"path,modified" en:"By path, or the latest change first" ja:"並び順（path: パス順、modified: 更新の新しい順）"`
	Dirs     bool   `json:"dirs,omitempty" en:"Folders too" ja:"フォルダも含める"`
	Hidden   bool   `json:"hidden,omitempty" en:"Also hidden files and folders" ja:"隠しファイルと隠しフォルダも対象にする"`
	NoIgnore bool   `json:"no_ignore,omitempty" en:"Also what .gitignore and .ignore name" ja:".gitignore と .ignore の対象も含める"`
}

// GlobOut is the result of glob.
type GlobOut struct {
	Paths     []string          `json:"paths"`
	Count     int               `json:"count"`
	Total     int               `json:"total"`
	Truncated bool              `json:"truncated"`
	TimedOut  bool              `json:"timed_out"`
	Skipped   GlobSkipped       `json:"skipped"`
	AlsoIn    map[string]AlsoIn `json:"also_in"`
	Message   string            `json:"message"`

	said, also string // the message, and what it adds of also_in
	lines      string // the paths, of which they are parts
}

// GlobSkipped counts what was passed over; a folder counts once.
type GlobSkipped struct {
	Ignored    int `json:"ignored"`
	Hidden     int `json:"hidden"`
	Unreadable int `json:"unreadable"`
}

// Outcome ends the process as a timeout does, with what was found in time.
func (o GlobOut) Outcome() tools.Code { return GrepOut{TimedOut: o.TimedOut}.Outcome() }

// Text writes a path on each line, as the specification has it.
func (o GlobOut) Text(env *tools.Env) string {
	if len(o.Paths) == 0 {
		return strings.TrimSuffix(o.said+"\n"+o.also, "\n")
	}
	text := o.lines
	if more := o.Total - o.Count; more > 0 {
		text += env.Say(tools.Say{EN: "... and %d more files", JA: "... 他 %d 件"}, more) + "\n"
	}
	if o.TimedOut {
		text += env.Say(tools.Say{EN: "... (the time ran out)", JA: "... (時間切れ)"})
	}
	return strings.TrimSuffix(text, "\n")
}

func findFiles(ctx context.Context, env *tools.Env, in GlobIn) (out GlobOut, err error) {
	base, rest := doublestar.SplitPattern(filepath.ToSlash(in.Pattern))
	g, at := newGlob(rest, false)
	if at >= 0 || !doublestar.ValidatePattern(in.Pattern) {
		fault := globFault(env, "pattern", in.Pattern, brokenAt(in.Pattern))
		e := faults(env, []tools.Detail{fault})
		e.Hint = fault.Hint
		return out, e
	}
	if _, _, err := start(env, in.Path); err != nil {
		return out, err
	}
	given := in.Path
	if base != "." {
		given = path.Join(filepath.ToSlash(in.Path), base)
	}
	if filepath.IsAbs(base) || path.IsAbs(base) {
		given = base
	}
	out = GlobOut{Paths: []string{}, AlsoIn: map[string]AlsoIn{}}
	p, st, err := start(env, given)
	switch {
	case isMissing(err) && given != in.Path, err == nil && !st.IsDir():
		out.say(env, in)
		return out, nil // what it names itself is not there
	case err != nil:
		return out, err
	}
	t, err := openTree(env, p, in.Hidden, in.NoIgnore)
	if err != nil {
		return out, err
	}
	defer t.root.Close()
	s, began := newNaming(in, g, rest), time.Now()
	s.goThrough(ctx, t)
	if t.started != nil {
		return out, fault(env, given, t.started)
	}
	if out.TimedOut, err = timedOut(ctx); err != nil {
		return out, err
	}
	s.fill(&out, p.shown)
	skipped := t.skipped("")
	out.Skipped = GlobSkipped{skipped.Ignored, skipped.Hidden, skipped.Unreadable}
	if out.Total == 0 && !out.TimedOut {
		ctx, stop := context.WithTimeout(ctx, lookFor(time.Since(began)))
		defer stop()
		s.lookAgain(ctx, p, t, out.AlsoIn)
	}
	out.say(env, in)
	makeRoom(len(out.lines))
	return out, nil
}

func isMissing(err error) bool {
	e, ok := err.(*tools.Error)
	return ok && e.Code == tools.NotFound
}

// say says in one sentence what was found.
func (o *GlobOut) say(env *tools.Env, in GlobIn) {
	switch {
	case o.Total == 0 && o.TimedOut:
		o.said = env.Say(tools.Say{EN: "The time ran out before anything was found for pattern: %s", JA: "何も見つからないうちに時間切れになりました: %s"}, in.Pattern)
	case o.Total == 0:
		o.said = env.Say(tools.Say{EN: "No files found matching pattern: %s", JA: "パターンに一致するファイルが見つかりませんでした: %s"}, in.Pattern)
	case o.Count < o.Total:
		o.said = env.Say(tools.Say{EN: "Files: %d of %d", JA: "ファイル: 全%[2]d件中%[1]d件"}, o.Count, o.Total)
	default:
		o.said = env.Say(tools.Say{EN: "Files: %d", JA: "ファイル: %d件"}, o.Count)
	}
	o.also = alsoText(env, o.AlsoIn)
	switch {
	case o.also != "":
		o.Message = o.said + " (" + o.also + ")"
	case o.TimedOut && o.Total > 0:
		o.Message = o.said + env.Say(tools.Say{EN: "; the time ran out before all was searched", JA: "。時間切れのため、すべては検索していません"})
	default:
		o.Message = o.said
	}
}

// naming is one search for names.
type naming struct {
	glob   glob
	steps  []string // of the pattern, up to the first that may be many; for folders on the way
	deep   bool     // behind them any number of folders may follow
	dirs   bool
	latest bool // the latest change first
	limit  int

	mu    sync.Mutex
	found []named
	total int
}

// named is a path that matches.
type named struct {
	path     string
	modified int64
}

func newNaming(in GlobIn, g glob, pattern string) *naming {
	s := &naming{glob: g, dirs: in.Dirs, latest: in.Sort == "modified", limit: in.Limit}
	s.steps = strings.Split(strings.TrimPrefix(pattern, "./"), "/")
	for i, step := range s.steps {
		if strings.Contains(step, "**") || strings.ContainsAny(step, `{}\`) { // braces may hold a slash
			s.steps, s.deep = s.steps[:i], true
			break
		}
	}
	return s
}

// goThrough finds what matches in a tree. Files are only looked at by name.
func (s *naming) goThrough(ctx context.Context, t *tree) {
	t.selects = s.wants(t.base)
	w := walk.New(walk.Options{Workers: 2 * runtime.GOMAXPROCS(0), Failed: t.failed, Lasting: saveMemory, Visit: func(int, *walk.Folder, walk.Entry) {},
		Enter: func(f *walk.Folder) {
			t.enter(f)
			s.take(f, t.base)
		}})
	w.Run(ctx, t.root)
}

// wants is whether a file matches, or a folder does or may hold what does.
func (s *naming) wants(base string) func(walk.Entry, string, string) bool {
	return func(e walk.Entry, path, name string) bool {
		if e.Kind != walk.Dir {
			return s.glob.matches(path, name)
		}
		return s.leads(path) || s.dirs && s.glob.matches(path, name)
	}
}

// leads reports whether below a folder there may be what matches.
func (s *naming) leads(path string) bool {
	depth := strings.Count(path, "/") + 1
	if !s.deep && depth >= len(s.steps) {
		return false
	}
	for i, element := range strings.Split(path, "/")[:min(depth, len(s.steps))] {
		if !doublestar.MatchUnvalidated(s.steps[i], element) {
			return false
		}
	}
	return true
}

// take keeps what matches in a folder, and leaves the folders that lead on.
func (s *naming) take(f *walk.Folder, base string) {
	var found []named
	total := 0
	on := f.Entries[:0]
	for _, e := range f.Entries {
		path := ""
		if e.Kind == walk.Dir {
			path = base + f.Join(e)
			if s.leads(path) {
				on = append(on, e)
			}
			if !s.dirs || !s.glob.matches(path, string(f.Name(e))) {
				continue
			}
		}
		if total++; !s.latest && len(found) >= s.limit {
			continue // in the order of paths nothing of this folder comes before
		}
		one := named{path: f.Join(e)}
		if s.latest {
			one.modified, _ = f.Modified(e) // what is gone by now comes last
		}
		found = append(found, one)
	}
	f.Entries = on
	if total == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total += total
	if s.found = append(s.found, found...); len(s.found) > 4*s.limit+1000 {
		s.order()
	}
}

// order sorts what was found and drops what is beyond the limit.
func (s *naming) order() {
	slices.SortFunc(s.found, func(a, b named) int {
		if s.latest {
			if c := cmp.Compare(b.modified, a.modified); c != 0 {
				return c
			}
		}
		return walk.Compare(a.path, b.path)
	})
	s.found = s.found[:min(len(s.found), s.limit)]
}

func (s *naming) fill(out *GlobOut, given string) {
	s.order()
	out.Count, out.Total = len(s.found), s.total
	out.lines, out.Paths = pathLines(given, len(s.found), func(i int) (path, tail string) { return s.found[i].path, "" })
	s.found = nil // there may be very many
	out.Truncated = out.Count < out.Total || out.TimedOut
}

// lookAgain looks for names in what was passed over.
func (s *naming) lookAgain(ctx context.Context, p place, t *tree, also map[string]AlsoIn) {
	t.again(ctx, func(passed passedOver, sub *tree) (found []string) {
		if sub == nil {
			return []string{passed.path}
		}
		again := &naming{glob: s.glob, steps: s.steps, deep: s.deep, dirs: s.dirs, limit: 1}
		again.goThrough(ctx, sub)
		again.order()
		for _, one := range again.found {
			found = append(found, path.Join(passed.path, one.path))
		}
		return append(found, make([]string, max(0, again.total-len(found)))...)
	}, p.shown, also)
}
