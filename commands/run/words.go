package run

import (
	"slices"
	"strings"

	"techo/store"
	"techo/tools"
)

// CheckKept returns an error unless a file may start a server of this program with the store
// of this run: SettingWords has no password, and a server needs the store itself.
func CheckKept(s *Run) *tools.Error {
	if e := CheckHere(s); e != nil {
		return e
	}
	if !store.HasPassword(s.Options.Store) {
		return nil
	}
	env := s.Env()
	return env.Fail(tools.InvalidInput, "The address of the store has a password, which techo writes to no file").
		WithHint(env.Hint("Leave it out of the address, and keep it in ~/.pgpass, which only you may read " +
			"(chmod 600)"))
}

// SharedWords is SettingWords without folders of this machine, for a file that other
// people share.
func (s *Run) SharedWords() (words []string) {
	all := s.SettingWords()
	for i := 0; i < len(all); i++ {
		if slices.Contains([]string{"--root", "--store"}, all[i]) {
			i++ // its value
			continue
		}
		words = append(words, all[i])
	}
	return words
}

// SettingWords returns global flags with which a command line has the same effect
// in any folder, without this environment. They include the roots and the store
// of TECHO_ROOTS and TECHO_STORE, unless its address has a password (CheckKept).
func (s *Run) SettingWords() (words []string) {
	for _, dir := range s.Given.Roots {
		words = append(words, "--root", s.System.Path(dir))
	}
	if len(s.Given.Roots) == 0 {
		for _, dir := range s.Options.Roots {
			words = append(words, "--root", dir)
		}
	}
	for _, g := range Settings {
		v, ok := s.Given.Settings[g.Name]
		if g.Name == "store" && !ok {
			v, ok = s.Options.Store, s.Options.Store != ""
		}
		switch {
		case g.Name == "store" && store.HasPassword(v):
			continue
		case !ok || g.Name == "output" || g.Name == "fields" || g.Name == "idempotency-key":
			continue // for this call only
		case g.Value == "":
			words = append(words, "--"+g.Name+"="+v)
			continue
		}
		if g.Name == "store" && !strings.Contains(v, "://") {
			v = s.System.Path(v)
		}
		words = append(words, "--"+g.Name, v)
	}
	return words
}
