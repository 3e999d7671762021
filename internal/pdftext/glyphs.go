package pdftext

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

// glyphList is the Adobe Glyph List. A line has the name of a glyph, a semicolon,
// and its characters as hexadecimal numbers.
//
//go:embed glyphlist.txt
var glyphList string

// glyphNames returns the first character of each glyph in the list.
var glyphNames = sync.OnceValue(func() map[string]rune {
	names := make(map[string]rune, strings.Count(glyphList, "\n"))
	for line := range strings.Lines(glyphList) {
		name, characters, found := strings.Cut(strings.TrimSpace(line), ";")
		if !found || strings.HasPrefix(line, "#") {
			continue
		}
		first, _, _ := strings.Cut(characters, " ")
		if r, err := strconv.ParseUint(first, 16, 32); err == nil {
			names[name] = rune(r)
		}
	}
	return names
})
