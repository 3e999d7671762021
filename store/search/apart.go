package search

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"sync"

	"techo/store/kv"
)

// # Adding apart
//
// In a database, many machines add texts at once. If each of them took the next number and
// counted its text in the statistics, all of them would write the same key. There a new text
// takes any free number of a window, and the statistics do not count the texts that wait.
// Searches read all of those anyway, and add what they count. Now and then one that adds a
// text opens the next window. A later one moves the texts of the former window, in which no
// number is taken any more, into the lists. Some numbers of each window stay unused.
//
// These texts wait in a space of their own, far from the statistics: a database notes the
// whole page of its index on which a key was read, and adds new keys to pages nearby.
const (
	windowSize   = 512            // numbers of a window
	mayFill      = windowSize / 2 // numbers that may be taken before the next window is opened
	advanceEvery = 64             // of so many additions, one opens a window or empties the former one
)

// maxApart is the size of the terms of a text, in bytes, from which it does not wait apart.
// Searches read all that waits, and larger values one by one.
const maxApart = 32 << 10

// FitsApart reports whether a text may be added apart.
func FitsApart(bag Bag) bool {
	size := 0
	for _, t := range bag.Terms {
		size += len(t.Term) + 4 // in a record also its count and length
	}
	return size < maxApart
}

// advances reports whether an addition opens a window or empties the former one: one of
// advanceEvery, or of a part of mayWaitBytes.
func advances(d *Doc) bool {
	return rand.Float64() < 1.0/advanceEvery+float64(len(d.record()))*2/mayWaitBytes
}

// MayWaitApart is the number of texts that may wait apart.
const MayWaitApart = 2 * windowSize

// Crowd is a transaction among many that add texts (kv.Crowded).
type Crowd interface {
	Assume(keys ...[]byte)
	Retried() bool
}

// Slots gives the texts that a process adds to one index different numbers of a window: one
// after the other, from a random one on, without those that are known to be taken. Its zero
// value is ready.
type Slots struct {
	mu     sync.Mutex
	window uint32           // its first number
	next   uint32           // offset in the window
	given  int              // numbers of the window that were given; 0 before the first one
	taken  [windowSize]bool // by offset
}

// take returns a number of a window, and how many it has given.
func (s *Slots) take(window uint32) (num uint32, given int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enter(window)
	return s.give(), s.given
}

// enter begins a window unless it is the present one.
func (s *Slots) enter(window uint32) {
	if s.given == 0 || s.window != window {
		s.window, s.given, s.next = window, 0, rand.Uint32N(windowSize)
		clear(s.taken[:])
	}
}

// give returns the next number that is not known to be taken, or just the next one if all are.
func (s *Slots) give() (num uint32) {
	for range windowSize {
		if !s.taken[s.next] {
			break
		}
		s.next = (s.next + 1) % windowSize
	}
	num = s.window + s.next
	s.taken[s.next] = true
	s.next = (s.next + 1) % windowSize
	s.given++
	return num
}

// takeBeside returns a number of a window that is not among the taken ones, from a random one
// on: others take those that follow the last one.
func (s *Slots) takeBeside(window uint32, taken map[uint32]bool) (num uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enter(window)
	s.note(taken)
	s.next = rand.Uint32N(windowSize)
	if num = s.give(); !taken[num] {
		return num
	}
	clear(s.taken[:]) // all others were given, but some of them have no text
	s.note(taken)
	return s.give()
}

// note notes that numbers are taken.
func (s *Slots) note(taken map[uint32]bool) {
	for num := range taken {
		if offset := num - s.window; offset < windowSize {
			s.taken[offset] = true
		}
	}
}

// AddApart adds a text and sets its number, like Add. It must not be used for many texts of
// one transaction. If it has moved texts into the lists, these are the texts with numbers below
// listed; otherwise listed is 0.
func AddApart(x Index, tx kv.Tx, d *Doc, slots *Slots, crowd Crowd) (listed uint32, err error) {
	before, err := x.numbers(tx)
	n := before
	if err == nil && (!n.Apart || advances(d)) {
		n, err = advance(x, tx, n)
	}
	if err == nil {
		n, err = addTo(x, tx, n, d, slots, crowd)
	}
	if n.Folded != before.Folded {
		listed = n.Folded
	}
	return listed, err
}

// addTo adds a text to the window, or to a later one. It returns the new statistics.
func addTo(x Index, tx kv.Tx, n numbers, d *Doc, slots *Slots, crowd Crowd) (numbers, error) {
	if crowd.Retried() { // perhaps another process had taken its number
		return addToWindow(x, tx, n, d, slots)
	}
	given := 0
	if d.Num, given = slots.take(n.Window); given > mayFill {
		return addToWindow(x, tx, n, d, slots)
	}
	key := waitingKey(x, n, d.Num)
	crowd.Assume(key)
	_, err := tx.Get(key)
	if errors.Is(err, kv.ErrNotFound) {
		return n, tx.Put(key, d.record())
	}
	if err == nil {
		n, err = addToWindow(x, tx, n, d, slots)
	}
	return n, err
}

// addToWindow adds a text after it has read which numbers of the window are taken. If many
// are, it opens the next window. It returns the new statistics.
func addToWindow(x Index, tx kv.Tx, n numbers, d *Doc, slots *Slots) (numbers, error) {
	taken, err := takenIn(x, tx, n)
	for err == nil && len(taken) >= mayFill {
		if n, err = advance(x, tx, n); err == nil {
			taken, err = takenIn(x, tx, n)
		}
	}
	if err != nil {
		return n, err
	}
	d.Num = slots.takeBeside(n.Window, taken)
	return n, tx.Put(waitingKey(x, n, d.Num), d.record())
}

// takenIn returns the numbers of the window that texts have.
func takenIn(x Index, tx kv.Tx, n numbers) (map[uint32]bool, error) {
	window := kv.Range{Prefix: waitingPrefix(x, n), From: waitingKey(x, n, n.Window), KeysOnly: true}
	taken := map[uint32]bool{}
	for item, err := range tx.Scan(window) {
		if err != nil {
			return nil, err
		}
		taken[binary.BigEndian.Uint32(item.Key[len(window.Prefix):])] = true
	}
	return taken, nil
}

// advance opens the next window or, if there is a former one, moves its texts into the lists.
// It returns the new statistics.
func advance(x Index, tx kv.Tx, n numbers) (numbers, error) {
	switch {
	case !n.Apart:
		n.Version = version
		if err := x.fold(tx, &n, nil); err != nil {
			return n, err
		}
		n.Apart, n.Window = true, n.Folded
	case n.Window == n.Folded:
		n.Window += windowSize
	default:
		if err := foldWindow(x, tx, &n); err != nil {
			return n, err
		}
	}
	return n, x.saveNumbers(tx, n)
}

// foldWindow moves the texts of the former window into the lists.
func foldWindow(x Index, tx kv.Tx, n *numbers) error {
	former := kv.Range{Prefix: waitingPrefix(x, *n), To: waitingKey(x, *n, n.Window), Limit: windowSize + 1}
	if err := tx.Prefetch(func() kv.Reads { return kv.Reads{Ranges: []kv.Range{former}} }); err != nil {
		return err
	}
	docs, err := takeWaiting(x, tx, n, former)
	if err != nil {
		return err
	}
	n.Waiting, n.Bytes, n.Folded, n.Next = 0, 0, n.Window, n.Window
	if len(docs) == 0 {
		return nil
	}
	return x.apply(tx, docs, 1)
}

// counted returns the statistics of all texts.
func counted(x Index, tx kv.Tx, n numbers) (numbers, error) {
	if !n.Apart {
		return n, nil
	}
	err := x.waiting(tx, n, func(d Doc) error {
		n.count(d)
		return nil
	})
	return n, err
}

// count counts a waiting text.
func (n *numbers) count(d Doc) {
	n.Next = max(n.Next, d.Num+1)
	n.Texts++
	n.Length += int64(d.Bag.Length)
	n.Waiting++
	n.Bytes += len(d.record())
}

// allNumbers returns the statistics of all texts.
func allNumbers(x Index, tx kv.Tx) (numbers, error) {
	n, err := x.numbers(tx)
	if err != nil {
		return n, err
	}
	return counted(x, tx, n)
}

// Texts returns the number of texts of an index.
func Texts(tx kv.Tx, x Index) (int, error) {
	n, err := x.numbers(tx)
	if err != nil || !n.Apart {
		return n.Texts, err
	}
	for _, err := range tx.Scan(waitingKeys(x)) {
		if err != nil {
			return 0, err
		}
		n.Texts++
	}
	return n.Texts, nil
}

// TextsReads returns the reads of Texts.
func TextsReads(x Index) kv.Reads {
	waiting := waitingKeys(x)
	waiting.Limit = MayWaitApart + 1
	return kv.Reads{Keys: [][]byte{NumbersKey(x)}, Ranges: []kv.Range{waiting}}
}

// waitingKeys returns the range of the texts that wait apart.
func waitingKeys(x Index) kv.Range { return kv.Range{Prefix: x.key(apartPrefix), KeysOnly: true} }
