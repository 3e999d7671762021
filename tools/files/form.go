package files

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

// inOtherForm returns the place of an existing file whose path differs from a missing
// one only in the Unicode form (NFC or NFD) of names. found is false unless there is
// exactly one.
func inOtherForm(env *tools.Env, p place) (other place, found bool) {
	if charset.IsASCII(p.path) || p.exists(p.path) {
		return p, false
	}
	separator := string(filepath.Separator)
	steps := strings.Split(p.path, separator)
	for i, name := range steps {
		at := strings.Join(steps[:i+1], separator)
		if at == "" || p.exists(at) {
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
	shown := strings.Split(filepath.ToSlash(plainPath(p.shown)), "/")
	for i, j := len(steps)-1, len(shown)-1; i >= 0 && j >= 0 &&
		norm.NFC.String(steps[i]) == norm.NFC.String(shown[j]); i, j = i-1, j-1 {
		shown[j] = steps[i]
	}
	other, err := locate(env, strings.Join(shown, "/"))
	return other, err == nil && other.exists(other.path)
}

// namesIn lists a folder of a place.
func namesIn(p place, folder string) []string {
	d, err := place{root: p.root, path: filepath.Clean(folder)}.open()
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(maxNames)
	return names
}

// openAnyForm is openFile for reading, for a file whose name may be in the other Unicode
// form. normalized reports that it is.
func openAnyForm(ctx context.Context, env *tools.Env, path string) (f *file, normalized bool, err error) {
	if f, err = openFile(ctx, env, path, false); err != nil || f.file != nil {
		return f, false, err
	}
	other, found := inOtherForm(env, f.place)
	if !found {
		return f, false, nil
	}
	f.close()
	f, err = other.openFile(ctx, env, false)
	return f, true, err
}
