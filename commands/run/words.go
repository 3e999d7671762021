package run

import (
	"strings"
)

// SettingWords are the global flags of this line, for another line that is to
// mean the same in any folder and without this environment: the roots and the
// store of TECHO_ROOTS and TECHO_STORE are among them.
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
		case !ok || g.Name == "output" || g.Name == "fields" || g.Name == "idempotency-key":
			continue // of this call alone
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
