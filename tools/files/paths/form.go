package paths

import (
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"techo/internal/charset"
)

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
	d, err := Place{Root: p.Root, Path: filepath.Clean(folder)}.Open()
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(maxNames)
	want := norm.NFC.String(name)
	return slices.DeleteFunc(names, func(other string) bool { return norm.NFC.String(other) != want })
}
