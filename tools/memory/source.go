package memory

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"techo/store/memory"
	"techo/tools"
)

// # Sources
//
// A source is text. One that names a file is read once, when it is given: its hash shows later
// whether the file has changed. Only a caller that may read files gets it read, and only files in
// its roots: what lies outside of them is never said to be there, changed or gone.

// The states of a source.
const (
	sourceUnknown = iota // no file, or none that the caller may read
	sourceSame
	sourceChanged
	sourceGone
)

// fileSource is the file of a source and its lines, all if last is 0.
type fileSource struct {
	path        string
	first, last int
}

// fileOf returns the file that a source names.
func fileOf(text string) (f fileSource, ok bool) {
	if f.path, ok = strings.CutPrefix(text, "file:"); !ok {
		return fileSource{}, false
	}
	if at := regexp.MustCompile(`^(.+)#L([0-9]{1,9})(?:-L?([0-9]{1,9}))?$`).FindStringSubmatch(f.path); at != nil {
		f.path = at[1]
		f.first, _ = strconv.Atoi(at[2])
		if f.last, _ = strconv.Atoi(at[3]); at[3] == "" {
			f.last = f.first
		}
	}
	return f, f.path != ""
}

// text returns the source of the file at another path.
func (f fileSource) text(path string) string {
	switch {
	case f.last == 0:
		return "file:" + path
	case f.first == f.last:
		return fmt.Sprintf("file:%s#L%d", path, f.first)
	}
	return fmt.Sprintf("file:%s#L%d-L%d", path, f.first, f.last)
}

// lines returns the lines of the source in a content; ok is false if it has less.
func (f fileSource) lines(content []byte) (part []byte, ok bool) {
	if f.last == 0 {
		return content, true
	}
	all := bytes.SplitAfter(content, []byte("\n"))
	if f.first < 1 || f.last < f.first || f.last > len(all) {
		return nil, false
	}
	return bytes.Join(all[f.first-1:f.last], nil), true
}

// mayRead reports whether the caller may read files.
func mayRead(env *tools.Env) bool {
	reads := func(t *tools.Tool) bool {
		return t.Name == "read_file" && (t.When == nil || t.When(env) == nil)
	}
	return env.Memory.ReadFile != nil && (env.Naming == nil || slices.ContainsFunc(env.Tools, reads))
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// readSource returns the source that a text names, with the hash of its file.
func readSource(ctx context.Context, env *tools.Env, text string) (memory.Source, error) {
	source := memory.Source{Text: strings.TrimSpace(text)}
	f, ok := fileOf(source.Text)
	if !ok || !mayRead(env) {
		return source, nil
	}
	content, at, err := env.Memory.ReadFile(ctx, env, f.path)
	if err != nil {
		return source, err
	}
	part, ok := f.lines(content)
	if !ok {
		return source, tools.InvalidField(env, "/source", "names lines that %s does not have", f.path)
	}
	return f.source(env, at, content, part), nil
}

// WholeSource returns the source of a file that was read as a whole.
func WholeSource(env *tools.Env, at string, content []byte) memory.Source {
	if real, err := filepath.EvalSymlinks(at); err == nil {
		at = real
	}
	return fileSource{}.source(env, at, content, content)
}

// source returns the source of a part of a file: its path is relative to the workspace, or else to
// its repository or its folder.
func (f fileSource) source(env *tools.Env, at string, content, part []byte) memory.Source {
	source := memory.Source{Hash: hashOf(part), Dir: workspaceOf(env)}
	repository := repositoryOf(at)
	if repository != "" {
		source.Blob = blobOf(content)
	}
	inside, err := filepath.Rel(source.Dir, at)
	if source.Dir != "" && err == nil && filepath.IsLocal(inside) {
		source.Text, source.Dir = f.text(filepath.ToSlash(inside)), ""
		return source
	}
	source.Dir = repository
	if inside, err = filepath.Rel(source.Dir, at); repository == "" || err != nil {
		source.Dir, inside = filepath.Dir(at), filepath.Base(at)
	}
	source.Text = f.text(filepath.ToSlash(inside))
	return source
}

// workspaceOf returns the folder whose workspace the store is, "" for another store.
func workspaceOf(env *tools.Env) string {
	if env.Where == nil {
		return ""
	}
	where, err := env.Where()
	if err != nil || filepath.Base(where) != ".techo" {
		return ""
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(where)); err == nil {
		return real
	}
	return filepath.Dir(where)
}

// repositoryOf returns the folder of the git repository with a file, or "".
func repositoryOf(file string) string {
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// sourceState compares the file of a source with its hash.
func sourceState(ctx context.Context, env *tools.Env, source memory.Source) int {
	state, _ := readAgain(ctx, env, source)
	return state
}

// readAgain compares the file of a source with its hash, and returns the source as it is now. One
// without its file or its lines keeps its text alone.
func readAgain(ctx context.Context, env *tools.Env, source memory.Source) (state int, now memory.Source) {
	now = source
	f, ok := fileOf(source.Text)
	if !ok || source.Hash == "" || !mayRead(env) {
		return sourceUnknown, now
	}
	if source.Dir == "" {
		source.Dir = workspaceOf(env)
	}
	if source.Dir == "" && !filepath.IsAbs(f.path) {
		return sourceUnknown, now
	}
	content, at, err := env.Memory.ReadFile(ctx, env, filepath.Join(source.Dir, filepath.FromSlash(f.path)))
	failed := new(tools.Error)
	if errors.As(err, &failed) && failed.Code == tools.NotFound {
		now.Hash, now.Blob = "", ""
		return sourceGone, now
	}
	if err != nil {
		return sourceUnknown, now
	}
	part, ok := f.lines(content)
	if !ok {
		now.Hash, now.Blob = "", ""
		return sourceChanged, now
	}
	if now.Hash = hashOf(part); now.Hash == source.Hash {
		return sourceSame, source
	}
	if now.Blob = ""; repositoryOf(at) != "" {
		now.Blob = blobOf(content)
	}
	return sourceChanged, now
}

// blobOf returns the id of a content in git.
func blobOf(content []byte) string {
	sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(content), content))
	return hex.EncodeToString(sum[:])
}

// StaleSource reports whether the file of a source has changed since it was read, or is gone. A file
// that the caller may not read is neither.
func StaleSource(ctx context.Context, env *tools.Env, source memory.Source) (changed, gone bool) {
	state := sourceState(ctx, env, source)
	return state == sourceChanged, state == sourceGone
}

// renewed returns the sources, by the ids of their memories, whose file has changed or is gone, as
// they are now.
func renewed(ctx context.Context, env *tools.Env, all []memory.Memory) map[string]memory.Source {
	found := map[string]memory.Source{}
	for _, m := range all {
		if state, now := readAgain(ctx, env, m.Source); state == sourceChanged || state == sourceGone {
			found[m.ID] = now
		}
	}
	return found
}
