package search

import (
	"bytes"
	"encoding/binary"
	"errors"
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
const (
	inHead   = 160  // largest number of postings in the head
	perBlock = 2048 // largest number of postings in a block
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

// readHead decodes a head.
func readHead(b []byte) (h head, err error) {
	f := &fields{rest: b}
	h.count, h.most, h.shortest = int(f.number()), uint32(f.number()), uint32(f.number())
	blocks := f.number()
	switch {
	case f.err != nil || blocks > uint64(len(f.rest)):
		return h, errPostings
	case blocks == 0:
		h.inline, err = readPostings(make([]posting, 0, min(h.count, inHead)), 0, f.rest)
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
	h, err := readHead(b)
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

// change applies the changes of a list, which are sorted by number.
func (x Index) change(tx kv.Tx, l *changed) (err error) {
	h := &l.head
	for _, c := range l.changes {
		if c.n > 0 && (h.most == 0 || c.length < h.shortest) {
			h.shortest = c.length
		}
		h.most = max(h.most, uint32(max(c.n, 0)))
	}
	if len(h.firsts) == 0 {
		err = x.changeInline(tx, l)
	} else {
		err = x.changeBlocks(tx, l)
	}
	if err != nil {
		return x.corrupt(l.term, err)
	}
	if h.count == 0 {
		return tx.Delete(x.headKey(l.term))
	}
	return tx.Put(x.headKey(l.term), h.append(nil))
}

func (x Index) changeInline(tx kv.Tx, l *changed) error {
	h := &l.head
	ps, err := merged(h.inline, l.changes)
	if err != nil {
		return err
	}
	h.count, h.inline = len(ps), ps
	if len(ps) <= inHead {
		return nil
	}
	h.inline = nil
	h.firsts, err = x.writeBlocks(tx, l.term, ps, true)
	return err
}

// changeBlocks rewrites the blocks that contain the changes.
func (x Index) changeBlocks(tx kv.Tx, l *changed) error {
	h, term, changes, blocks := &l.head, l.term, l.changes, l.blocks
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
		before, err := blockPostings(nil, first, blocks[0])
		if err != nil {
			return err
		}
		blocks = blocks[1:]
		after, err := merged(before, changes[:n])
		if err != nil {
			return err
		}
		changes = changes[n:]
		h.count += len(after) - len(before)
		written, err := x.writeBlocks(tx, term, after, last)
		if err != nil {
			return err
		}
		if len(written) == 0 || written[0] != first {
			if err := tx.Delete(x.blockKey(term, first)); err != nil {
				return err
			}
		}
		firsts = append(firsts, written...)
	}
	h.firsts = firsts
	return nil
}

// writeBlocks writes postings as blocks. At the end of a list, where it grows,
// blocks are full; elsewhere they have equal sizes.
func (x Index) writeBlocks(tx kv.Tx, term string, ps []posting, last bool) (firsts []uint32, err error) {
	share := perBlock
	if parts := (len(ps) + perBlock - 1) / perBlock; !last && parts > 1 {
		share = (len(ps) + parts - 1) / parts
	}
	for len(ps) > 0 {
		n := min(share, len(ps))
		first := ps[0].num
		if err := tx.Put(x.blockKey(term, first), appendBlock(nil, ps[:n])); err != nil {
			return nil, err
		}
		firsts = append(firsts, first)
		ps = ps[n:]
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
