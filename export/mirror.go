package export

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"techo/internal/confine"
	"techo/store/memfile"
)

// # Mirrors
//
// A mirror is a folder that repeated runs keep up to date. Its manifest,
// .techo-export, has a line for each file that a run wrote:
//
//	sum size mtime name
//
// in hexadecimal, bytes and nanoseconds. Its first line names the source:
//
//	# kind store "user"
//
// For events it has the calendar in place of the user. Earlier versions wrote neither store
// nor calendar there: then a folder is of the same source if both have an event in common.
//
// A run fails if the folder has another kind of records, or if it would remove a file
// of another store or user. A file with the right sum is left alone.
// A file without a source is removed, unless it changed since. A run fails if it
// would replace a file that is not in the manifest.

type written struct {
	sum   string
	size  int64
	mtime int64
}

// Mirrored counts the changes to a mirror, without INDEX.md.
type Mirrored struct {
	Written   int
	Unchanged int
	Removed   int
}

// versions is a manifest: for each file the versions that it may hold, the latest
// first.
type versions map[string][]written

// source is what a folder is a copy of. The zero source is any.
type source struct {
	kind  string // memories, memos, events or memory_files
	store string // its id
	user  string // of memories and their files; for events the calendar
}

// unknown reports whether the source of events was not recorded.
func (s source) unknown() bool { return s.kind == "events" && s.store == "" }

// inStore reports whether another source is in the same store, perhaps in another space.
func (s source) inStore(other source) bool {
	one, _, _ := strings.Cut(s.store, "/")
	same, _, _ := strings.Cut(other.store, "/")
	return one == same || s.unknown() || other.unknown()
}

func (s source) line() string {
	if s == (source{}) {
		return ""
	}
	return "# " + s.kind + " " + s.store + " " + strconv.Quote(s.user) + "\n"
}

// readSource parses the first line of a manifest.
func readSource(line string) (s source, ok bool) {
	parts := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 4)
	if len(parts) < 4 || parts[0] != "#" {
		return s, false
	}
	user, err := strconv.Unquote(parts[3])
	return source{parts[1], parts[2], user}, err == nil
}

// SourceError reports a folder with an export of something else.
type SourceError struct {
	Kind      string // memories, memos, events or memory_files
	User      string // of memories and their files; of events the calendar
	SameStore bool
}

func (e *SourceError) Error() string { return "the folder has an export of " + e.Kind }

// mirror is a run that updates a folder.
type mirror struct {
	*folder
	was    source // of the manifest
	source source
	before versions
	after  versions
	lines  []string // of the index
	done   Mirrored
}

// update runs fill on the mirror in a folder, then finishes the run.
func update(ctx context.Context, dir confine.Place, index string, from source, fill func(*mirror) error) (Mirrored, error) {
	root, err := openRoot(dir)
	if err != nil {
		return Mirrored{}, err
	}
	m, err := openMirror(ctx, root, from)
	if err != nil {
		return Mirrored{}, err
	}
	defer m.close()
	if err := fill(m); err != nil {
		return m.done, err
	}
	return m.done, m.finish(ctx, index)
}

// openMirror starts a run. It takes ownership of root. It fails with a SourceError
// if the folder has another kind of records than from.
func openMirror(ctx context.Context, root *os.Root, from source) (*mirror, error) {
	f, err := openFolder(ctx, root)
	if err != nil {
		return nil, err
	}
	was, before, err := f.manifest()
	if err == nil && was.kind != from.kind && was != (source{}) && from != (source{}) {
		err = &SourceError{was.kind, was.user, was.inStore(from)}
	}
	if err != nil {
		f.close()
		return nil, err
	}
	if from == (source{}) {
		from = was
	}
	f.leaving = foldersOf(before)
	return &mirror{folder: f, was: was, source: from, before: before, after: versions{}}, nil
}

func (m *mirror) has(d Document) bool {
	_, ok := m.before[d.fileName()]
	return ok
}

func (m *mirror) add(d Document) error {
	changed, err := m.file(d.fileName(), d.markdown())
	if err != nil {
		return err
	}
	m.count(changed)
	m.lines = append(m.lines, d.indexLine(d.fileName()))
	return nil
}

func (m *mirror) count(changed bool) {
	if changed {
		m.done.Written++
	} else {
		m.done.Unchanged++
	}
}

// file writes a file unless it is up to date.
func (m *mirror) file(name string, data []byte) (changed bool, err error) {
	sum := sumOf(data)
	was, exists, err := m.checked(name, sum, m.before[name])
	if err != nil {
		return false, err
	}
	if exists && was.sum == sum {
		m.after[name] = []written{was}
		return false, nil
	}
	mtime, err := m.put(name, data)
	m.after[name] = []written{{sum, int64(len(data)), mtime}}
	if exists {
		m.after[name] = append(m.after[name], was)
	}
	return true, err
}

// finish writes the index, removes unwanted files, and moves everything into
// place.
func (m *mirror) finish(ctx context.Context, title string) error {
	if title != "" {
		if _, err := m.file(indexName, indexOf(title, m.lines)); err != nil {
			return err
		}
	}
	gone := 0
	for name, known := range m.before {
		if _, wanted := m.after[name]; wanted {
			continue
		}
		if !m.sameSource() {
			return &SourceError{m.was.kind, m.was.user, m.was.inStore(m.source)}
		}
		gone++
		_, exists, err := m.found(name, known)
		switch {
		case leads(m, name) != nil || errors.As(err, new(*ForeignError)) || err == nil && !exists:
			continue
		case err != nil:
			return err
		}
		if err := m.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		removeParents(m.root, name)
		m.done.Removed++
	}
	if m.stage == nil && gone == 0 && (!m.was.unknown() || m.source.unknown()) {
		return nil
	}
	if err := m.writeManifest(m.source, m.after); err != nil {
		return err
	}
	return m.commit(ctx)
}

// sameSource reports whether the files of earlier runs are of the source of this run, as far
// as it is known.
func (m *mirror) sameSource() bool {
	switch {
	case m.source == (source{}), m.was == (source{}), m.was == m.source:
		return true
	case m.was.kind == m.source.kind && (m.was.unknown() || m.source.unknown()):
		for name := range m.before {
			if m.after[name] != nil && name != indexName {
				return true
			}
		}
	}
	return false
}

// keep moves the written files into place and leaves earlier ones.
func (m *mirror) keep(ctx context.Context) error {
	if m.stage == nil {
		return nil
	}
	for name, known := range m.before {
		if _, written := m.after[name]; !written {
			m.after[name] = known
		}
	}
	if err := m.writeManifest(m.source, m.after); err != nil {
		return err
	}
	return m.commit(ctx)
}

// writeManifest writes the manifest. It moves into place first, so that every file
// of techo has its line.
func (f *folder) writeManifest(from source, all versions) error {
	var b strings.Builder
	b.WriteString(from.line())
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, w := range all[name] {
			b.WriteString(w.line(name))
		}
	}
	if _, err := f.put(manifestName, []byte(b.String())); err != nil {
		return err
	}
	last := len(f.wrote) - 1
	f.wrote[0], f.wrote[last] = f.wrote[last], f.wrote[0]
	return nil
}

// manifest reads the manifest of earlier runs. It ignores malformed lines, and a
// link in the place of the manifest, which no run creates.
func (f *folder) manifest() (from source, all versions, err error) {
	all = versions{}
	st, err := f.root.Lstat(manifestName)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !st.Mode().IsRegular() {
		return from, all, nil
	}
	if err != nil {
		return from, nil, err
	}
	r, err := f.root.OpenFile(manifestName, os.O_RDONLY, 0)
	if err != nil {
		return from, nil, err
	}
	defer r.Close()
	in := bufio.NewReader(r)
	for first := true; ; first = false {
		line, err := in.ReadString('\n')
		if first {
			from, _ = readSource(line)
		}
		if name, w, ok := readLine(from, strings.TrimSuffix(line, "\n")); ok {
			all[name] = append(all[name], w)
		}
		if errors.Is(err, io.EOF) {
			return from, all, nil
		}
		if err != nil {
			return from, nil, err
		}
	}
}

func readLine(from source, line string) (name string, w written, ok bool) {
	parts := strings.SplitN(line, " ", 4)
	if len(parts) < 4 {
		return "", w, false
	}
	size, e1 := strconv.ParseInt(parts[1], 10, 64)
	mtime, e2 := strconv.ParseInt(parts[2], 10, 64)
	name = parts[3]
	ours := name == indexName || name == safeName(strings.TrimSuffix(name, ".md"))+".md"
	if from.kind == memoryFilesKind {
		_, ours = memoryFileName(memfile.Root + "/" + name)
	}
	return name, written{parts[0], size, mtime}, e1 == nil && e2 == nil && ours
}
