package export

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sort"
	"strconv"
	"strings"
)

// # Mirrors
//
// A mirror is a folder that is brought up to date again and again. Its manifest,
// .techo-export, has a line for each file that was written:
//
//	sum size mtime name
//
// in hexadecimal, bytes and nanoseconds. A file whose sum is the new one's and
// which nobody has touched is left alone; one that is no longer wanted is
// removed, unless somebody has changed it since; files that no line names are
// nobody's business.

// written is a line of the manifest.
type written struct {
	sum   string
	size  int64
	mtime int64
}

// Mirrored tells what was done to a mirror. INDEX.md is not counted.
type Mirrored struct {
	Written   int
	Unchanged int
	Removed   int
}

// mirror brings a folder up to date.
type mirror struct {
	*folder
	before map[string]written
	after  map[string]written
	lines  []string // of the index
	done   Mirrored
}

// openMirror takes the root over, and closes it.
func openMirror(ctx context.Context, root *os.Root) (*mirror, error) {
	f, err := openFolder(ctx, root)
	if err != nil {
		return nil, err
	}
	before, err := f.manifest()
	if err != nil {
		f.close()
		return nil, err
	}
	return &mirror{folder: f, before: before, after: map[string]written{}}, nil
}

// has reports whether the folder has a document's file already.
func (m *mirror) has(d Document) bool {
	_, ok := m.before[d.fileName()]
	return ok
}

// add takes a document into the folder.
func (m *mirror) add(d Document) error {
	changed, err := m.file(d.fileName(), d.markdown())
	if err != nil {
		return err
	}
	if changed {
		m.done.Written++
	} else {
		m.done.Unchanged++
	}
	m.lines = append(m.lines, d.indexLine(d.fileName()))
	return nil
}

// file writes a file, unless it is there as it should be.
func (m *mirror) file(name string, data []byte) (changed bool, err error) {
	digest := sha256.Sum256(data)
	sum := hex.EncodeToString(digest[:12])
	if w, ok := m.before[name]; ok && w.sum == sum && m.untouched(name, w) {
		m.after[name] = w
		return false, nil
	}
	mtime, err := m.put(name, data)
	m.after[name] = written{sum, int64(len(data)), mtime}
	return true, err
}

func (m *mirror) untouched(name string, w written) bool {
	st, err := m.root.Lstat(name)
	return err == nil && st.Mode().IsRegular() && st.Size() == w.size && st.ModTime().UnixNano() == w.mtime
}

// finish writes the index, removes what is gone, and puts everything into its
// place.
func (m *mirror) finish(ctx context.Context, title string) error {
	if _, err := m.file(indexName, indexOf(title, m.lines)); err != nil {
		return err
	}
	gone := 0
	for name, w := range m.before {
		if _, wanted := m.after[name]; wanted {
			continue
		}
		gone++
		if !m.untouched(name, w) {
			continue
		}
		if err := m.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		m.done.Removed++
	}
	if m.stage == nil && gone == 0 {
		return nil
	}
	if err := m.writeManifest(); err != nil {
		return err
	}
	return m.commit(ctx)
}

// writeManifest writes the manifest, which is the first to come into its place:
// of a file that it names too early the time is another, and the file is
// written again.
func (m *mirror) writeManifest() error {
	names := make([]string, 0, len(m.after))
	for name := range m.after {
		names = append(names, name)
	}
	sort.Strings(names)
	var b strings.Builder
	for _, name := range names {
		w := m.after[name]
		fmt.Fprintf(&b, "%s %d %d %s\n", w.sum, w.size, w.mtime, name)
	}
	if _, err := m.put(manifestName, []byte(b.String())); err != nil {
		return err
	}
	last := len(m.wrote) - 1
	m.wrote[0], m.wrote[last] = m.wrote[last], m.wrote[0]
	return nil
}

// manifest reads which files earlier runs wrote. What is no line of it names
// no file. A link in its place, which no run made, is none, and is replaced.
func (f *folder) manifest() (map[string]written, error) {
	all := map[string]written{}
	st, err := f.root.Lstat(manifestName)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !st.Mode().IsRegular() {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	r, err := f.root.OpenFile(manifestName, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for lines := bufio.NewScanner(r); lines.Scan(); {
		parts := strings.SplitN(lines.Text(), " ", 4)
		if len(parts) < 4 {
			continue
		}
		size, e1 := strconv.ParseInt(parts[1], 10, 64)
		mtime, e2 := strconv.ParseInt(parts[2], 10, 64)
		name := parts[3]
		if e1 == nil && e2 == nil && (name == indexName || name == safeName(strings.TrimSuffix(name, ".md"))+".md") {
			all[name] = written{parts[0], size, mtime}
		}
	}
	return all, nil
}
