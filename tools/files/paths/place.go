// Package paths finds the files that callers name: it resolves links, keeps to the roots, opens and
// locks files, and shows paths in results. The tools of the packages beside it reach files through it
// only.
package paths

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/text/unicode/norm"

	"techo/internal/charset"
	"techo/internal/confine"
	"techo/store/edit"
	"techo/tools"
)

// # Confinement
//
// Each path from a caller becomes a place first: a root folder and a path in it.
// Locate resolves the links of the path, so a link into a root is allowed, and it
// refuses every path outside of the roots in the same way, whether a file exists
// there or not.
//
// That check alone would be a race, because another process may create a link
// afterwards. Therefore all further operations go through the os.Root, which never
// leaves its folder.
//
// Without configured roots, a place has no root and an absolute path.

// Place is the location of a path.
type Place struct {
	confine.Place // its path is free of links

	Shown string // as the caller wrote it, for output

	Slash      bool // the path ends in a slash, so it names a folder
	Normalized bool // a name has another Unicode form on the disk than the caller wrote
}

// Locate returns the place of a path, which need not exist. It fails with
// FORBIDDEN for a path outside of the roots.
func Locate(env *tools.Env, path string) (Place, error) {
	path = Plain(path)
	p := Place{Shown: Show(path), Slash: path != "" && os.IsPathSeparator(path[len(path)-1])}
	if strings.ContainsRune(path, 0) {
		return p, tools.InvalidField(env, "/path", "must not contain NUL")
	}
	if err := checkName(env, path); err != nil {
		return p, err
	}
	roots, err := tools.Roots(env)
	if err != nil {
		return p, Error(env, p.Shown, err)
	}
	if err := p.follow(env, roots, confine.Under(env.Dir, expandHome(env, path))); err != nil {
		return p, err
	}
	if p.inOtherForm() { // the other name may be a link
		err = p.follow(env, roots, p.Full())
	}
	return p, err
}

func (p *Place) follow(env *tools.Env, roots []*os.Root, full string) error {
	if len(roots) == 0 {
		real, err := confine.Follow(full)
		p.Path = real
		return Error(env, p.Shown, err)
	}
	at, err := confine.Locate(roots, full)
	if err != nil {
		return tools.Outside(env, p.Shown)
	}
	p.Place = at
	return nil
}

// expandHome replaces ~ and ~USER at the beginning of a path, as a shell does: callers quote paths, and
// programs without a shell pass them on. A name such as ~draft stays what it is unless it is a user's.
func expandHome(env *tools.Env, path string) string {
	if !strings.HasPrefix(path, "~") {
		return path
	}
	end := strings.IndexFunc(path, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(byte(r)) })
	if end < 0 {
		end = len(path)
	}
	home := env.Host.Home
	if name := path[1:end]; name != "" {
		home = ""
		if _, err := os.Lstat(filepath.Join(env.Dir, path[:end])); err != nil {
			if u, err := user.Lookup(name); err == nil {
				home = u.HomeDir
			}
		}
	}
	if home == "" {
		return path
	}
	return home + string(filepath.Separator) + path[end:]
}

// Forbidden refuses an input with a path outside of the roots, even if the
// input is invalid otherwise. It is the Forbidden hook of the tools.
func Forbidden(env *tools.Env, input []byte) *tools.Error {
	type named struct {
		Path any `json:"path"`
		From any `json:"from"`
		To   any `json:"to"`
	}
	var in struct {
		named
		Batch []named `json:"batch"`
	}
	_ = json.Unmarshal(input, &in) // validation reports other problems
	for _, n := range append(in.Batch, in.named) {
		for _, field := range []any{n.Path, n.From, n.To} {
			path, ok := field.(string)
			if !ok || path == "" || path == "-" && env.Host.Stdin != nil {
				continue
			}
			if e := ForbiddenPlace(env, path, false); e != nil {
				return e
			}
		}
	}
	return nil
}

// ForbiddenPlace returns the error of a path outside of the roots, or nil. The path may name a link itself that leads
// out of them.
func ForbiddenPlace(env *tools.Env, path string, itself bool) *tools.Error {
	find := Locate
	if itself {
		find = LocateEntry
	}
	_, err := find(env, path)
	if e := new(tools.Error); errors.As(err, &e) && e.Code == tools.Forbidden {
		return e
	}
	return nil
}

// With returns the place of another path below the same root, or of another whole path.
func (p Place) With(path string) Place { return Place{Place: p.Place.With(path)} }

// Parent opens the folder that contains the place, and returns the name in it.
func (p Place) Parent() (dir *os.Root, name string, err error) {
	dir, name, err = p.Place.Parent()
	return dir, name, NotFolder(filepath.Dir(p.Path), err)
}

// NotFolder converts the message of package os for a root that is not a folder
// into ENOTDIR.
func NotFolder(folder string, err error) error {
	if err != nil && strings.HasSuffix(err.Error(), "not a directory") {
		return &fs.PathError{Op: "open", Path: folder, Err: syscall.ENOTDIR}
	}
	return err
}

// IsStoreFile reports whether the place is a file of techo's store. Other files in
// the store's folder do not count.
func (p Place) IsStoreFile(env *tools.Env) bool {
	if env.Where == nil {
		return false
	}
	where, err := env.Where()
	if err == nil {
		where, err = filepath.EvalSymlinks(where)
	}
	if err != nil {
		return false // no store yet, or not a folder
	}
	inside, err := filepath.Rel(where, p.Full())
	name, _, _ := strings.Cut(inside, string(filepath.Separator))
	return err == nil && filepath.IsLocal(inside) && edit.IsStoreFile(name)
}

// Lstat describes the entry at a path that is relative to the place's root or absolute. It does not
// follow a link.
func (p Place) Lstat(path string) (fs.FileInfo, error) {
	if p.Root == nil {
		return os.Lstat(path)
	}
	return p.Root.Lstat(path)
}

// ReadDir reads the folder at the place. Its entries are in no order.
func (p Place) ReadDir() ([]fs.DirEntry, error) {
	f, err := p.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}

// FirstFile returns the full path of the first entry in or below the folder at the place that is neither a folder nor
// in a set, or "".
func (p Place) FirstFile(except map[string]bool) string {
	info, err := p.Lstat(p.Path)
	if err != nil || !info.IsDir() {
		return ""
	}
	entries, err := p.ReadDir()
	if err != nil {
		return p.Full()
	}
	for _, e := range entries {
		one := p.With(filepath.Join(p.Path, e.Name()))
		if !e.IsDir() && !except[one.Full()] {
			return one.Full()
		}
		if stays := one.FirstFile(except); stays != "" {
			return stays
		}
	}
	return ""
}

// Exists is lstat for the question whether something is there.
func (p Place) Exists(path string) bool {
	_, err := p.Lstat(path)
	return err == nil
}

// WorkingFolder returns the working folder without links.
func WorkingFolder(env *tools.Env) string {
	if real, err := filepath.EvalSymlinks(env.Dir); err == nil {
		return real
	}
	return env.Dir
}

// Relative returns a path relative to the working folder if the path is in it.
func Relative(env *tools.Env, path string) string {
	if short, err := filepath.Rel(WorkingFolder(env), Plain(path)); err == nil && filepath.IsLocal(short) {
		return Show(short)
	}
	return path
}

// misread returns the first element of a path that Windows reads as something else: a device
// (NUL, COM1.txt), a stream of a file (a.txt:b), or a name without its last dots and spaces. It is
// "" without one.
func misread(path string) string {
	if strings.HasPrefix(path, `\\.\`) {
		return path
	}
	path = strings.TrimPrefix(path, `\\?\`)
	if len(path) > 1 && path[1] == ':' {
		path = path[2:] // a drive
	}
	for element := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' || r == '\\' }) {
		if element == "." || element == ".." {
			continue
		}
		if strings.Contains(element, ":") || strings.TrimRight(element, ". ") != element || isDevice(element) {
			return element
		}
	}
	return ""
}

// isDevice reports whether a name is reserved for a device, with any ending.
func isDevice(name string) bool {
	name, _, _ = strings.Cut(strings.ToUpper(name), ".")
	switch name = strings.TrimRight(name, " "); name {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	number, found := strings.CutPrefix(name, "COM")
	if !found {
		number, found = strings.CutPrefix(name, "LPT")
	}
	return found && len([]rune(number)) == 1 && strings.Contains("0123456789¹²³", number)
}

// checkName refuses a path that Windows would take for another one.
func checkName(env *tools.Env, path string) error {
	if !onWindows {
		return nil
	}
	if element := misread(path); element != "" {
		return tools.InvalidField(env, "/path", "has a name that Windows does not give to files: %q", element).
			WithHint(env.Hint("Use a name without a colon and without a dot or space at its end; NUL, CON, COM1 " +
				"and their like are devices"))
	}
	return nil
}

// maxNames limits the names of a folder that are compared with a missing one.
const maxNames = 1 << 16

// inOtherForm replaces the names of the place that are missing by those that differ from them only in
// their Unicode form (NFC or NFD), as far as a folder has exactly one such name. So a file is the same
// in both forms, and nobody makes a look-alike beside it. It reports whether it replaced one.
func (p *Place) inOtherForm() (found bool) {
	if charset.IsASCII(p.Path) || p.Exists(p.Path) {
		return false
	}
	separator := string(filepath.Separator)
	steps := strings.Split(p.Path, separator)
	for i, name := range steps {
		at := strings.Join(steps[:i+1], separator)
		if at == "" || p.Exists(at) {
			continue
		}
		same := p.otherForms(strings.Join(steps[:i], separator)+separator, i == 0, name)
		if len(same) != 1 {
			break
		}
		steps[i], found = same[0], true
	}
	if !found {
		return false
	}
	shown := strings.Split(filepath.ToSlash(Plain(p.Shown)), "/")
	for i, j := len(steps)-1, len(shown)-1; i >= 0 && j >= 0; j-- {
		if shown[j] == "" || norm.NFC.String(steps[i]) != norm.NFC.String(shown[j]) {
			if shown[j] == "" {
				continue
			}
			break
		}
		shown[j] = steps[i]
		i--
	}
	p.Path, p.Shown, p.Normalized = strings.Join(steps, separator), Show(strings.Join(shown, "/")), true
	return true
}

// otherForms lists the names in a folder of the place that differ from a name only in their form.
func (p Place) otherForms(folder string, top bool, name string) []string {
	if top {
		folder = "."
	}
	d, err := p.With(filepath.Clean(folder)).Open()
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(maxNames)
	want := norm.NFC.String(name)
	return slices.DeleteFunc(names, func(other string) bool { return norm.NFC.String(other) != want })
}
