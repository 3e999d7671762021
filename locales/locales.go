// Package locales translates techo's English texts. Each other language has one gettext file in this
// folder, LANG.po, which translators edit with the usual tools. The program carries LANG.bin, which
// is made from it (go test ./locales -update): it is half as large and needs no parsing.
package locales

import (
	_ "embed"
	"encoding/binary"
	"hash/fnv"
	"io"
	"sort"
)

// Source is the language of the texts in the code. It has no file.
const Source = "en"

//go:embed ja.bin
var japanese string

// catalogue returns the compiled catalogue of a language, "" if there is none.
func catalogue(lang string) string {
	if lang == "ja" {
		return japanese
	}
	return ""
}

// Languages returns the names of all languages, Source first.
func Languages() []string { return []string{Source, "ja"} }

// Translate returns the text in a language. It returns the text itself when the
// language is Source, or when the catalogue of the language has no translation.
func Translate(lang, text string) string {
	c := catalogue(lang)
	if c == "" || text == "" {
		return text
	}
	if translated := find(c, text); translated != "" {
		return translated
	}
	return text
}

// A compiled catalogue has the number of its texts, the hashes of the English texts in ascending
// order, the end of each translation within the translations, and these. Numbers are little-endian.
const (
	countSize = 4
	hashSize  = 8
	endSize   = 4
)

// Hash returns the hash by which a compiled catalogue finds a text. No two texts of techo share one.
func Hash(text string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, text)
	return h.Sum64()
}

// find returns the translation of a text, "" if the catalogue has none.
func find(c, text string) string {
	number := func(at int) int { return int(binary.LittleEndian.Uint32([]byte(c[at : at+endSize]))) }
	n := number(0)
	hashAt := func(i int) uint64 {
		at := countSize + i*hashSize
		return binary.LittleEndian.Uint64([]byte(c[at : at+hashSize]))
	}
	want := Hash(text)
	i := sort.Search(n, func(i int) bool { return hashAt(i) >= want })
	if i == n || hashAt(i) != want {
		return ""
	}
	ends := countSize + n*hashSize
	texts := ends + n*endSize
	from := 0
	if i > 0 {
		from = number(ends + (i-1)*endSize)
	}
	return c[texts+from : texts+number(ends+i*endSize)]
}
