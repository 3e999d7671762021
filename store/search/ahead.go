package search

import (
	"techo/store/kv"
)

// # Announced reads
//
// A search announces its reads (kv.Tx.Prefetch), because a database answers all that are
// announced together in one round trip:
//
//	statistics, waiting texts, the heads of the lists with their first blocks (Ahead)
//	the owners of the best texts
//	what is around them, and the records of the first ones
//	the heads of the lists of rare names
//	the owners of the texts with these names
//
// Everything else is read when it is needed.
const (
	blocksAhead = 1024 // announced blocks
	listAhead   = 128  // of them of one list
	inRow       = 32   // blocks of a list that are announced when one of them is needed

	// Records of the best texts are announced, because one of them is the best in its
	// context as well: at least as many as leastAhead, and more if texts are short.
	leastAhead = 16
	termsAhead = 32 << 10 // in all texts, by the mean length
)

// Ahead returns the first reads of a search for a question.
func Ahead(x Index, question string) (reads kv.Reads) {
	r := newReader()
	terms := readQuestion(r, question).terms
	reads = openingReads(x)
	each := min(blocksAhead/max(len(terms), 1), listAhead)
	for _, a := range terms {
		reads.Keys = append(reads.Keys, x.headKey(a.term))
		if len(terms) <= maxTerms {
			reads.Ranges = append(reads.Ranges, kv.Range{Prefix: x.blocksOf(a.term), Limit: each})
		}
	}
	for _, t := range distinct(r, question) {
		if allowed(question[t.start:t.end], true) > 0 && !t.common && !t.joined && isWord(t.term) &&
			len(reads.Ranges) < 2*maxTerms {
			reads.Ranges = append(reads.Ranges, headsFrom(x, beginning(t.term)))
		}
	}
	return reads
}

// openingReads returns the reads of finding.open.
func openingReads(x Index) kv.Reads {
	return kv.Reads{
		Keys:   [][]byte{NumbersKey(x)},
		Ranges: []kv.Range{{Prefix: x.key(waitingPrefix), Limit: mayWait + 1}},
	}
}

// AlikeAhead returns the first reads of Alike for a bag.
func AlikeAhead(x Index, bag Bag) kv.Reads {
	reads := openingReads(x)
	for _, term := range sampleTerms(bag) {
		reads.Keys = append(reads.Keys, x.headKey(term))
	}
	return reads
}

// announceHeads announces the reads of the heads of lists.
func announceHeads(x Index, tx kv.Tx, terms []asked) error {
	return tx.Prefetch(func() (reads kv.Reads) {
		for _, a := range terms {
			reads.Keys = append(reads.Keys, x.headKey(a.term))
		}
		return reads
	})
}

// announceBlocks announces the reads of blocks of the lists, the rarest first.
func (f *finding) announceBlocks() error {
	return f.tx.Prefetch(func() (reads kv.Reads) {
		for _, a := range f.terms {
			for _, first := range a.head.firsts[:min(len(a.head.firsts), blocksAhead-len(reads.Keys))] {
				reads.Keys = append(reads.Keys, f.index.blockKey(a.term, first))
			}
		}
		return reads
	})
}

// announceRow announces the reads of a block of a list and of the following ones.
func (f *finding) announceRow(a *asked, n int) error {
	return f.tx.Prefetch(func() (reads kv.Reads) {
		firsts := a.head.firsts[n/inRow*inRow:]
		for _, first := range firsts[:min(inRow, len(firsts))] {
			reads.Keys = append(reads.Keys, f.index.blockKey(a.term, first))
		}
		return reads
	})
}

// ownerKeys returns the keys of the chunks with the owners of texts that were not
// announced before. With close they include the chunks of the texts with the next
// numbers, which often are beside them.
func (f *finding) ownerKeys(nums []uint32, close bool) (keys [][]byte) {
	var chunks []uint32
	for _, num := range nums {
		if num >= f.numbers.Folded {
			continue
		}
		from, to := num, num
		if close {
			from, to = max(num, beside)-beside, num+beside
		}
		chunks = append(chunks, from/ownersPerChunk, to/ownersPerChunk)
	}
	if f.ahead == nil {
		f.ahead = map[uint32]bool{}
	}
	for _, chunk := range chunks {
		if !f.ahead[chunk] {
			f.ahead[chunk] = true
			keys = append(keys, f.index.key(ownerPrefix, chunk))
		}
	}
	return keys
}

// announceOwners announces the reads of the owners of the best texts.
func (f *finding) announceOwners(best []scored) error {
	return f.tx.Prefetch(func() kv.Reads {
		nums := make([]uint32, 0, len(best)+len(f.respelt))
		for _, s := range best {
			nums = append(nums, s.num)
		}
		for _, r := range f.respelt {
			nums = append(nums, r.num)
		}
		return kv.Reads{Keys: f.ownerKeys(nums, f.query.Around != nil)}
	})
}

// announceContext announces the reads of what is around the best texts, and of the
// first ones themselves.
func (f *finding) announceContext(best []Hit) error {
	if f.query.Reads == nil {
		return nil
	}
	return f.tx.Prefetch(func() kv.Reads {
		var around, texts []Owner
		most := max(leastAhead, int(termsAhead/mean(f.numbers.Length, f.numbers.Texts)))
		for i, h := range best {
			if bulk, err := f.inBulk(h.Owner); err == nil && !bulk {
				around = append(around, h.Owner)
			}
			if i < most {
				texts = append(texts, h.Owner)
			}
		}
		return f.query.Reads(around, texts)
	})
}

// announceSimilar announces the reads of respell: the lists of the terms that are most
// similar to unknown words and, for a word that has none with its first two letters, the
// terms with the first one.
func (f *finding) announceSimilar(unknown []unknownWord, waiting map[string]bool) error {
	for n := range 2 {
		var without []unknownWord
		err := f.tx.Prefetch(func() (reads kv.Reads) {
			for _, w := range unknown {
				terms, err := f.termsFrom(w.beginnings()[n], waiting)
				if err != nil {
					continue // respell reports it
				}
				near, _ := w.nearest(terms)
				for _, t := range near {
					reads.Keys = append(reads.Keys, f.index.headKey(t))
					reads.Ranges = append(reads.Ranges, kv.Range{Prefix: f.index.blocksOf(t), Limit: inRow})
				}
				if len(near) == 0 {
					without = append(without, w)
				}
			}
			if n == 0 {
				for _, w := range without {
					reads.Ranges = append(reads.Ranges, headsFrom(f.index, w.beginnings()[1]))
				}
			}
			return reads
		})
		if err != nil || len(without) == 0 {
			return err
		}
		unknown = without
	}
	return nil
}

// guesses is the number of texts, the best by their own scores, of which one probably is
// the best in its context as well.
const guesses = 3

// announceNeighbours announces the reads of the owners of the texts beside candidates.
// If it announces any, it adds the lists of the names in the texts that may be the best.
func (f *finding) announceNeighbours(all []candidate) error {
	return f.tx.Prefetch(func() (reads kv.Reads) {
		var nums []uint32
		for _, c := range all {
			nums = append(nums, c.around[max(0, c.at-beside-1):min(c.at+beside+1, len(c.around))]...)
		}
		reads.Keys = f.ownerKeys(nums, false)
		if len(reads.Keys) == 0 || f.query.FullText == nil {
			return reads
		}
		for _, c := range all[:min(guesses, len(all))] {
			if text, err := f.query.FullText(c.Owner); err == nil {
				reads.Keys = append(reads.Keys, f.headKeys(f.newNames(text))...)
			}
		}
		return reads
	})
}

// announceNames announces the reads of the heads of the lists of names.
func (f *finding) announceNames(all []rareName) error {
	return f.tx.Prefetch(func() kv.Reads { return kv.Reads{Keys: f.headKeys(all)} })
}

func (f *finding) headKeys(names []rareName) (keys [][]byte) {
	for _, n := range names {
		keys = append(keys, f.index.headKey(n.term))
	}
	return keys
}

// announceLinked announces the reads of the owners of the texts that have rare names.
func (f *finding) announceLinked(names []rareName) error {
	return f.tx.Prefetch(func() kv.Reads {
		var nums []uint32
		for _, a := range names {
			for _, p := range a.head.inline {
				if f.query.has(p.num) {
					nums = append(nums, p.num)
				}
			}
		}
		return kv.Reads{Keys: f.ownerKeys(nums, false)}
	})
}
