package search

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"techo/internal/walk"
	"techo/tools"
	"techo/tools/files/paths"
)

// List is the tool list_files: it lists a folder as a tree.
var List = &tools.Tool{
	Name:    "list_files",
	For:     tools.Agents,
	Command: "fs list",
	Aliases: []string{"fs ls", "fs tree"},
	About:   "List a folder as a tree with sizes",
	More:    "To find files by name, use glob.",
	Details: "The size of a folder is that of all files in it. Links are not followed; pipes, sockets " +
		"and devices are of kind other. Hidden files and files that .gitignore (in a repository) " +
		"or .ignore excludes are left out and counted in skipped.",
	Effect:    tools.Reads,
	Forbidden: paths.Forbidden,
	Words:     []string{"path"},
	Examples: []tools.Example{
		{Does: "Show two levels of a folder", Line: `fs list . -o text`},
		{Does: "Show only what is in the folder itself", Line: `fs list . --depth 1`},
	},
	Run: tools.Func[ListIn, ListOut](listFiles),
}

// ListIn is the input of list_files.
type ListIn struct {
	Path     string `json:"path" default:"." minLength:"1" doc:"The folder" list:"bare"`
	Depth    int    `json:"depth" default:"2" minimum:"1" doc:"Number of levels" list:"bare"`
	Limit    int    `json:"limit" default:"500" minimum:"1" maximum:"100000" doc:"Maximum number of entries" list:"bare"`
	Cursor   string `json:"cursor,omitempty" doc:"Continue here: next_cursor of the previous result" list:"bare"`
	Hidden   bool   `json:"hidden,omitempty" doc:"Include hidden files and folders" list:"bare"`
	NoIgnore bool   `json:"no_ignore,omitempty" doc:"Include files that .gitignore and .ignore exclude"`
}

// ListOut is the result of list_files.
type ListOut struct {
	Entries   []Listed    `json:"entries" compact:"keep"`
	Count     int         `json:"count"`
	Total     int         `json:"total"` // within the depth
	Files     int         `json:"files"` // in the whole folder
	Size      int64       `json:"size"`  // of all files, in bytes
	Truncated bool        `json:"truncated"`
	Next      string      `json:"next_cursor,omitempty"`
	TimedOut  bool        `json:"timed_out"`
	Skipped   GlobSkipped `json:"skipped"`
	Message   string      `json:"message"`

	prefix string // of all paths
	left   int    // entries after the last one
}

// Listed is an entry of a folder.
type Listed struct {
	Path     string `json:"path"`
	Kind     string `json:"kind"` // "file", "folder", "link" or "other"
	Size     int64  `json:"size"` // in bytes; 0 of links and others
	Modified string `json:"modified"`
}

// Outcome makes a partial result end like a timeout.
func (o ListOut) Outcome() tools.Code { return GrepOut{TimedOut: o.TimedOut}.Outcome() }

// Text returns the tree, one entry per line after its size.
func (o ListOut) Text(env *tools.Env) string {
	var lines []string
	for _, e := range o.Entries {
		inside := strings.TrimPrefix(paths.Plain(e.Path), o.prefix)
		name := paths.ShowLine(paths.Show(path.Base(inside)))
		switch e.Kind {
		case "folder":
			name += "/"
		case "link":
			name += env.Localize(" (link)")
		case "other":
			name += env.Localize(" (no regular file)")
		}
		lines = append(lines, fmt.Sprintf("%9d  %s%s", e.Size, strings.Repeat("  ", strings.Count(inside, "/")), name))
	}
	if more := o.left; more > 0 {
		lines = append(lines, env.Localize("... and %s", env.Count(more, "%d more file", "%d more files")))
	}
	return strings.Join(append(lines, o.Message), "\n")
}

func listFiles(ctx context.Context, env *tools.Env, in ListIn) (out ListOut, err error) {
	_, invalid := parseCursor(in.Cursor)
	p, st, err := openStart(env, in.Path)
	switch {
	case err == nil && invalid != nil:
		return out, tools.InvalidField(env, "/cursor", wrongCursor)
	case err != nil:
		return out, err
	case !st.IsDir():
		e := tools.InvalidField(env, "/path", "is a file, not a folder: %s", in.Path)
		return out, e.WithHint(env.Hint("Read it with %s", tools.Use("fs read")))
	}
	t, err := openTree(env, p, in.Hidden, in.NoIgnore)
	if err != nil {
		return out, err
	}
	defer t.root.Close()
	t.special = true
	l := &lister{depth: in.Depth, folders: map[string]*listed{"": {}}}
	t.walkNames(ctx, func(f *walk.Folder) { l.enter(f, t) })
	if t.rootError != nil {
		return out, paths.Error(env, in.Path, t.rootError)
	}
	if out.TimedOut, err = timedOut(ctx); err != nil {
		return out, err
	}
	l.fill(env, &out, p.Shown, in)
	out.Skipped = t.skippedNames()
	out.Message = env.Localize("%s, %s, %s", env.Count(out.Total, "%d entry", "%d entries"),
		env.Count(out.Files, "%d file", "%d files"), env.Count(int(out.Size), "%d byte", "%d bytes"))
	if out.Next != "" {
		out.Message += env.Hint("; continue with %s to see more", tools.Field("cursor"))
	}
	return out, nil
}

// lister collects the entries of a tree and adds up sizes.
type lister struct {
	depth int

	mu      sync.Mutex
	entries []*listed
	folders map[string]*listed // by path
	files   int
}

type listed struct {
	path     string
	kind     walk.Kind
	size     int64
	modified time.Time
}

// enter records the entries of a folder, without the ones that it cannot read any
// more. Its files are not visited.
func (l *lister) enter(f *walk.Folder, t *tree) {
	depth := 1
	if f.Path != "" {
		depth += strings.Count(f.Path, "/") + 1
	}
	var found []*listed
	size, files := int64(0), 0
	for _, e := range f.Entries {
		one := &listed{path: f.Join(e), kind: e.Kind}
		info, err := t.root.Lstat(one.path)
		if err != nil {
			continue // removed meanwhile
		}
		if one.modified = info.ModTime(); one.kind == walk.File {
			one.size = info.Size()
			size, files = size+one.size, files+1
		}
		if depth <= l.depth {
			found = append(found, one)
		}
	}
	f.Entries = slices.DeleteFunc(f.Entries, func(e walk.Entry) bool { return e.Kind != walk.Dir })
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries, l.files = append(l.entries, found...), l.files+files
	for _, one := range found {
		if one.kind == walk.Dir {
			l.folders[one.path] = one
		}
	}
	for at := f.Path; ; at = strings.TrimPrefix(path.Dir(at), ".") {
		if above := l.folders[at]; above != nil {
			above.size += size
		}
		if at == "" {
			break
		}
	}
}

// fill adds the first entries in path order to the result.
func (l *lister) fill(env *tools.Env, out *ListOut, given string, in ListIn) {
	slices.SortFunc(l.entries, func(a, b *listed) int { return walk.Compare(a.path, b.path) })
	out.prefix = displayPrefix(given)
	out.Entries, out.Total, out.Files, out.Size = []Listed{}, len(l.entries), l.files, l.folders[""].size
	left := l.entries
	if c, err := parseCursor(in.Cursor); err == nil && in.Cursor != "" {
		left = slices.DeleteFunc(slices.Clone(left), func(e *listed) bool { return walk.Compare(e.path, c.path) <= 0 })
	}
	page := left[:min(in.Limit, len(left))]
	for _, e := range page {
		out.Entries = append(out.Entries,
			Listed{paths.Show(out.prefix + e.path), kindName(e.kind), e.size,
				env.Time(e.modified.Truncate(time.Second))})
	}
	out.Count = len(out.Entries)
	out.left = len(left) - len(page)
	out.Truncated = out.left > 0 || out.TimedOut
	if n := len(page); n > 0 && out.left > 0 && !out.TimedOut {
		out.Next = cursor{path: page[n-1].path}.String()
	}
}

func kindName(k walk.Kind) string {
	switch k {
	case walk.File:
		return "file"
	case walk.Dir:
		return "folder"
	case walk.Link:
		return "link"
	}
	return "other"
}
