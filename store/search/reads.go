package search

import (
	"errors"

	"techo/store/kv"
	"techo/store/search/vectors"
)

// # Round trips
//
// A database answers many reads in one round trip, so a search reads together what it needs for
// its next step:
//
//	statistics, waiting texts and the heads of the lists
//	of unknown words the terms with their beginnings, and the heads of similar ones
//	blocks of the lists and the sketches of meanings
//	the owners of the best texts, what is around them, and the owners of that
//	the heads of the lists of rare names, and the owners of the texts with these names
//
// All but the first and the second of these it keeps for the next search of the process.
const (
	blocksAtOnce = 1024 // blocks of all lists
	inRow        = 32   // blocks of a list that are read when another one is needed; one in a folder
)

// open reads the statistics, the waiting texts and the heads of the lists of the question. It
// drops terms that no text has.
func (f *finding) open() error {
	keys := [][]byte{NumbersKey(f.index)}
	for _, a := range f.question.terms {
		keys = append(keys, f.index.headKey(a.term))
	}
	waiting := kv.Range{Prefix: f.index.key(waitingPrefix), Limit: mayWait + 1}
	values, items, err := f.tx.ReadMany(keys, []kv.Range{waiting})
	if err != nil {
		return err
	}
	if f.numbers, err = f.index.readNumbers(values[0]); err != nil {
		return err
	}
	if f.numbers.outdated() {
		return ErrOutdated
	}
	if kv.Keeps(f.tx) {
		f.tx = keptTx{f.tx, f.tx.(kv.Keeper), f.index.key(""), f.numbers.listed()}
	}
	for _, p := range items[0] {
		d, err := f.index.readWaiting(p)
		if err != nil {
			return err
		}
		f.waiting = append(f.waiting, d)
	}
	f.terms, err = f.found(f.question.terms, values[1:])
	return err
}

// found returns the terms that texts have. heads are the heads of their lists.
func (f *finding) found(terms []asked, heads [][]byte) (all []asked, err error) {
	at := map[string]int{} // the index of each term
	for i, a := range terms {
		at[a.term] = i
	}
	for _, d := range f.waiting {
		for _, t := range d.Bag.Terms {
			if i, ok := at[t.Term]; ok {
				terms[i].waiting = append(terms[i].waiting, posting{d.Num, t.N, roundLength(d.Bag.Length)})
			}
		}
	}
	for i, a := range terms {
		if heads[i] != nil {
			if a.head, err = readHead(heads[i], nil); err != nil {
				return nil, f.index.corrupt(a.term, err)
			}
		}
		if a.count() > 0 {
			all = append(all, a)
		}
	}
	return all, nil
}

// termsOf returns the terms that texts have.
func (f *finding) termsOf(terms []string) ([]asked, error) {
	if len(terms) == 0 {
		return nil, nil
	}
	all, keys := make([]asked, len(terms)), make([][]byte, len(terms))
	for i, t := range terms {
		all[i].term, keys[i] = t, f.index.headKey(t)
	}
	heads, err := kv.GetMany(f.tx, keys)
	if err != nil {
		return nil, err
	}
	return f.found(all, heads)
}

// keptTx is a transaction in which what is of the lists of an index is read once in a process, until they change.
type keptTx struct {
	kv.Tx
	keeper kv.Keeper
	area   []byte
	state  string // of the lists
}

// ReadMany reads what was not kept and keeps it.
func (t keptTx) ReadMany(keys [][]byte, ranges []kv.Range) (values [][]byte, items [][]kv.Pair, err error) {
	if len(ranges) > 0 || !allListed(keys) {
		return t.Tx.ReadMany(keys, ranges)
	}
	values, unknown := t.keeper.Kept(t.area, t.state, keys)
	if len(unknown) == 0 {
		return values, nil, nil
	}
	missing := make([][]byte, len(unknown))
	for i, at := range unknown {
		missing[i] = keys[at]
	}
	read, err := kv.GetMany(t.Tx, missing)
	if err != nil {
		return nil, nil, err
	}
	t.keeper.Keep(t.area, t.state, missing, read)
	for i, at := range unknown {
		values[at] = read[i]
	}
	return values, nil, nil
}

// allListed reports whether keys are of the lists, which change when texts enter or leave them.
func allListed(keys [][]byte) bool {
	for _, key := range keys {
		switch string(key[:2]) {
		case headPrefix, blockPrefix, ownerPrefix, vectors.SketchPrefix, vectors.VectorPrefix:
		default:
			return false
		}
	}
	return true
}

// readBlocks reads blocks of the lists, the rarest first. In a folder a block is read when it is
// needed: most blocks of long lists are not. From elsewhere it reads the sketches with them.
func (f *finding) readBlocks() error {
	left := blocksAtOnce
	if kv.Peeks(f.tx) {
		left = 0
	}
	var keys [][]byte
	for i := range f.terms {
		a := &f.terms[i]
		n := min(left, len(a.head.firsts))
		left -= n
		for _, first := range a.head.firsts[:n] {
			keys = append(keys, f.index.blockKey(a.term, first))
		}
		a.blocks = make([][]byte, len(a.head.firsts))
	}
	var sketches [][]byte
	if !kv.Peeks(f.tx) && !f.vec.Zero() {
		sketches, f.sketches.All = f.index.vectors().SketchKeys(f.numbers.Folded), true
	}
	if len(keys)+len(sketches) == 0 {
		return nil
	}
	values, err := kv.GetMany(f.tx, append(keys, sketches...))
	if err != nil {
		return err
	}
	f.sketches.Add(sketches, values[len(keys):])
	for i := range f.terms {
		n := copy(f.terms[i].blocks, values)
		values = values[n:]
	}
	return nil
}

// readRow reads a block of a list and the following ones.
func (f *finding) readRow(a *asked, n int) error {
	if kv.Peeks(f.tx) {
		b, err := kv.Peek(f.tx, f.index.blockKey(a.term, a.head.firsts[n]))
		if a.blocks[n] = b; errors.Is(err, kv.ErrNotFound) {
			err = nil
		}
		return err
	}
	firsts := a.head.firsts[n:min(n+inRow, len(a.head.firsts))]
	keys := make([][]byte, len(firsts))
	for i, first := range firsts {
		keys[i] = f.index.blockKey(a.term, first)
	}
	values, err := kv.GetMany(f.tx, keys)
	copy(a.blocks[n:], values)
	return err
}

// block returns an encoded block. A search reads most of them more than once.
func (f *finding) block(a *asked, n int) ([]byte, error) {
	if a.blocks[n] == nil {
		if err := f.readRow(a, n); err != nil {
			return nil, err
		}
	}
	if a.blocks[n] == nil {
		return nil, f.index.corrupt(a.term, reason(MissingBlock))
	}
	return a.blocks[n], nil
}

// readOwners reads the owners of texts, and of the texts around them by number, which often are
// their neighbours. It reads the values of more keys in the same round trip, for a later step.
func (f *finding) readOwners(nums []uint32, around uint32, more ...[]byte) error {
	var keys [][]byte
	var chunks []uint32
	if f.owners == nil {
		f.owners = map[uint32]ownerChunk{}
	}
	for _, num := range nums {
		if num >= f.numbers.Folded {
			continue
		}
		for chunk := (max(num, around) - around) / ownersPerChunk; chunk <= (num+around)/ownersPerChunk; chunk++ {
			if _, known := f.owners[chunk]; !known {
				f.owners[chunk] = nil
				keys, chunks = append(keys, f.index.key(ownerPrefix, chunk)), append(chunks, chunk)
			}
		}
	}
	if len(keys)+len(more) == 0 {
		return nil
	}
	values, err := kv.GetMany(f.tx, append(keys, more...))
	for i, chunk := range chunks {
		if err == nil {
			f.owners[chunk] = values[i]
		}
	}
	return err
}
