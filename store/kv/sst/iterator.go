package sst

import (
	"github.com/dgraph-io/badger/v4/y"

	"techo/store/kv/disk"
)

// tableIterator iterates over the entries of a mapped table in one direction. It panics
// over damage that no checksum shows, and over a page that cannot be read.
type tableIterator struct {
	file *tableFile
	back bool

	block  tableBlock
	number int // of the block
	at     int // the entry's number in the block
	passed int // number of the block from which the pages are not dropped yet; -1 before the first block

	ok      bool          // the iterator is at an entry
	damaged bool          // the block of the entry has a wrong checksum, so ok is false
	key     []byte        // with its version
	entry   y.ValueStruct // its value lies in the mapped file
}

// rewind moves to the first entry in the iterator's direction.
func (c *tableIterator) rewind() {
	if c.back {
		c.enter(c.file.indexed.count-1, -1)
	} else {
		c.enter(0, 0)
	}
}

// seek moves to the first entry in the iterator's direction that is not before a key.
func (c *tableIterator) seek(key []byte) {
	if c.enter(max(c.file.indexed.holding(key), 0), 0); !c.ok {
		return
	}
	n, found := c.block.search(key)
	if c.back && !found {
		n--
	}
	c.move(n)
}

func (c *tableIterator) next() {
	if c.back {
		c.move(c.at - 1)
	} else {
		c.move(c.at + 1)
	}
}

// move moves to an entry of the block. The one before its first is the last of the block
// before, the one behind its last is the first of the block behind.
func (c *tableIterator) move(at int) {
	switch {
	case at < 0:
		c.enter(c.number-1, -1)
	case at >= c.block.count():
		c.enter(c.number+1, 0)
	default:
		shared, own, rest := c.block.split(at)
		c.at = at
		c.key = append(append(c.key[:0], c.block.base[:shared]...), own...)
		c.entry.Decode(rest)
	}
}

// enter moves to an entry of another block, -1 is its last one.
func (c *tableIterator) enter(number, at int) {
	if c.ok = number >= 0 && number < c.file.indexed.count; !c.ok {
		return
	}
	if c.block, c.ok = c.file.block(number); !c.ok {
		c.damaged = true
		return
	}
	c.number = number
	c.dropPassed()
	if at < 0 {
		at = c.block.count() - 1
	}
	c.move(at)
}

// dropAfter is the number of bytes behind an iterator after which their pages are dropped: a scan of a large
// store takes no more memory than one of a small store.
const dropAfter = 256 << 10

// dropPassed drops the pages that the iterator has passed, if there are many.
func (c *tableIterator) dropPassed() {
	if c.passed < 0 {
		c.passed = c.number
	}
	from, to := c.file.offset(c.passed), c.file.offset(c.number)
	if from, to = min(from, to), max(from, to); to-from > dropAfter {
		disk.DropMapped(c.file.mapped.Data[from/stretch*stretch : to/stretch*stretch])
		c.passed = c.number
	}
}
