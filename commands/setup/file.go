package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"techo/commands/system"
	"techo/internal/regular"
	"techo/internal/splice"
	"techo/tools"
)

// file is a file of a client and what techo adds to it.
type file struct {
	env     *tools.Env
	path    string        // without links
	format  splice.Format // nil for a file that is techo's alone
	initial string        // of a new file
	edits   []edit
	content string   // of a file that is techo's alone
	kind    part     // likewise
	head    string   // likewise: the beginning of each version
	others  []string // contents in other languages

	exists bool
	old    []byte
	mode   fs.FileMode
}

// skillHead is the beginning of each version of the skill.
const skillHead = "---\nname: " + system.Name + "\n"

const maxConfig = 64 << 20

// read reads the file. It follows links; in a project none may lead out of it.
func (f *file) read(project string) error {
	real, err := resolve(f.env, f.path)
	if err != nil {
		return err
	}
	if project != "" {
		root, err := filepath.EvalSymlinks(project)
		if err != nil {
			return err
		}
		if real != root && !strings.HasPrefix(real, strings.TrimSuffix(root, string(filepath.Separator))+
			string(filepath.Separator)) {
			return f.env.Fail(tools.Forbidden, "%s was not changed: a link leads out of the project", f.path).
				WithHint(f.env.Hint("Replace the link by a file"))
		}
	}
	f.path, f.mode = real, 0o600
	if project != "" {
		f.mode = 0o644
	}
	st, err := os.Stat(real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !st.Mode().IsRegular():
		return notFile(f.env, real)
	case st.Size() > maxConfig:
		return fmt.Errorf("%s: %d bytes are too much for a configuration", real, st.Size())
	}
	f.exists, f.mode = true, st.Mode().Perm()
	f.old, err = regular.Read(real, maxConfig)
	return err
}

// resolve returns a path without links. The file and folders above it need not exist.
func resolve(env *tools.Env, path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if exists(path) {
		return "", notFile(env, path) // a link to nothing
	}
	dir, err := resolve(env, filepath.Dir(path))
	return filepath.Join(dir, filepath.Base(path)), err
}

func notFile(env *tools.Env, path string) *tools.Error {
	return env.Fail(tools.Conflict, "%s is not a file", path).WithHint(env.Hint("Remove it and run it again"))
}

// text returns the content to edit.
func (f *file) text() []byte {
	if !f.exists {
		return []byte(f.initial)
	}
	return f.old
}

// set returns the content with techo's additions, and a record of the changes.
func (f *file) set(rec record) ([]byte, record, error) {
	if f.format == nil {
		if f.exists && !f.isOwn() && rec.Sum != sumOf(f.old) && !strings.HasPrefix(string(f.old), f.head) {
			return nil, rec, f.env.Fail(tools.Conflict, "%s was not changed: techo did not write it", f.path).
				WithHint(f.env.Hint("Move it away and run it again, or leave it out: %s", tools.Flag("no-skill")))
		}
		rec.Sum = sumOf([]byte(f.content))
		return []byte(f.content), rec, nil
	}
	again, _, err := f.edit(f.text())
	if err != nil || f.exists && string(again) == string(f.old) {
		return again, rec, err
	}
	base, ok := undo(f.text(), rec.Steps)
	if !ok { // the first time, or the additions were changed: they stay, with new values
		base = f.text()
	}
	text, steps, err := f.edit(base)
	if ok || len(rec.Steps) == 0 {
		rec.Steps = steps
	}
	return text, rec, err
}

func (f *file) edit(text []byte) ([]byte, []step, error) {
	var steps []step
	for _, e := range f.edits {
		after, err := e.set(f.format, text)
		if err != nil {
			return nil, nil, f.failed(err)
		}
		if string(after) != string(text) {
			steps = append(steps, stepOf(text, after))
		}
		text = after
	}
	return text, steps, nil
}

// unset returns the content without techo's additions. gone reports that the file is to
// be removed.
func (f *file) unset(rec record) (text []byte, gone bool, err error) {
	if !f.exists {
		return nil, false, nil
	}
	if f.format == nil {
		if !f.isOwn() && rec.Sum != sumOf(f.old) {
			return f.old, false, nil // the person changed it
		}
		return nil, true, nil
	}
	text, ok := undo(f.old, rec.Steps)
	if !ok {
		text = f.old
		for _, e := range f.edits {
			if text, err = e.unset(f.format, text); err != nil {
				return nil, false, f.failed(err)
			}
		}
		if text, err = f.prune(text, rec); err != nil {
			return nil, false, f.failed(err)
		}
	}
	rest := strings.TrimSpace(string(text))
	return text, rec.Created && (rest == strings.TrimSpace(f.initial) || rest == "" || rest == "{}"), nil
}

// prune removes empty objects and lists that setup created.
func (f *file) prune(text []byte, rec record) (_ []byte, err error) {
	for i := len(f.edits) - 1; i >= 0; i-- {
		path := f.edits[i].place()
		for n := len(path); n > 0; n-- {
			value, ok, err := f.format.Get(text, path[:n])
			if err != nil {
				return nil, err
			}
			if !ok || !isEmpty(value) || !rec.inserted(path[n-1]) {
				continue
			}
			if text, err = f.format.Remove(text, path[:n]); err != nil {
				return nil, err
			}
		}
	}
	return text, nil
}

// inserted reports whether a step inserted a member with a name.
func (r record) inserted(name string) bool {
	for _, s := range r.Steps {
		if strings.Contains(s.Inserted, `"`+name+`"`) {
			return true
		}
	}
	return false
}

// isEmpty reports whether a value is an object or a list without content.
func isEmpty(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}

func (f *file) failed(err error) error { return unedited(f.env, f.path, err) }

// unedited returns the error for a configuration that cannot be edited.
func unedited(env *tools.Env, path string, err error) *tools.Error {
	if errors.Is(err, splice.ErrShape) {
		return env.Fail(tools.Conflict, "%s was not changed, because its structure is not the expected one", path).
			WithHint(env.Hint("Move the file away, or correct it, and run it again"))
	}
	return env.Fail(tools.Conflict, "%s was not changed, because it cannot be parsed", path).
		WithHint(env.Hint("Correct the file and run it again: %v", err))
}

// status returns the worst state of a part of the additions.
func (f *file) status(rec record, p part) Status {
	recorded := slices.Contains(rec.Parts, p)
	if f.format == nil {
		switch {
		case !f.exists && recorded:
			return Missing
		case !f.exists:
			return Absent
		case f.isOwn():
			return Current
		}
		return Stale
	}
	worst, present, absent := Absent, false, false
	for _, e := range f.edits {
		if e.part() != p {
			continue
		}
		s, err := e.status(f.format, f.text())
		if err != nil {
			return Broken
		}
		present, absent = present || s != Absent, absent || s == Absent
		worst = worse(worst, s)
	}
	if absent && (present || recorded) {
		worst = worse(worst, Missing)
	}
	return worst
}

// isOwn reports whether a file that is techo's alone is as setup writes it.
func (f *file) isOwn() bool {
	return withoutSettings(string(f.old)) == withoutSettings(f.content) || slices.Contains(f.others, string(f.old))
}

func (f *file) parts() (all []part) {
	if f.format == nil {
		return []part{f.kind}
	}
	for _, e := range f.edits {
		if !slices.Contains(all, e.part()) {
			all = append(all, e.part())
		}
	}
	return all
}

// IsHooks reports whether the checked part is the hooks.
func (f File) IsHooks() bool { return f.Part == hooksPart }

func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
