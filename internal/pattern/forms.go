package pattern

import (
	"regexp/syntax"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxForms is the largest class, in characters, whose decomposed forms are added.
const maxForms = 64

// withForms returns an expression that also matches the canonically equivalent
// forms of its literals: composed (NFC) and decomposed (NFD). Without such forms it
// returns re itself.
func withForms(re *syntax.Regexp) *syntax.Regexp {
	switch re.Op {
	case syntax.OpLiteral:
		return literalForms(re)
	case syntax.OpCharClass:
		return classForms(re)
	}
	var changed *syntax.Regexp
	for i, sub := range re.Sub {
		formed := withForms(sub)
		if formed == sub {
			continue
		}
		if changed == nil {
			clone := *re
			clone.Sub = slices.Clone(re.Sub)
			changed = &clone
		}
		changed.Sub[i] = formed
	}
	if changed == nil {
		return re
	}
	return changed
}

func literalForms(re *syntax.Regexp) *syntax.Regexp {
	if !slices.ContainsFunc(re.Rune, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return re
	}
	text := string(re.Rune)
	all := []*syntax.Regexp{re}
	seen := []string{text}
	for _, f := range []norm.Form{norm.NFC, norm.NFD} {
		if form := f.String(text); !slices.Contains(seen, form) {
			seen = append(seen, form)
			all = append(all, &syntax.Regexp{Op: syntax.OpLiteral, Flags: re.Flags, Rune: []rune(form)})
		}
	}
	return alternatives(all)
}

func classForms(re *syntax.Regexp) *syntax.Regexp {
	size := 0
	for i := 0; i < len(re.Rune); i += 2 {
		if size += int(re.Rune[i+1]-re.Rune[i]) + 1; size > maxForms {
			return re
		}
	}
	all := []*syntax.Regexp{re}
	for i := 0; i < len(re.Rune); i += 2 {
		for r := max(re.Rune[i], utf8.RuneSelf); r <= re.Rune[i+1]; r++ {
			if form := norm.NFD.String(string(r)); form != string(r) {
				all = append(all, &syntax.Regexp{Op: syntax.OpLiteral, Flags: re.Flags, Rune: []rune(form)})
			}
		}
	}
	return alternatives(all)
}

func alternatives(all []*syntax.Regexp) *syntax.Regexp {
	if len(all) == 1 {
		return all[0]
	}
	return &syntax.Regexp{Op: syntax.OpAlternate, Flags: all[0].Flags, Sub: all}
}
