package paths

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"techo/internal/charset"
	"techo/tools"
)

// maxNames limits the names of a folder that are compared with a missing one.
const maxNames = 1 << 16

// InOtherForm returns the place of an existing file whose path differs from a missing
// one only in the Unicode form (NFC or NFD) of names. found is false unless there is
// exactly one.
func InOtherForm(env *tools.Env, p Place) (other Place, found bool) {
	if charset.IsASCII(p.Path) || p.Exists(p.Path) {
		return p, false
	}
	separator := string(filepath.Separator)
	steps := strings.Split(p.Path, separator)
	for i, name := range steps {
		at := strings.Join(steps[:i+1], separator)
		if at == "" || p.Exists(at) {
			continue
		}
		folder := strings.Join(steps[:i], separator)
		if i == 0 {
			folder = "."
		}
		same := slices.DeleteFunc(namesIn(p, folder+separator), func(other string) bool {
			return norm.NFC.String(other) != norm.NFC.String(name)
		})
		if len(same) != 1 {
			return p, false
		}
		steps[i] = same[0]
	}
	shown := strings.Split(filepath.ToSlash(Plain(p.Shown)), "/")
	for i, j := len(steps)-1, len(shown)-1; i >= 0 && j >= 0 &&
		norm.NFC.String(steps[i]) == norm.NFC.String(shown[j]); i, j = i-1, j-1 {
		shown[j] = steps[i]
	}
	other, err := Locate(env, strings.Join(shown, "/"))
	return other, err == nil && other.Exists(other.Path)
}

// namesIn lists a folder of a place.
func namesIn(p Place, folder string) []string {
	d, err := Place{Root: p.Root, Path: filepath.Clean(folder)}.Open()
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(maxNames)
	return names
}

// OpenAnyForm is OpenFile for reading, for a file whose name may be in the other Unicode
// form. normalized reports that it is.
func OpenAnyForm(ctx context.Context, env *tools.Env, path string) (f *File, normalized bool, err error) {
	if f, err = OpenFile(ctx, env, path, false); err != nil || f.Opened != nil {
		return f, false, err
	}
	other, found := InOtherForm(env, f.Place)
	if !found {
		return f, false, nil
	}
	f.Close()
	f, err = other.OpenFile(ctx, env, false)
	return f, true, err
}
