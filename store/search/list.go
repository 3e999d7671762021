package search

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"sort"

	"techo/store/kv"
)

// A list has all postings of a term. Its head is
//
//	count       texts that contain the term
//	most        largest number of occurrences in a text
//	shortest    length of the shortest text with the term
//	blocks      0: the postings follow, from base 0 (postings.go);
//	            else the first numbers of as many blocks follow, as differences
//
// all unsigned varints. most and shortest bound the score of the term in a text;
// removing a text does not tighten them. A block is a value of its own. Its key
// contains its first number, which is also its base.
//
// Lists grow at their ends, since a new text has the greatest number. So that a large block is not rewritten for each
// text, a small one follows it.
const (
	inHead   = 160  // largest number of postings in the head
	perBlock = 2048 // largest number of postings in a block
	perTail  = 128  // largest number of postings in a block that more are written to, and then joins the one before
)

// head is the decoded head of a list.
type head struct {
	count    int
	most     uint32
	shortest uint32
	firsts   []uint32  // first numbers of the blocks
	inline   []posting // postings of a list without blocks
}

func (h *head) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(h.count))
	b = binary.AppendUvarint(b, uint64(h.most))
	b = binary.AppendUvarint(b, uint64(h.shortest))
	b = binary.AppendUvarint(b, uint64(len(h.firsts)))
	if len(h.firsts) == 0 {
		return appendPostings(b, 0, h.inline)
	}
	before := uint32(0)
	for _, f := range h.firsts {
		b = binary.AppendUvarint(b, uint64(f-before))
		before = f
	}
	return b
}

// readHead decodes a head. Its postings are appended to a buffer, which may be nil.
func readHead(b []byte, buffer []posting) (h head, err error) {
	f := &fields{rest: b}
	h.count, h.most, h.shortest = int(f.number()), uint32(f.number()), uint32(f.number())
	blocks := f.number()
	switch {
	case f.err != nil || blocks > uint64(len(f.rest)):
		return h, errRecord
	case blocks == 0:
		all, err := readPostings(slices.Grow(buffer, min(h.count, inHead)), 0, f.rest)
		h.inline = all[min(len(buffer), len(all)):]
		return h, err
	}
	h.firsts = make([]uint32, blocks)
	before := uint32(0)
	for i := range h.firsts {
		before += uint32(f.number())
		h.firsts[i] = before
	}
	return h, f.err
}

// loadHead returns the head of a list. It is empty for an unknown term.
func (x Index) loadHead(tx kv.Tx, term string) (head, error) {
	b, err := kv.Peek(tx, x.headKey(term))
	if errors.Is(err, kv.ErrNotFound) {
		return head{}, nil
	}
	if err != nil {
		return head{}, err
	}
	h, err := readHead(b, nil)
	return h, x.corrupt(term, err)
}

// corrupt adds the index, and the term unless it is "", to an error.
func (x Index) corrupt(term string, err error) error {
	if err == nil || errors.As(err, new(*kv.CorruptError)) {
		return err
	}
	r := reason(DamagedList, x.space, term, kv.ReasonOf(err))
	if term == "" {
		r = reason(DamagedIndex, x.space, kv.ReasonOf(err))
	}
	return &kv.CorruptError{Path: "store", Reason: r}
}

// listsAtOnce is the number of lists that are read and changed together: an import changes tens of thousands.
const listsAtOnce = 1024

// changing changes lists in a transaction.
type changing struct {
	Index
	tx kv.Tx

	// Buffers for one list after another.
	before, after []posting
	encoded       []byte

	inline []posting // of the heads of the lists that are changed together
}

// stored is what the store has of a list that changes.
type stored struct {
	head   head
	blocks [][]byte // in which the changes lie
	joins  []byte   // the block before the last one, if that would become too large
}

// apply applies the changes of lists. With their heads it reads more values.
func (c *changing) apply(lists []changed, more [][]byte) (values [][]byte, err error) {
	for first := true; first || len(lists) > 0; first = false {
		some := lists[:min(len(lists), listsAtOnce)]
		all, others, err := c.read(some, more)
		if err != nil {
			return nil, err
		}
		if first {
			values, more = others, nil
		}
		for i := range some {
			if err := c.change(&some[i], &all[i]); err != nil {
				return nil, c.corrupt(some[i].term, err)
			}
		}
		lists = lists[len(some):]
	}
	return values, nil
}

// read reads what the store has of some lists, and more values.
func (c *changing) read(lists []changed, more [][]byte) (all []stored, others [][]byte, err error) {
	keys := make([][]byte, 0, len(lists)+len(more))
	for _, l := range lists {
		keys = append(keys, c.headKey(l.term))
	}
	values, err := kv.PeekMany(c.tx, append(keys, more...))
	if err != nil {
		return nil, nil, err
	}
	all, c.inline = make([]stored, len(lists)), c.inline[:0]
	var of []int
	keys = nil
	for i, l := range lists {
		if values[i] == nil {
			continue
		}
		h, err := readHead(values[i], c.inline)
		if err != nil {
			return nil, nil, c.corrupt(l.term, err)
		}
		all[i].head, c.inline = h, append(c.inline, h.inline...)
		for _, first := range changedBlocks(h.firsts, l.changes) {
			keys, of = append(keys, c.blockKey(l.term, first)), append(of, i)
		}
	}
	if err := c.readBlocks(keys, func(n int, b []byte) { all[of[n]].blocks = append(all[of[n]].blocks, b) }); err != nil {
		return nil, nil, err
	}
	keys, of = nil, nil
	for i, l := range lists {
		if s := &all[i]; s.joined(l.changes) {
			keys, of = append(keys, c.blockKey(l.term, s.head.firsts[len(s.head.firsts)-2])), append(of, i)
		}
	}
	err = c.readBlocks(keys, func(n int, b []byte) { all[of[n]].joins = b })
	return all, values[len(lists):], err
}

// readBlocks calls use with the blocks of some keys, nil for a missing one.
func (c *changing) readBlocks(keys [][]byte, use func(n int, b []byte)) error {
	if len(keys) == 0 {
		return nil
	}
	blocks, err := kv.PeekMany(c.tx, keys)
	for n, b := range blocks {
		use(n, b)
	}
	return err
}

// joined reports whether the last block is to be joined with the one before it, because the changes make it large.
func (s *stored) joined(changes []change) bool {
	if len(s.head.firsts) < 2 || len(s.blocks) == 0 {
		return false
	}
	before, last := s.head.firsts[len(s.head.firsts)-1], s.blocks[len(s.blocks)-1]
	added := len(changes) - sort.Search(len(changes), func(i int) bool { return changes[i].num >= before })
	k, err := readBlock(before, last)
	return err == nil && added > 0 && k.groups()*perGroup <= perTail && k.groups()*perGroup+added > perTail
}

// change applies the changes of a list, which are sorted by number.
func (c *changing) change(l *changed, s *stored) (err error) {
	h := &s.head
	for _, d := range l.changes {
		if d.n > 0 && (h.most == 0 || d.length < h.shortest) {
			h.shortest = d.length
		}
		h.most = max(h.most, uint32(max(d.n, 0)))
	}
	if len(h.firsts) == 0 {
		err = c.changeInline(l, h)
	} else {
		err = c.changeBlocks(l, s)
	}
	if err != nil {
		return err
	}
	if h.count == 0 {
		return c.tx.Delete(c.headKey(l.term))
	}
	c.encoded = h.append(c.encoded[:0])
	return c.tx.Put(c.headKey(l.term), bytes.Clone(c.encoded))
}

func (c *changing) changeInline(l *changed, h *head) (err error) {
	if c.after, err = merged(c.after[:0], h.inline, l.changes); err != nil {
		return err
	}
	h.count, h.inline = len(c.after), c.after
	if len(c.after) <= inHead {
		return nil
	}
	h.inline = nil
	h.firsts, err = c.writeBlocks(l.term, c.after, true)
	return err
}

// changeBlocks rewrites the blocks that contain the changes.
func (c *changing) changeBlocks(l *changed, s *stored) error {
	h, changes, blocks := &s.head, l.changes, s.blocks
	var firsts []uint32
	for i, first := range h.firsts {
		last := i == len(h.firsts)-1
		n := len(changes)
		if !last {
			n = sort.Search(n, func(j int) bool { return changes[j].num >= h.firsts[i+1] })
		}
		if n == 0 {
			firsts = append(firsts, first)
			continue
		}
		if blocks[0] == nil {
			return reason(MissingBlock)
		}
		var err error
		if last {
			firsts, err = c.changeLast(l.term, firsts, changes, s)
		} else {
			firsts, err = c.changeBlock(l.term, firsts, first, changes[:n], blocks[0], h)
		}
		if err != nil {
			return err
		}
		changes, blocks = changes[n:], blocks[1:]
	}
	h.firsts = firsts
	return nil
}

// changeBlock rewrites a block, and appends the first numbers of what becomes of it.
func (c *changing) changeBlock(term string, firsts []uint32, first uint32, changes []change, b []byte, h *head) (
	[]uint32, error) {
	var err error
	if c.before, err = blockPostings(c.before[:0], first, b); err != nil {
		return nil, err
	}
	if c.after, err = merged(c.after[:0], c.before, changes); err != nil {
		return nil, err
	}
	h.count += len(c.after) - len(c.before)
	return c.replaceBlock(term, firsts, first, first == h.firsts[len(h.firsts)-1])
}

// changeLast applies changes to the last block. A small one grows, and joins the one before it when it is too large;
// behind a large one another begins.
func (c *changing) changeLast(term string, firsts []uint32, changes []change, s *stored) ([]uint32, error) {
	h := &s.head
	first, b := h.firsts[len(h.firsts)-1], s.blocks[len(s.blocks)-1]
	k, err := readBlock(first, b)
	if err != nil {
		return nil, err
	}
	added := !slices.ContainsFunc(changes, func(d change) bool { return d.n <= 0 }) && changes[0].num > k.last(k.groups()-1)
	if added && len(changes) <= perTail && k.groups()*perGroup > perTail {
		if c.after, err = merged(c.after[:0], nil, changes); err != nil {
			return nil, err
		}
		h.count += len(c.after)
		written, err := c.writeBlocks(term, c.after, true)
		return append(append(firsts, first), written...), err
	}
	if s.joins == nil || len(firsts) == 0 || firsts[len(firsts)-1] != h.firsts[len(h.firsts)-2] {
		return c.changeBlock(term, firsts, first, changes, b, h)
	}
	start := firsts[len(firsts)-1]
	if c.before, err = blockPostings(c.before[:0], start, s.joins); err != nil {
		return nil, err
	}
	if len(c.before) >= perBlock {
		return c.changeBlock(term, firsts, first, changes, b, h)
	}
	if c.before, err = blockPostings(c.before, first, b); err != nil {
		return nil, err
	}
	if c.after, err = merged(c.after[:0], c.before, changes); err != nil {
		return nil, err
	}
	h.count += len(c.after) - len(c.before)
	if err := c.tx.Delete(c.blockKey(term, first)); err != nil {
		return nil, err
	}
	return c.replaceBlock(term, firsts[:len(firsts)-1], start, true)
}

// replaceBlock writes the changed postings in place of the block with a first number.
func (c *changing) replaceBlock(term string, firsts []uint32, first uint32, last bool) ([]uint32, error) {
	written, err := c.writeBlocks(term, c.after, last)
	if err == nil && (len(written) == 0 || written[0] != first) {
		err = c.tx.Delete(c.blockKey(term, first))
	}
	return append(firsts, written...), err
}

// writeBlocks writes postings as blocks. At the end of a list, where it grows,
// blocks are full; elsewhere they have equal sizes.
func (c *changing) writeBlocks(term string, ps []posting, last bool) (firsts []uint32, err error) {
	share := perBlock
	if parts := (len(ps) + perBlock - 1) / perBlock; !last && parts > 1 {
		share = (len(ps) + parts - 1) / parts
	}
	for part := range slices.Chunk(ps, share) {
		first := part[0].num
		c.encoded = appendBlock(c.encoded[:0], part)
		if err := c.tx.Put(c.blockKey(term, first), bytes.Clone(c.encoded)); err != nil {
			return nil, err
		}
		firsts = append(firsts, first)
	}
	return firsts, nil
}

// each calls use with the postings of a list, block by block.
func (x Index) each(tx kv.Tx, term string, h head, use func([]posting)) error {
	if len(h.firsts) == 0 {
		use(h.inline)
		return nil
	}
	prefix := x.blocksOf(term)
	buf := make([]posting, 0, perBlock)
	n := 0
	for item, err := range tx.Scan(kv.Range{Prefix: prefix}) {
		if err != nil {
			return err
		}
		if n == len(h.firsts) || !bytes.Equal(item.Key, x.blockKey(term, h.firsts[n])) {
			return x.corrupt(term, reason(WrongBlocks))
		}
		b, err := item.Value()
		if err != nil {
			return err
		}
		if buf, err = blockPostings(buf[:0], h.firsts[n], b); err != nil {
			return x.corrupt(term, err)
		}
		use(buf)
		n++
	}
	if n < len(h.firsts) {
		return x.corrupt(term, reason(MissingBlock))
	}
	return nil
}
