package files

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"techo/internal/ignore"
	"techo/internal/walk"
	"techo/tools"
)

// reason is why something was passed over.
type reason uint8

const (
	noReason   reason = iota
	isIgnored         // by .gitignore and its like
	isHidden          // its name begins with a dot
	isBinary          // it holds NUL
	isTooLarge        // it cannot be searched as a whole
	isUnreadable
)

// Skipped counts what was passed over; a folder counts once.
type Skipped struct {
	Ignored    int `json:"ignored"`
	Hidden     int `json:"hidden"`
	Binary     int `json:"binary"`
	TooLarge   int `json:"too_large"`
	Unreadable int `json:"unreadable"`
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
	}
}

// tree is a folder that is gone through, and what of it counts.
type tree struct {
	root     *os.Root
	ruling   *ruling
	selects  func(e walk.Entry, path, name string) bool // whether a file is wanted, or a folder may hold such; nil is all
	hidden   bool                                       // what is hidden counts too
	noIgnore bool                                       // what is ignored counts too
	base     string                                     // where the root is in the tree that patterns are for, with a slash behind it, or ""
	after    string                                     // only what comes behind this path counts, or is it

	mu      sync.Mutex
	passed  []passedOver
	started error // why the start could not be read
}

// passedOver is one thing that was passed over. When a search ends early only
// those up to its end are counted, so that the counts are the same on each run.
type passedOver struct {
	path string
	why  reason
}

// start opens what a path leads to: a folder as a tree, or a file.
func start(env *tools.Env, given string) (place, fs.FileInfo, error) {
	p, err := locate(env, given)
	if err != nil {
		return p, nil, missing(env, given, err)
	}
	f, err := p.open()
	if err != nil {
		return p, nil, missing(env, given, fault(env, given, err))
	}
	defer f.Close()
	st, err := f.Stat()
	if err == nil && !st.IsDir() && !st.Mode().IsRegular() {
		return p, nil, env.Fail(tools.Forbidden, tools.Say{EN: "%s is neither a folder nor a regular file", JA: "%s はフォルダでも通常のファイルでもありません"}, given)
	}
	return p, st, err
}

// missing puts a path that is not there into the sentence of the specification.
func missing(env *tools.Env, given string, err error) error {
	e := new(tools.Error)
	if !errors.As(err, &e) || e.Code != tools.NotFound {
		return err
	}
	return env.Fail(tools.NotFound, tools.Say{EN: "Path does not exist: %s", JA: "パスが存在しません: %s"}, given)
}

// openTree opens a folder to go through it. It is to be closed.
func openTree(env *tools.Env, p place, hidden, noIgnore bool) (*tree, error) {
	t := &tree{hidden: hidden, noIgnore: noIgnore}
	var err error
	if p.root == nil {
		t.root, err = os.OpenRoot(p.path)
	} else {
		t.root, err = p.root.OpenRoot(p.path)
	}
	if err != nil {
		return nil, fault(env, p.shown, err)
	}
	if !noIgnore {
		t.ruling = newRuling(env, p)
	}
	return t, nil
}

// saveMemory has garbage collected as often as Go does by itself. Main puts that
// off, which in a walk that lasts would cost several times the memory.
func saveMemory() { debug.SetGCPercent(100) }

// makeRoom does away with what led to a long answer, before that is written.
func makeRoom(answer int) {
	const long = 1 << 20 // bytes
	if answer > long {
		runtime.GC()
		debug.SetGCPercent(50)
	}
}

// pass notes that something was passed over.
func (t *tree) pass(path string, why reason) {
	t.mu.Lock()
	t.passed = append(t.passed, passedOver{path, why})
	t.mu.Unlock()
}

// skipped counts what was passed over up to a path, "" for all.
func (t *tree) skipped(until string) (s Skipped) {
	for _, p := range t.passed {
		if until == "" || walk.Compare(p.path, until) <= 0 {
			s.count(p.why)
		}
	}
	return s
}

// failed notes a folder that could not be read.
func (t *tree) failed(path string, err error) {
	if path == "" {
		t.started = err
	}
	t.pass(path, isUnreadable)
}

// enter keeps of a folder what counts: files that are wanted and folders that
// may hold some.
func (t *tree) enter(f *walk.Folder) {
	var now *rules
	above := ""
	if !t.noIgnore {
		above = t.ruling.above
		now = t.ruling.enter(f)
		f.Data = now
	}
	// One buffer for all paths of the folder, from the highest with rules.
	full := []byte(above)
	if f.Path != "" {
		full = append(append(full, f.Path...), '/')
	}
	folder := len(full)
	f.Entries = slices.DeleteFunc(f.Entries, func(e walk.Entry) bool {
		if e.Kind != walk.File && e.Kind != walk.Dir {
			return true // links are not followed, and devices not read
		}
		full = append(full[:folder], f.Name(e)...)
		return t.before(f, e) || t.selects != nil && !t.selects(e, t.base+string(full[len(above):]), string(f.Name(e)))
	})
	kept := f.Entries[:0]
	for _, e := range f.Entries {
		name := f.Name(e)
		full = append(full[:folder], name...)
		why := t.judge(now, e, full, name)
		if why != noReason {
			t.pass(f.Join(e), why)
			continue
		}
		kept = append(kept, e)
	}
	f.Entries = kept
}

// judge says why an entry is passed over. What a rule takes back with ! counts
// although it is hidden, as in ripgrep.
func (t *tree) judge(now *rules, e walk.Entry, full, name []byte) reason {
	verdict := ignore.Silent
	if now != nil {
		verdict = now.says(full, name, e.Kind == walk.Dir)
	}
	switch {
	case verdict == ignore.Ignored && !t.noIgnore:
		return isIgnored
	case name[0] == '.' && verdict != ignore.Kept && !t.hidden:
		return isHidden
	}
	return noReason
}

// before reports whether an entry lies before the path to go on from. A folder
// that the path leads through does not.
func (t *tree) before(f *walk.Folder, e walk.Entry) bool {
	if t.after == "" {
		return false
	}
	path := f.Join(e)
	return walk.Compare(path, t.after) < 0 && !(e.Kind == walk.Dir && strings.HasPrefix(t.after, path+"/"))
}
