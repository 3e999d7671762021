package content

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/atom"

	"techo/internal/page/dom"
	"techo/internal/page/runes"
	"techo/internal/page/traits"
	"techo/internal/page/view"
)

// Heading is a heading of a page.
type Heading struct {
	Level int    `json:"level"` // 1 to 6
	Text  string `json:"text"`
}

// Link is a link of a page.
type Link struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

// Whole returns everything that a page shows.
func Whole(p *view.Page) *Content {
	o := p.Outline()
	c := &Content{Quality: 1, Outline: o, Keep: make([]bool, len(o.Blocks)), Source: FromHTML}
	for i := range c.Keep {
		c.Keep[i] = true
	}
	return c
}

// Text returns the content as plain text: blocks are separated by blank lines,
// list items and table cells are not.
func (c *Content) Text() string {
	var b strings.Builder
	last := -1
	for i, k := range c.Keep {
		if !k {
			continue
		}
		if last >= 0 {
			b.WriteString(between(c.Outline, last, i))
		}
		b.WriteString(c.Outline.Blocks[i].Text)
		last = i
	}
	for _, text := range c.Descriptions {
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(text)
	}
	return b.String()
}

// between returns the separator of two blocks.
func between(o *view.Outline, a, b int) string {
	if row := rowOf(o, b); row >= 0 && row == rowOf(o, a) {
		return "\t"
	}
	x, y := &o.Elems[o.Blocks[a].Elem], &o.Elems[o.Blocks[b].Elem]
	for _, kind := range []atom.Atom{atom.Li, atom.Td, atom.Th, atom.Dt, atom.Dd} {
		if y.Node.DataAtom == kind && x.Traits&(traits.InList|traits.InTable) != 0 &&
			x.Traits&(traits.InList|traits.InTable) == y.Traits&(traits.InList|traits.InTable) {
			return "\n"
		}
	}
	return "\n\n"
}

// rowOf returns the nearest row of a table around a block, or -1.
func rowOf(o *view.Outline, block int) int {
	for e := o.Blocks[block].Elem; e >= 0; e = o.Elems[e].Parent {
		o.Page.Work++
		if o.Elems[e].Node.DataAtom == atom.Tr {
			return e
		}
	}
	return -1
}

// Headings returns the headings of the content, in order.
func (c *Content) Headings() []Heading {
	all := []Heading{}
	for i, k := range c.Keep {
		if level := c.level(i); k && level > 0 {
			all = append(all, Heading{level, strings.Join(strings.Fields(c.Outline.Blocks[i].Text), " ")})
		}
	}
	return all
}

// level returns the heading level of a block, 0 if it is not a heading.
func (c *Content) level(i int) int {
	o := c.Outline
	for e := o.Blocks[i].Elem; e >= 0; e = o.Elems[e].Parent {
		o.Page.Work++
		if level := dom.HeadingLevel(o.Elems[e].Node.DataAtom); level > 0 {
			return level
		}
		if o.Elems[e].Traits&traits.InHeading == 0 {
			return 0
		}
	}
	return 0
}

// Links returns the links of the content with absolute addresses, without
// duplicates.
func (c *Content) Links(from *url.URL) []Link {
	all := []Link{}
	at := map[string]int{}
	base := c.Outline.Page.Base(from)
	for i, k := range c.Keep {
		if !k {
			continue
		}
		for _, r := range c.Outline.Blocks[i].Runs {
			address := dom.Absolute(base, r.Href)
			if address == "" || r.Style&view.LineBreak != 0 {
				continue
			}
			text := strings.TrimSpace(r.Text)
			if n, ok := at[address]; ok {
				if all[n].Text == "" {
					all[n].Text = text
				}
				continue
			}
			at[address] = len(all)
			all = append(all, Link{text, address})
		}
	}
	return all
}

// shingles is the set of hashes of all sequences of four words, or of eight
// characters in scripts without blanks.
type shingles map[uint64]bool

// eachShingle calls do with the hash of each sequence of a text.
func eachShingle(text string, do func(uint64)) {
	var w window
	word := uint64(0)
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if i++; runes.IsWord(c) {
				word = (word ^ uint64(c|0x20) ^ mixer) * prime
			} else {
				word = w.end(word, 2, do)
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			word = w.end(word, 2, do)
		case runes.IsIdeographic(r):
			w.end(word, 2, do)
			word = w.end(uint64(r)*prime, 1, do)
		default:
			word = (word ^ uint64(unicode.ToLower(r)) ^ mixer) * prime
		}
	}
	w.end(word, 2, do)
}

const (
	prime = 1099511628211
	power = 2232315406967589409 // prime to the power of wide, modulo 2^64
	mixer = 0x9e3779b9
	wide  = 8 // characters of a sequence
)

// window is the hash of the last words of a text.
type window struct {
	last [wide]uint64
	n    int
	hash uint64
}

// end adds a word, which counts as weight characters, if it is not empty, and
// returns an empty one.
func (w *window) end(word uint64, weight int, do func(uint64)) uint64 {
	if word == 0 {
		return 0
	}
	for range weight {
		w.hash = w.hash*prime + word - w.last[w.n%wide]*power
		w.last[w.n%wide] = word
		w.n++
	}
	if w.n >= wide {
		do(w.hash)
	}
	return 0
}

func shinglesOf(text string) shingles {
	s := shingles{}
	eachShingle(text, func(h uint64) { s[h] = true })
	return s
}

// holds returns the share of the sequences of a text that are in the set, and
// their number.
func (s shingles) holds(text string) (share float64, n int) {
	hit := 0
	eachShingle(text, func(h uint64) {
		if n++; s[h] {
			hit++
		}
	})
	return float64(hit) / float64(max(n, 1)), n
}
