package export

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"techo/internal/atomicfile"
	"techo/internal/confine"
)

// # Folders
//
// Writing files into a folder takes three steps. All changed files are written to
// a staging folder beside them, .techo-export-*.tmp; one flush makes them durable;
// then each is renamed into place. An interrupted run or a power failure therefore
// leaves complete files only, and thousands of files cost one flush. The next run
// removes what an interrupted one left.
//
// All names are resolved beneath the folder (os.Root): a planted link is replaced,
// not followed.
const (
	stagePrefix  = ".techo-export-"
	stageSuffix  = ".tmp"
	manifestName = ".techo-export"
	indexName    = "INDEX.md"
)

type folder struct {
	root  *os.Root
	stage *os.Root // nil until the first file
	name  string   // of the stage
	lock  *os.File
	wrote []string
	free  map[string]bool // names without a file when the run began

	leaving map[string]bool // folders that earlier runs made
}

// openRoot opens a folder, and creates a missing one with access for its owner
// only.
func openRoot(dir confine.Place) (*os.Root, error) { return dir.MakeRoot(0o700) }

// openFolder waits until no other run writes to the folder. It takes ownership of
// root.
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

// close removes files that were not committed.
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

// sweep removes the leftovers of interrupted runs.
func (f *folder) sweep() error {
	atomicfile.Sweep(f.root, tempPrefix, tempAge)
	d, err := f.root.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	for _, name := range names {
		if err == nil && isStage(name) {
			err = f.sweepStage(name)
		}
	}
	return err
}

// isStage reports whether begin names staging folders like this.
func isStage(name string) bool {
	middle, ok := strings.CutPrefix(name, stagePrefix)
	middle, tmp := strings.CutSuffix(middle, stageSuffix)
	if !ok || !tmp {
		return false
	}
	pid, n, two := strings.Cut(middle, "-")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	return two && digits(pid) && digits(n)
}

// sweepStage removes one leftover: a file, a link itself, or a folder of files. A
// folder with anything else remains.
func (f *folder) sweepStage(name string) error {
	st, err := f.root.Lstat(name)
	switch {
	case err != nil:
		return nil
	case !st.IsDir():
		return f.root.Remove(name)
	}
	stage, err := f.root.OpenRoot(name)
	if err != nil {
		return err
	}
	defer stage.Close()
	entries, err := fs.ReadDir(stage.FS(), ".")
	for _, e := range entries {
		if err == nil && e.Type().IsRegular() {
			err = stage.Remove(e.Name())
		}
	}
	if err == nil {
		_ = f.root.Remove(name)
	}
	return err
}

// put writes a file to the staging folder, and returns its modification time in
// nanoseconds.
func (f *folder) put(name string, data []byte) (mtime int64, err error) {
	if f.stage == nil {
		if err := f.begin(); err != nil {
			return 0, err
		}
	}
	w, err := f.stage.OpenFile(stagedName(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
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
		if err := f.place(name); err != nil {
			return err
		}
	}
	wrote := f.wrote
	f.wrote = nil
	if err := syncParents(f.root, wrote); err != nil {
		return err
	}
	return atomicfile.SyncFolder(f.root)
}

// stagedName returns the name of a file in the staging folder, which has no subfolders.
func stagedName(name string) string {
	if strings.Contains(name, "/") {
		return digestName(name)
	}
	return name
}

// safeName returns the file name for an id: the id itself, unless some system
// would give it another meaning.
func safeName(id string) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."
	ok := id != "" && len(id) <= 100 && strings.Trim(id, letters) == "" && !strings.ContainsAny(id[:1], ".-") &&
		!strings.HasSuffix(id, ".") && !strings.EqualFold(id, strings.TrimSuffix(indexName, ".md"))
	base, _, _ := strings.Cut(strings.ToLower(id), ".")
	device := slices.Contains([]string{"con", "prn", "aux", "nul"}, base) ||
		len(base) == 4 && (strings.HasPrefix(base, "com") || strings.HasPrefix(base, "lpt"))
	if ok && !device && !strings.HasPrefix(base, digestPrefix) {
		return id
	}
	return digestName(id)
}

// digestPrefix begins names that are digests, and no others: else an id could be
// chosen that has the name of another one.
const digestPrefix = "id-"

func digestName(id string) string {
	digest := sha256.Sum256([]byte(id))
	return digestPrefix + hex.EncodeToString(digest[:10])
}

// distinct assigns file names that differ on all systems, also where case is
// ignored.
type distinct map[string]bool

func (d distinct) of(id string) string {
	name := safeName(id)
	if d[strings.ToLower(name)] {
		name = digestName(id)
	}
	d[strings.ToLower(name)] = true
	return name
}

// OneLine returns a text on one line without control characters.
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

// plain returns a text on one line that forms no link and no tag in Markdown.
func plain(text string) string {
	text = OneLine(text)
	if !strings.ContainsAny(text, "[]<") {
		return text
	}
	return strings.NewReplacer("[", `\[`, "]", `\]`, "<", `\<`).Replace(text)
}

// Refused returns the part of an error that the user can fix at the folder:
// missing permission, or a file or link in its place. It returns nil for other
// errors.
func Refused(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	full := errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
	if !full && (errors.As(err, &path) || errors.As(err, &link)) {
		return err
	}
	return nil
}
