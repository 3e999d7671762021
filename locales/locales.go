// Package locales translates techo's English texts. Each other language has one gettext file in this
// folder, LANG.po, which translators edit with the usual tools. The program carries LANG.bin, which
// is made from it (go test ./locales -update): it is a quarter as large and needs no parsing.
package locales

import (
	_ "embed"
	"encoding/binary"
	"hash/fnv"
	"io"
	"sort"
	"sync"

	"github.com/klauspost/compress/s2"
)

// Source is the language of the texts in the code. It has no file.
const Source = "en"

//go:embed ja.bin
var ja string

var japanese = sync.OnceValue(func() *catalogue { return open(ja) })

// Translate returns the text in a language. It returns the text itself when the
// language is Source, or when the catalogue of the language has no translation.
func Translate(lang, text string) string {
	if lang != "ja" || text == "" {
		return text
	}
	if translated := japanese().find(text); translated != "" {
		return translated
	}
	return text
}

// A compiled catalogue has the number of its texts, the hashes of the English texts in ascending
// order, the end of each translation within the translations, the end of each block within the
// blocks, and these: each has Block translations, compressed with S2. Numbers are little-endian.
const (
	countSize = 4
	hashSize  = 8
	endSize   = 4
)

// Block is how many translations are decompressed together. All of Japanese takes 0.1 ms, and the
// blocks half of the room of the texts.
const Block = 1024

// Hash returns the hash by which a compiled catalogue finds a text. No two texts of techo share one.
func Hash(text string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, text)
	return h.Sum64()
}

type catalogue struct {
	hashes []byte
	ends   []byte
	blocks []func() string
}

// open opens a compiled catalogue. A block is decompressed when a text of it is wanted.
func open(compiled string) *catalogue {
	data := []byte(compiled)
	n := number(data, 0)
	blocks := (n + Block - 1) / Block
	c := &catalogue{hashes: data[countSize : countSize+n*hashSize]}
	data = data[countSize+n*hashSize:]
	c.ends = data[:n*endSize]
	ends := data[n*endSize : (n+blocks)*endSize]
	data = data[(n+blocks)*endSize:]
	for k, from := 0, 0; k < blocks; k++ {
		packed := data[from:number(ends, k)]
		from = number(ends, k)
		c.blocks = append(c.blocks, sync.OnceValue(func() string {
			texts, err := s2.Decode(nil, packed)
			if err != nil {
				panic(err) // the program is damaged
			}
			return string(texts)
		}))
	}
	return c
}

func number(b []byte, i int) int { return int(binary.LittleEndian.Uint32(b[i*endSize:])) }

func (c *catalogue) find(text string) string {
	n := len(c.hashes) / hashSize
	hashAt := func(i int) uint64 { return binary.LittleEndian.Uint64(c.hashes[i*hashSize:]) }
	want := Hash(text)
	i := sort.Search(n, func(i int) bool { return hashAt(i) >= want })
	if i == n || hashAt(i) != want {
		return ""
	}
	endOf := func(i int) int {
		if i < 0 {
			return 0
		}
		return number(c.ends, i)
	}
	before := endOf(i/Block*Block - 1)
	return c.blocks[i/Block]()[endOf(i-1)-before : endOf(i)-before]
}
