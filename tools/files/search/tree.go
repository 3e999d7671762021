package search

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"techo/internal/ignore"
	"techo/internal/walk"
	"techo/tools"
	"techo/tools/files/paths"
)

type reason uint8

const (
	noReason   reason = iota
	isIgnored         // by a rule of .gitignore or a similar file
	isHidden          // the name begins with a dot
	isBinary          // the file contains NUL
	isTooLarge        // too large for a search
	isUnreadable
	isALink // a symbolic link, which is not followed
)

// Skipped counts skipped entries. A skipped folder counts once.
type Skipped struct {
	Ignored    int `json:"ignored"`
	Hidden     int `json:"hidden"`
	Binary     int `json:"binary"`
	TooLarge   int `json:"too_large"`
	Unreadable int `json:"unreadable"`
	Links      int `json:"links,omitempty"`
}

func (s *Skipped) count(r reason) {
	switch r {
	case isIgnored:
		s.Ignored++
	case isHidden:
		s.Hidden++
	case isBinary:
		s.Binary++
	case isTooLarge:
		s.TooLarge++
	case isUnreadable:
		s.Unreadable++
	case isALink:
		s.Links++
	}
}

// tree is a folder to walk, with its filters.
type tree struct {
	root  *os.Root
	rules *ruleFinder
	// reports whether a file is wanted, or a folder may contain wanted files; nil
	// accepts all
	wanted   func(e walk.Entry, path, name string) bool
	hidden   bool // include hidden entries
	noIgnore bool // include ignored entries
	special  bool // include links, pipes, sockets and devices, which are not followed or read
	// patterns of hidden names that the caller wrote with their dot
	dotted []string
	// path of root relative to the folder that patterns refer to, with a trailing
	// slash, or ""
	base  string
	after string // skip entries before this path

	mu             sync.Mutex
	skippedEntries []skippedEntry
	rootError      error // why root could not be read
}

// skippedEntry is an entry that was skipped. If a search ends early, only entries
// up to its end are counted, so that the counts are reproducible.
type skippedEntry struct {
	path string
	why  reason
}

// openStart checks that a path leads to a folder or a regular file.
func openStart(env *tools.Env, given string) (paths.Place, fs.FileInfo, error) {
	p, err := paths.Locate(env, given)
	if err != nil {
		return p, nil, missing(env, given, err)
	}
	f, err := p.Open()
	if err != nil {
		return p, nil, missing(env, given, paths.Error(env, given, err))
	}
	defer f.Close()
	st, err := f.Stat()
	if err == nil && !st.IsDir() && !st.Mode().IsRegular() {
		return p, nil, env.Fail(tools.Forbidden, "%s is neither a folder nor a regular file", given).
			WithHint(env.Hint("Name a file or a folder; pipes and devices are not read"))
	}
	return p, st, err
}

// missing uses the specification's message for a missing path.
func missing(env *tools.Env, given string, err error) error {
	e := new(tools.Error)
	if !errors.As(err, &e) || e.Code != tools.NotFound {
		return err
	}
	return env.Fail(tools.NotFound, "Path does not exist: %s", given).
		WithHint(paths.LookForIt(env))
}

// openTree opens a folder for a walk. The caller closes its root.
func openTree(env *tools.Env, p paths.Place, hidden, noIgnore bool) (*tree, error) {
	root, err := p.OpenRoot()
	if err != nil {
		return nil, paths.Error(env, p.Shown, err)
	}
	t := &tree{root: root, hidden: hidden, noIgnore: noIgnore}
	if !noIgnore {
		t.rules = newRuleFinder(env, p)
	}
	return t, nil
}

// collectNormally restores Go's default garbage collection. The main program
// delays collection, which is too expensive in memory for a long walk.
func collectNormally() { debug.SetGCPercent(100) }

// freeMemory collects garbage before an answer of many bytes is written.
func freeMemory(answer int) {
	const long = 1 << 20 // bytes
	if answer > long {
		runtime.GC()
		debug.SetGCPercent(50)
	}
}

func (t *tree) skip(path string, why reason) {
	t.mu.Lock()
	t.skippedEntries = append(t.skippedEntries, skippedEntry{path, why})
	t.mu.Unlock()
}

// countSkipped counts the skipped entries up to a path, or all for "".
func (t *tree) countSkipped(until string) (s Skipped) {
	for _, p := range t.skippedEntries {
		if until == "" || walk.Compare(p.path, until) <= 0 {
			s.count(p.why)
		}
	}
	return s
}

// skippedNames is countSkipped for a search that opens no files.
func (t *tree) skippedNames() GlobSkipped {
	s := t.countSkipped("")
	return GlobSkipped{s.Ignored, s.Hidden, s.Unreadable, s.Links}
}

// walkNames calls enter for each folder, with the entries that pass the filters. It opens no files.
func (t *tree) walkNames(ctx context.Context, enter func(*walk.Folder)) {
	w := walk.New(walk.Options{Workers: 2 * runtime.GOMAXPROCS(0), Failed: t.failed, OnSlow: collectNormally,
		Visit: func(int, *walk.Folder, walk.Entry) {},
		Enter: func(f *walk.Folder) {
			t.enter(f)
			enter(f)
		}})
	w.Run(ctx, t.root)
}

func (t *tree) failed(path string, err error) {
	if path == "" {
		t.rootError = err
	}
	t.skip(path, isUnreadable)
}

// enter filters the entries of a folder. It keeps wanted files, folders that may contain
// some and, if t.special is set, all other entries.
func (t *tree) enter(f *walk.Folder) {
	var now *ruleSet
	above := ""
	if !t.noIgnore {
		above = t.rules.above
		now = t.rules.enter(f)
		f.Data = now
	}
	// All paths of the folder share one buffer.
	full := []byte(above)
	if f.Path != "" {
		full = append(append(full, f.Path...), '/')
	}
	folder := len(full)
	f.Entries = slices.DeleteFunc(f.Entries, func(e walk.Entry) bool {
		if e.Kind != walk.File && e.Kind != walk.Dir && e.Kind != walk.Link && !t.special {
			return true // do not read devices
		}
		full = append(full[:folder], f.Name(e)...)
		return t.before(f, e) || t.wanted != nil && !t.wanted(e, t.base+string(full[len(above):]), string(f.Name(e)))
	})
	kept := f.Entries[:0]
	for _, e := range f.Entries {
		name := f.Name(e)
		full = append(full[:folder], name...)
		why := t.skipReason(now, e, full, name)
		if why != noReason {
			t.skip(f.Join(e), why)
			continue
		}
		kept = append(kept, e)
	}
	f.Entries = kept
}

// skipReason returns the reason for skipping an entry. A ! rule includes a hidden
// entry, as in ripgrep.
func (t *tree) skipReason(now *ruleSet, e walk.Entry, full, name []byte) reason {
	verdict := ignore.Silent
	if now != nil {
		verdict = now.match(full, name, e.Kind == walk.Dir)
	}
	switch {
	case verdict == ignore.Ignored && !t.noIgnore:
		return isIgnored
	case e.Kind == walk.Link && !t.special:
		return isALink // it is not followed
	case name[0] == '.' && !t.hidden && !t.names(name) && (verdict != ignore.Kept || string(name) == gitFolder):
		return isHidden // also .git, whatever the rules say
	}
	return noReason
}

// names reports whether the caller named a hidden entry, with its dot.
func (t *tree) names(name []byte) bool {
	return slices.ContainsFunc(t.dotted, func(pattern string) bool {
		return doublestar.MatchUnvalidated(pattern, string(name))
	})
}

// dottedNames lists the elements of a pattern that begin with a dot, which hidden names need.
func dottedNames(pattern string) (all []string) {
	for element := range strings.SplitSeq(pattern, "/") {
		if strings.HasPrefix(element, ".") && element != "." && element != ".." {
			all = append(all, element)
		}
	}
	return all
}

// before reports whether an entry sorts before t.after. A folder on the way to
// t.after does not.
func (t *tree) before(f *walk.Folder, e walk.Entry) bool {
	if t.after == "" {
		return false
	}
	path := f.Join(e)
	return walk.Compare(path, t.after) < 0 && !(e.Kind == walk.Dir && strings.HasPrefix(t.after, path+"/"))
}

// GlobSkipped counts skipped entries. A skipped folder counts once.
type GlobSkipped struct {
	Ignored    int `json:"ignored"`
	Hidden     int `json:"hidden"`
	Unreadable int `json:"unreadable"`
	Links      int `json:"links,omitempty"`
}

// timedOut reports whether the time limit ended ctx. err is set if something else
// ended it.
func timedOut(ctx context.Context) (out bool, err error) {
	switch {
	case ctx.Err() == nil:
		return false, nil
	case errors.Is(context.Cause(ctx), tools.ErrTimeout), errors.Is(ctx.Err(), context.DeadlineExceeded):
		return true, nil
	}
	return false, context.Cause(ctx)
}
