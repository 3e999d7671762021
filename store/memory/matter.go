package memory

import (
	"math"
	"strings"

	"techo/internal/meaning"
	"techo/store/memory/wording"
	"techo/store/search"
	"techo/store/search/common"
)

// # The same matter
//
// Two texts are about the same matter if they mean nearly the same or share telling words: the likeness
// of their meanings by the built-in table and the share of their words are at least sameMatter together.
// Of a longer text one sentence is enough. This decides which memories a new one is to be reviewed with, and
// which lines of a prompt stand together, newest first. It says nothing about which of them is true, and nothing
// is hidden for it.
const sameMatter = 0.55

// matter is what a text is about: the text, and each of its sentences if it has several.
type matter []part

// part is a text with its meaning and its words.
type part struct {
	vec   meaning.Vec
	bag   search.Bag
	words int // that tell something
}

// reader reads what texts are about.
type reader struct{ analyzer *search.Analyzer }

func newReader() reader { return reader{search.NewAnalyzer()} }

// mostRead is how many bytes of a text tell what it is about.
const mostRead = 16 << 10

// beginning returns the part of a text that tells what it is about.
func beginning(text string) string {
	if len(text) <= mostRead {
		return text
	}
	return strings.ToValidUTF8(text[:mostRead], "")
}

// read returns what a text is about.
func (r reader) read(text string) matter {
	text = beginning(text)
	m := matter{r.part(text)}
	if sentences := wording.Sentences(text); len(sentences) > 1 {
		for _, s := range sentences {
			m = append(m, r.part(s))
		}
	}
	return m
}

func (r reader) part(text string) part {
	p := part{vec: r.analyzer.Meaning(text), bag: r.analyzer.Bag(text)}
	for _, t := range p.bag.Terms {
		if tells(t.Term) {
			p.words++
		}
	}
	return p
}

// tells reports whether a term says something: it is no function word.
func tells(term string) bool { return !common.Word(term) && !common.Pair(term) }

// near returns how near two matters are: the nearest of the whole of one and a part of the other.
func (m matter) near(o matter) (most float64) {
	most = m[0].near(&o[0])
	for i := 1; i < len(m); i++ {
		most = max(most, m[i].near(&o[0]))
	}
	for i := 1; i < len(o); i++ {
		most = max(most, m[0].near(&o[i]))
	}
	return most
}

// near returns the likeness of two texts and the share of their telling words, from −1 to 2.
func (p *part) near(o *part) float64 {
	both := 0
	for i, j := 0, 0; i < len(p.bag.Terms) && j < len(o.bag.Terms); {
		switch a, b := p.bag.Terms[i].Term, o.bag.Terms[j].Term; {
		case a < b:
			i++
		case a > b:
			j++
		default:
			if tells(a) {
				both++
			}
			i, j = i+1, j+1
		}
	}
	return float64(meaning.Likeness(&p.vec, &o.vec)) +
		float64(both)/math.Sqrt(float64(max(p.words, 1)*max(o.words, 1)))
}

// mostCompared is how many hits of a search are compared with each other.
const mostCompared = 64

// Matters tells which hits of a search are about the same matter.
type Matters struct {
	reader reader
	hits   []Hit
	read   []matter // as far as they were asked for
}

// MattersOf returns the matters of hits.
func MattersOf(hits []Hit) *Matters {
	return &Matters{newReader(), hits, make([]matter, min(len(hits), mostCompared))}
}

// Same reports whether two of the hits, by their places, are about the same matter. Hits behind the first 64
// are about none.
func (m *Matters) Same(i, k int) bool {
	if i >= len(m.read) || k >= len(m.read) {
		return false
	}
	for _, at := range []int{i, k} {
		if m.read[at] == nil {
			m.read[at] = m.reader.read(m.hits[at].FullText)
		}
	}
	return m.read[i].near(m.read[k]) >= sameMatter
}
