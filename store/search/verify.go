package search

import (
	"encoding/binary"
	"errors"
	"hash/maphash"

	"techo/store/kv"
	"techo/store/search/vectors"
)

// Check compares an index with its texts in constant memory, by an
// order-independent sum over all postings.
type Check struct {
	index  Index
	seed   maphash.Seed
	texts  int
	length int64
	vecs   int // texts with a vector in chunks
	models vectors.Check
	sum    uint64
}

// NewCheck starts the check of an index.
func (x Index) NewCheck() *Check {
	return &Check{index: x, seed: maphash.MakeSeed(), models: vectors.Check{}}
}

func (c *Check) add(num uint32, term string, n uint32) {
	key := append(binary.BigEndian.AppendUint32(nil, num), term...)
	c.sum += uint64(n) * maphash.Bytes(c.seed, key)
}

// Add adds a text that the index must contain. It returns an error if the index
// does not record its id.
func (c *Check) Add(tx kv.Tx, d Doc) error {
	c.texts++
	c.length += int64(d.Bag.Length)
	c.count(d)
	n, err := c.index.numbers(tx)
	if err != nil {
		return err
	}
	if d.Num < n.Folded && !d.Vec.Zero() {
		c.vecs++
	}
	c.models.Add(n.Models, d.Num)
	f := finding{index: c.index, tx: tx, numbers: n}
	if d.Num >= n.Folded {
		b, err := tx.Get(waitingKey(c.index, d.Num))
		if err != nil {
			return c.index.corrupt("", reason(MissingText, d.Num))
		}
		w, err := readRecord(d.Num, b)
		if err != nil {
			return c.index.corrupt("", err)
		}
		f.waiting = []Doc{w}
	}
	o, err := f.owner(d.Num)
	if err == nil && (o.ID != d.ID || o.Group != d.Group) {
		err = reason(WrongOwner, d.Num, o.ID, o.Group, d.ID, d.Group)
	}
	if err == nil && o != d.owner() {
		err = reason(WrongTraits, d.Num)
	}
	if err == nil {
		err = f.checkVector(d)
	}
	return c.index.corrupt("", err)
}

// checkVector returns an error if the index has another vector of a text.
func (f *finding) checkVector(d Doc) error {
	if d.Num >= f.numbers.Folded {
		if f.waiting[0].Vec != d.Vec {
			return reason(WrongVector, d.Num)
		}
		return nil
	}
	ok, err := f.index.vectors().Has(f.tx, vectors.Change{Num: d.Num, Vec: d.Vec.Append(nil)})
	if err == nil && !ok {
		err = reason(WrongVector, d.Num)
	}
	return err
}

func (c *Check) count(d Doc) {
	for _, t := range d.Bag.Terms {
		c.add(d.Num, t.Term, t.N)
	}
}

// Verify compares an index with its texts. One that has to be built again is not compared.
func (x Index) Verify(tx kv.Tx, texts TextsAfter) error {
	if err := x.Ready(tx); errors.Is(err, ErrOutdated) {
		return nil
	} else if err != nil {
		return err
	}
	c := x.NewCheck()
	for d, err := range texts("") {
		if err != nil {
			return err
		}
		if err := c.Add(tx, d); err != nil {
			return err
		}
	}
	return c.Done(tx)
}

// Done reads the whole index and compares.
func (c *Check) Done(tx kv.Tx) error {
	x := c.index
	n, err := x.numbers(tx)
	if err != nil {
		return err
	}
	if n.Texts != c.texts || n.Length != c.length {
		return x.corrupt("", reason(WrongTextCount, n.Texts, n.Length, c.texts,
			c.length))
	}
	is := &Check{index: x, seed: c.seed}
	waiting := 0
	err = x.waiting(tx, func(d Doc) error {
		waiting++
		is.count(d)
		return nil
	})
	if err != nil {
		return err
	}
	if waiting != n.Waiting {
		return x.corrupt("", reason(WrongWaiting, n.Waiting, waiting))
	}
	prefix := x.key(headPrefix)
	for item, err := range tx.Scan(kv.Range{Prefix: prefix}) {
		if err != nil {
			return err
		}
		kind := byte(0)
		if len(item.Key) > len(prefix) {
			kind = item.Key[len(prefix)]
		}
		if kind != textKind {
			return x.corrupt("", reason(NoListKind))
		}
		if err := is.list(tx, string(item.Key[len(prefix)+1:])); err != nil {
			return err
		}
	}
	if is.sum != c.sum {
		return x.corrupt("", reason(WrongLists, textKind))
	}
	vecs, err := x.vectors().Check(tx)
	if err == nil && vecs.Texts != c.vecs {
		err = reason(WrongVectorCount, vecs.Texts, c.vecs)
	}
	if err == nil {
		err = c.models.Done(tx, n.Models, x.space)
	}
	return x.corrupt("", err)
}

func (c *Check) list(tx kv.Tx, term string) error {
	h, err := c.index.loadHead(tx, term)
	if err != nil {
		return err
	}
	n := 0
	err = c.index.each(tx, term, h, func(ps []posting) {
		for _, p := range ps {
			n++
			c.add(p.num, term, p.n)
		}
	})
	if err == nil && n != h.count {
		err = reason(WrongListCount, h.count, n)
	}
	return c.index.corrupt(term, err)
}

// The kinds of damage of a search index.
const (
	DamagedIndex     kv.ReasonCode = "search index %d: %v"
	DamagedList      kv.ReasonCode = "search index %d, term %q: %v"
	MissingBlock     kv.ReasonCode = "a block is missing"
	WrongBlocks      kv.ReasonCode = "its blocks do not match its header"
	IllFormed        kv.ReasonCode = "a record is not well formed"
	MissingPosting   kv.ReasonCode = "an entry is missing"
	MissingText      kv.ReasonCode = "missing text: %d"
	WrongOwner       kv.ReasonCode = "text with number %d: id %q and group %d instead of %q and %d"
	WrongTraits      kv.ReasonCode = "text with number %d: its time or kind is wrong"
	WrongVector      kv.ReasonCode = "text with number %d: its vector is wrong"
	WrongVectorCount kv.ReasonCode = "wrong count of vectors: %d instead of %d"
	WrongTextCount   kv.ReasonCode = "wrong count of texts: %d, length %d, instead of %d, length %d"
	WrongWaiting     kv.ReasonCode = "wrong count of new texts: %d instead of %d"
	NoListKind       kv.ReasonCode = "a list without a kind"
	WrongLists       kv.ReasonCode = "the lists of kind %c do not match the texts"
	WrongListCount   kv.ReasonCode = "wrong count of entries: %d instead of %d"
)

func reason(code kv.ReasonCode, args ...any) kv.Reason { return kv.Reason{Code: code, Args: args} }
