package search

import (
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
// text opens the next window, and later one moves the texts of the former window into the
// lists, to which no text is added then. Some numbers of each window stay unused.
//
// These texts wait in a space of their own, far from the statistics: a database notes the
// whole page of its index on which a key was read, and adds new keys to pages nearby.
const (
	windowSize   = 512 // numbers of a window
	advanceEvery = 64  // of so many additions, one opens a window or empties the former one
	fullAfter    = 16  // attempts to find a free number, after which the window counts as full
)

// Crowd is a transaction among many that add texts (kv.Crowded).
type Crowd interface {
	Assume(keys ...[]byte)
	Refuted() int64
}

// Slots gives the texts that a process adds to one index different numbers of a window: one
// after the other, from a random one on. Its zero value is ready.
type Slots struct {
	mu      sync.Mutex
	started bool
	window  uint32 // its first number
	next    uint32 // offset in the window
	refuted int64  // assumptions that were wrong when the first number was drawn
}

// take returns a number of a window. After another process had one of the numbers, it
// continues elsewhere.
func (s *Slots) take(window uint32, refuted int64) uint32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.started || s.window != window || s.refuted != refuted {
		s.started, s.window, s.refuted, s.next = true, window, refuted, rand.Uint32N(windowSize)
	}
	num := window + s.next
	s.next = (s.next + 1) % windowSize
	return num
}

// leave lets the next number be a random one.
func (s *Slots) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.started = false
}

// AddApart adds a text and sets its number, like Add. It must not be used for many texts of
// one transaction.
func AddApart(x Index, tx kv.Tx, d *Doc, slots *Slots, crowd Crowd) error {
	n, err := x.numbers(tx)
	if err != nil {
		return err
	}
	for attempt := 0; ; attempt++ {
		if !n.Apart || attempt == 0 && rand.N(advanceEvery) == 0 || attempt > 0 && attempt%fullAfter == 0 {
			if n, err = advance(x, tx, n); err != nil {
				return err
			}
		}
		d.Num = slots.take(n.Window, crowd.Refuted())
		key := waitingKey(x, n, d.Num)
		crowd.Assume(key)
		_, err := tx.Get(key)
		if errors.Is(err, kv.ErrNotFound) {
			return tx.Put(key, d.record())
		}
		if err != nil {
			return err
		}
		slots.leave()
	}
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
	var docs []Doc
	err := waitingIn(x, tx, *n, former, func(d Doc) error {
		docs = append(docs, d)
		return nil
	})
	if err != nil {
		return err
	}
	for _, d := range docs {
		if err := tx.Delete(waitingKey(x, *n, d.Num)); err != nil {
			return err
		}
		n.Texts++
		n.Length += int64(d.Bag.Length)
	}
	n.Folded, n.Next = n.Window, n.Window
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
