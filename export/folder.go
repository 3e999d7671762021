package export

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// # Folders
//
// Files go into a folder in three steps: all that change are written into a
// folder of their own beside them, .techo-export-*.tmp; one sync makes them
// safe; then each is renamed into its place. So a run that is interrupted at any
// moment, and a machine that loses its power, leave whole files only, and
// thousands of files cost one sync. What such a run leaves behind is removed by
// the next.
//
// All names are resolved beneath the folder (os.Root): a link that somebody
// planted in it is replaced, not followed.
const (
	stagePrefix  = ".techo-export-"
	stageSuffix  = ".tmp"
	manifestName = ".techo-export"
	indexName    = "INDEX.md"
)

// folder writes files.
type folder struct {
	root  *os.Root
	stage *os.Root // nil until the first file
	name  string   // of the stage
	lock  *os.File
	wrote []string
}

// openRoot opens a folder, which is made, private, when it is not there.
func openRoot(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}

// openFolder waits until no other run writes to a folder. It takes the root
// over, and closes it.
func openFolder(ctx context.Context, root *os.Root) (f *folder, err error) {
	f = &folder{root: root}
	if f.lock, err = lockFolder(ctx, root); err == nil {
		err = f.sweep()
	}
	if err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// close removes what was not kept.
func (f *folder) close() {
	if f.stage != nil {
		f.stage.Close()
		_ = f.root.RemoveAll(f.name)
	}
	if f.lock != nil {
		f.lock.Close()
	}
	f.root.Close()
}

// sweep removes what runs that were interrupted have left.
func (f *folder) sweep() error {
	d, err := f.root.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	for _, name := range names {
		if err == nil && strings.HasPrefix(name, stagePrefix) && strings.HasSuffix(name, stageSuffix) {
			err = f.root.RemoveAll(name)
		}
	}
	return err
}

// put writes a file to the stage, and returns its time in nanoseconds.
func (f *folder) put(name string, data []byte) (mtime int64, err error) {
	if f.stage == nil {
		if err := f.begin(); err != nil {
			return 0, err
		}
	}
	w, err := f.stage.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	var st fs.FileInfo
	if _, err = w.Write(data); err == nil {
		st, err = w.Stat()
	}
	if e := w.Close(); err == nil {
		err = e
	}
	f.wrote = append(f.wrote, name)
	if err != nil {
		return 0, err
	}
	return st.ModTime().UnixNano(), nil
}

func (f *folder) begin() (err error) {
	for n := range 1000 {
		f.name = fmt.Sprintf("%s%d-%d%s", stagePrefix, os.Getpid(), n, stageSuffix)
		if err = f.root.Mkdir(f.name, 0o700); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err == nil {
		f.stage, err = f.root.OpenRoot(f.name)
	}
	return err
}

// commit puts the files into their places.
func (f *folder) commit(ctx context.Context) error {
	if f.stage == nil {
		return nil
	}
	if err := syncAll(f.stage); err != nil {
		return err
	}
	for _, name := range f.wrote {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := f.root.Rename(filepath.Join(f.name, name), name); err != nil {
			return err
		}
	}
	f.wrote = nil
	return syncFolder(f.root)
}

func syncFolder(root *os.Root) error {
	d, err := root.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	return ignoreUnsupported(d.Sync())
}

// safeName is the name of a file for an id: the id itself, unless some system
// would take it for something else.
func safeName(id string) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."
	ok := id != "" && len(id) <= 100 && strings.Trim(id, letters) == "" && !strings.ContainsAny(id[:1], ".-") &&
		!strings.HasSuffix(id, ".") && !strings.EqualFold(id, strings.TrimSuffix(indexName, ".md"))
	base, _, _ := strings.Cut(strings.ToLower(id), ".")
	device := slices.Contains([]string{"con", "prn", "aux", "nul"}, base) ||
		len(base) == 4 && (strings.HasPrefix(base, "com") || strings.HasPrefix(base, "lpt"))
	if ok && !device {
		return id
	}
	return digestName(id)
}

func digestName(id string) string {
	digest := sha256.Sum256([]byte(id))
	return "id-" + hex.EncodeToString(digest[:10])
}

// distinct gives names that no system takes for each other: some do not tell
// large letters from small ones.
type distinct map[string]bool

func (d distinct) of(id string) string {
	name := safeName(id)
	if d[strings.ToLower(name)] {
		name = digestName(id)
	}
	d[strings.ToLower(name)] = true
	return name
}

// OneLine brings a text into one line without control characters.
func OneLine(text string) string {
	blank := func(r rune) bool {
		return r <= ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029
	}
	odd := func(r rune) bool { return r != ' ' && blank(r) }
	if !strings.ContainsFunc(text, odd) && !strings.Contains(text, "  ") && strings.Trim(text, " ") == text {
		return text
	}
	return strings.Join(strings.FieldsFunc(text, blank), " ")
}

// plain brings a text into one line that makes no link and no tag in Markdown.
func plain(text string) string {
	text = OneLine(text)
	if !strings.ContainsAny(text, "[]<") {
		return text
	}
	return strings.NewReplacer("[", `\[`, "]", `\]`, "<", `\<`).Replace(text)
}

// Refused returns what is wrong with the folder itself, as far as a person can
// see to it: no permission, a file or a link in its place. nil is another fault.
func Refused(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	full := errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
	if !full && (errors.As(err, &path) || errors.As(err, &link)) {
		return err
	}
	return nil
}
