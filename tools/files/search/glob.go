package search

import (
	"cmp"
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/text/unicode/norm"

	"techo/internal/walk"
	"techo/tools"
	"techo/tools/files/paths"
)

// Glob is the tool glob: it finds files by name.
var Glob = &tools.Tool{
	Name:    "glob",
	For:     tools.Agents,
	Command: "fs glob",
	About:   "Find files matching a glob pattern",
	More: "* and ? match within one name, ** matches any number of folders, [ab] and {a,b} are " +
		"alternatives: **/*.py finds all Python files.",
	Details: "Hidden files and files that .gitignore (in a repository) or .ignore excludes are " +
		"skipped and counted in skipped, unless the pattern names their folder. Links are not " +
		"followed. total is the number of all matches.",
	Effect:    tools.Reads,
	Forbidden: paths.Forbidden,
	Words:     []string{"pattern", "path"},
	Examples: []tools.Example{
		{Does: "All Go files", Line: `fs glob "**/*.go"`},
		{Does: "The latest changes, as text", Line: `fs glob "**" --sort modified --limit 10 -o text`},
	},
	Run: tools.Func[GlobIn, GlobOut](findFiles),
}

// GlobIn is the input of glob.
type GlobIn struct {
	Pattern  string `json:"pattern" minLength:"1" doc:"Glob pattern, e.g. **/*.py for all Python files"`
	Path     string `json:"path" default:"." minLength:"1" doc:"Base folder to search from" list:"bare"`
	Limit    int    `json:"limit" default:"100" minimum:"1" maximum:"100000" doc:"Maximum number of paths" list:"bare"`
	Cursor   string `json:"cursor,omitempty" doc:"Continue here: next_cursor of the previous result" list:"bare"`
	Sort     string `json:"sort" default:"path" enum:"path,modified" doc:"Sort by path, or latest change first"`
	Dirs     bool   `json:"dirs,omitempty" doc:"Include folders" list:"bare"`
	Hidden   bool   `json:"hidden,omitempty" doc:"Include hidden files and folders" list:"bare"`
	NoIgnore bool   `json:"no_ignore,omitempty" doc:"Include files that .gitignore and .ignore exclude"`
}

// GlobOut is the result of glob.
type GlobOut struct {
	Paths     []string          `json:"paths" compact:"keep"`
	Count     int               `json:"count"`
	Total     int               `json:"total"`
	Truncated bool              `json:"truncated"`
	Next      string            `json:"next_cursor,omitempty"`
	TimedOut  bool              `json:"timed_out"`
	Skipped   GlobSkipped       `json:"skipped"`
	AlsoIn    map[string]AlsoIn `json:"also_in"`
	Message   string            `json:"message"`

	// Normalized counts the paths with another Unicode form (NFC or NFD) than the
	// pattern.
	Normalized int `json:"normalized,omitempty"`

	summary, hint string // the message, and the part about also_in
	left          int    // matches after the last path
}

// Outcome makes a partial result end like a timeout.
func (o GlobOut) Outcome() tools.Code { return GrepOut{TimedOut: o.TimedOut}.Outcome() }

// Text returns one path per line, as the specification requires.
func (o GlobOut) Text(env *tools.Env) string {
	if len(o.Paths) == 0 {
		return strings.TrimSuffix(o.summary+"\n"+o.hint, "\n")
	}
	var b strings.Builder
	for _, path := range o.Paths {
		b.WriteString(paths.ShowLine(path) + "\n")
	}
	text := b.String()
	if more := o.left; more > 0 {
		text += env.Localize("... and %s", env.Count(more, "%d more file", "%d more files")) + "\n"
	}
	if o.TimedOut {
		text += env.Localize("... (timed out)")
	}
	return strings.TrimSuffix(text, "\n")
}

func findFiles(ctx context.Context, env *tools.Env, in GlobIn) (out GlobOut, err error) {
	pattern := withExisting(filepath.ToSlash(in.Pattern), func(path string) bool {
		_, _, err := openStart(env, joined(in.Path, path))
		return err == nil
	})
	for strings.Contains(pattern, "**/**") {
		pattern = strings.ReplaceAll(pattern, "**/**", "**")
	}
	base, rest := doublestar.SplitPattern(pattern)
	g, at := newGlob(rest, false)
	if at >= 0 || !doublestar.ValidatePattern(in.Pattern) {
		fault := globProblem(env, "pattern", in.Pattern, errorOffset(in.Pattern))
		e := tools.InvalidError(env, []tools.Detail{fault})
		e.Hint = fault.Hint
		return out, e
	}
	if err := in.check(env); err != nil {
		return out, err
	}
	given := joined(in.Path, base)
	out = GlobOut{Paths: []string{}, AlsoIn: map[string]AlsoIn{}}
	p, st, err := openStart(env, given)
	switch {
	case isMissing(err) && given != in.Path, err == nil && !st.IsDir():
		out.setMessage(env, in)
		return out, nil // the fixed part of the pattern leads to no folder
	case err != nil:
		return out, err
	}
	t, err := openTree(env, p, in.Hidden, in.NoIgnore)
	if err != nil {
		return out, err
	}
	defer t.root.Close()
	t.dotted = dottedNames(rest)
	s, began := newNameSearch(in, g, rest), time.Now()
	s.searchTree(ctx, t)
	if s.total == 0 && strings.Contains(rest, "[") && ctx.Err() == nil { // a folder further down may have that name
		literal := literalBrackets(rest)
		g, _ := newGlob(literal, false)
		again, err := openTree(env, p, in.Hidden, in.NoIgnore)
		if err != nil {
			return out, err
		}
		defer again.root.Close()
		again.dotted = t.dotted
		other := newNameSearch(in, g, literal)
		if other.searchTree(ctx, again); other.total > 0 {
			s, t = other, again
		}
	}
	if t.rootError != nil {
		return out, paths.Error(env, given, t.rootError)
	}
	if out.TimedOut, err = timedOut(ctx); err != nil {
		return out, err
	}
	if s.fill(&out, p.Shown); p.Normalized { // a folder of the fixed part
		out.Normalized = len(out.Paths)
	}
	out.Skipped = t.skippedNames()
	if out.Total == 0 && !out.TimedOut {
		ctx, stop := context.WithTimeout(ctx, hintTime(time.Since(began)))
		defer stop()
		s.hintSkipped(ctx, p, t, out.AlsoIn)
	}
	out.setMessage(env, in)
	freeMemory(len(out.Paths) * usualLine)
	return out, nil
}

// joined returns a path below the folder that the caller gave, unless it is absolute or in a home folder.
func joined(given, below string) string {
	switch {
	case filepath.IsAbs(below) || path.IsAbs(below) || strings.HasPrefix(below, "~"):
		return below
	case below == ".":
		return paths.Plain(given)
	}
	return path.Join(filepath.ToSlash(paths.Plain(given)), below)
}

// check refuses a base folder that does not exist and an invalid cursor.
func (in GlobIn) check(env *tools.Env) error {
	if _, err := parseCursor(in.Cursor); err != nil {
		return tools.InvalidField(env, "/cursor", wrongCursor)
	}
	_, st, err := openStart(env, in.Path)
	if err == nil && !st.IsDir() {
		return tools.InvalidField(env, "/path", "is a file, not a folder: %s", in.Path).
			WithHint(env.Hint("Read it with %s", tools.Use("fs read")))
	}
	return err
}

func isMissing(err error) bool {
	e, ok := err.(*tools.Error)
	return ok && e.Code == tools.NotFound
}

func (o *GlobOut) setMessage(env *tools.Env, in GlobIn) {
	switch {
	case o.Total == 0 && o.TimedOut:
		o.summary = env.Localize("Timed out before finding anything for pattern: %s", in.Pattern)
	case o.Total == 0:
		o.summary = env.Localize("No files found matching pattern: %s", in.Pattern)
	case o.Count < o.Total && o.Next != "":
		o.summary = env.Localize("Files: %d of %d", o.Count, o.Total) +
			env.Hint("; continue with %s to see more", tools.Field("cursor"))
	case o.Count < o.Total:
		o.summary = env.Localize("Files: %d of %d", o.Count, o.Total)
	default:
		o.summary = env.Localize("Files: %d", o.Count)
	}
	if o.Normalized > 0 {
		o.summary += env.Localize("; in another Unicode form (NFC or NFD): %d", o.Normalized)
	}
	if o.hint = hintText(env, o.AlsoIn); o.Total == 0 {
		o.hint = hintText(env, o.AlsoIn, braces(env, in.Pattern)...)
	}
	switch {
	case o.hint != "":
		o.Message = o.summary + " (" + o.hint + ")"
	case o.TimedOut && o.Total > 0:
		o.Message = o.summary + env.Localize("; timed out before the search was complete")
	default:
		o.Message = o.summary
	}
}

type nameSearch struct {
	glob     glob
	elements []string // of the pattern, up to the first that may span folders
	anyDepth bool     // any number of folders may follow elements
	dirs     bool
	byTime   bool // latest change first
	limit    int

	after *foundPath // continue behind this one, unless nil

	mu    sync.Mutex
	found []foundPath
	total int
	later int // of total, those behind after
}

type foundPath struct {
	path     string
	modified int64
}

func newNameSearch(in GlobIn, g glob, pattern string) *nameSearch {
	s := &nameSearch{glob: g, dirs: in.Dirs, byTime: in.Sort == "modified", limit: in.Limit}
	if c, err := parseCursor(in.Cursor); in.Cursor != "" && err == nil {
		s.after = &foundPath{c.path, int64(c.line)}
	}
	s.elements = strings.Split(strings.TrimPrefix(pattern, "./"), "/")
	for i, step := range s.elements {
		if strings.Contains(step, "**") || strings.ContainsAny(step, `{}\`) { // braces may contain a slash
			s.elements, s.anyDepth = s.elements[:i], true
			break
		}
	}
	return s
}

// searchTree finds the matches in a tree. It does not open files.
func (s *nameSearch) searchTree(ctx context.Context, t *tree) {
	t.wanted = s.wanted
	t.walkNames(ctx, func(f *walk.Folder) { s.collect(f, t.base) })
}

// wanted reports whether a file matches, or whether a folder matches or may contain a
// match.
func (s *nameSearch) wanted(e walk.Entry, path, name string) bool {
	return e.Kind == walk.Dir && s.mayContain(path) || (e.Kind != walk.Dir || s.dirs) && s.glob.matches(path, name)
}

// mayContain reports whether a folder may contain a match.
func (s *nameSearch) mayContain(path string) bool {
	depth := strings.Count(path, "/") + 1
	if !s.anyDepth && depth >= len(s.elements) {
		return false
	}
	for i, element := range strings.Split(path, "/")[:min(depth, len(s.elements))] {
		if e := s.elements[i]; !doublestar.MatchUnvalidated(e, element) && (s.glob.nfc == "" ||
			!doublestar.MatchUnvalidated(norm.NFC.String(e), norm.NFC.String(element))) {
			return false
		}
	}
	return true
}

// collect records the matches in a folder. It keeps the subfolders that may
// contain more.
func (s *nameSearch) collect(f *walk.Folder, base string) {
	var found []foundPath
	total, before := 0, 0 // before the cursor
	on := f.Entries[:0]
	for _, e := range f.Entries {
		path := ""
		if e.Kind == walk.Dir {
			path = base + f.Join(e)
			if s.mayContain(path) {
				on = append(on, e)
			}
			if !s.dirs || !s.glob.matches(path, string(f.Name(e))) {
				continue
			}
		}
		if total++; s.after == nil && !s.byTime && len(found) >= s.limit {
			continue // the limit is reached, and later names in this folder sort behind
		}
		one := foundPath{path: f.Join(e)}
		if s.byTime {
			one.modified, _ = f.Modified(e) // removed files have time 0 and come last
		}
		if s.after != nil && s.compare(one, *s.after) <= 0 {
			before++
			continue
		}
		found = append(found, one)
	}
	f.Entries = on
	if total == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total, s.later = s.total+total, s.later+total-before
	if s.found = append(s.found, found...); len(s.found) > 4*s.limit+1000 {
		s.sortAndTrim()
	}
}

// sortAndTrim sorts the matches and drops those beyond the limit.
func (s *nameSearch) sortAndTrim() {
	slices.SortFunc(s.found, s.compare)
	s.found = s.found[:min(len(s.found), s.limit)]
}

// compare returns the order of two matches in the result.
func (s *nameSearch) compare(a, b foundPath) int {
	if s.byTime {
		if c := cmp.Compare(b.modified, a.modified); c != 0 {
			return c
		}
	}
	return walk.Compare(a.path, b.path)
}

func (s *nameSearch) fill(out *GlobOut, given string) {
	s.sortAndTrim()
	out.Count, out.Total, out.left = len(s.found), s.total, s.later-len(s.found)
	if n := len(s.found); n > 0 && out.left > 0 && !out.TimedOut {
		last := s.found[n-1]
		out.Next = cursor{path: last.path, line: int(last.modified)}.String()
	}
	for _, f := range s.found {
		if s.glob.nfc != "" && !s.glob.matchesExactly(f.path, path.Base(f.path)) {
			out.Normalized++
		}
	}
	out.Paths = slices.Grow(out.Paths, len(s.found))
	for _, f := range s.found {
		out.Paths = append(out.Paths, displayPath(given, f.path))
	}
	s.found = nil // it may be large; free it before the output is written
	out.Truncated = out.left > 0 || out.TimedOut
}

func (s *nameSearch) hintSkipped(ctx context.Context, p paths.Place, t *tree, also map[string]AlsoIn) {
	t.searchSkipped(ctx, func(passed skippedEntry, sub *tree) (found []string) {
		if sub == nil {
			return []string{passed.path}
		}
		again := &nameSearch{glob: s.glob, elements: s.elements, anyDepth: s.anyDepth, dirs: s.dirs, limit: 1}
		again.searchTree(ctx, sub)
		again.sortAndTrim()
		for _, one := range again.found {
			found = append(found, path.Join(passed.path, one.path))
		}
		return append(found, make([]string, max(0, again.total-len(found)))...)
	}, p.Shown, also)
}
