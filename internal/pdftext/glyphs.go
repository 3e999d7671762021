package pdftext

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

// glyphList is the Adobe Glyph List, compressed. A line has the name of a glyph, a semicolon,
// and its characters as hexadecimal numbers.
//
//go:embed glyphlist.txt.gz
var glyphList []byte

// glyphNames returns the first character of each glyph in the list.
var glyphNames = sync.OnceValue(func() map[string]rune {
	unzip, err := gzip.NewReader(bytes.NewReader(glyphList))
	if err != nil {
		panic(err) // the list is embedded
	}
	names := make(map[string]rune, 4300)
	lines := bufio.NewScanner(unzip)
	for lines.Scan() {
		line := lines.Text()
		name, characters, found := strings.Cut(strings.TrimSpace(line), ";")
		if !found || strings.HasPrefix(line, "#") {
			continue
		}
		first, _, _ := strings.Cut(characters, " ")
		if r, err := strconv.ParseUint(first, 16, 32); err == nil {
			names[name] = rune(r)
		}
	}
	if err := lines.Err(); err != nil {
		panic(err)
	}
	return names
})
