package search

import (
	"errors"
	"math/rand/v2"

	"techo/store/kv"
)

// # Adding apart
//
// In a database, many machines add texts at once. If each of them took the next number and
// counted its text in the statistics, all of them would write the same key. There a new text
// takes any free number of a window, and the statistics do not count the texts that wait.
// Searches read all of those anyway, and add what they count. Now and then one that adds a
// text moves the waiting ones into the lists. Some numbers of each window stay unused.
//
// These texts wait in a space of their own, far from the statistics: a database notes the
// whole page of its index on which a key was read, and adds new keys to pages nearby.
const (
	windowSize = 512 // numbers from which new texts take one
	foldEvery  = 64  // of so many additions, one looks whether to fold
	foldFrom   = 64  // waiting texts that are folded then
	fullAfter  = 16  // attempts to find a free number, after which the window counts as full
)

// AddApart adds a text and sets its number, like Add. assume notes keys that are probably
// free (kv.Crowded). It must not be used for many texts of one transaction.
func AddApart(x Index, tx kv.Tx, d *Doc, assume func(keys ...[]byte)) error {
	n, err := x.numbers(tx)
	if err != nil {
		return err
	}
	if !n.Apart || rand.N(foldEvery) == 0 {
		if n, err = foldApart(x, tx, n, foldFrom); err != nil {
			return err
		}
	}
	for attempt := 1; ; attempt++ {
		if attempt%fullAfter == 0 {
			if n, err = foldApart(x, tx, n, 1); err != nil {
				return err
			}
		}
		d.Num = n.Folded + rand.Uint32N(windowSize)
		key := waitingKey(x, n, d.Num)
		assume(key)
		_, err := tx.Get(key)
		if errors.Is(err, kv.ErrNotFound) {
			return tx.Put(key, d.record())
		}
		if err != nil {
			return err
		}
	}
}

// foldApart moves the waiting texts into the lists if there are least, or if the statistics
// count them, and returns the new statistics.
func foldApart(x Index, tx kv.Tx, n numbers, least int) (numbers, error) {
	waiting := kv.Range{Prefix: waitingPrefix(x, n), Limit: windowSize + 1}
	if err := tx.Prefetch(func() kv.Reads { return kv.Reads{Ranges: []kv.Range{waiting}} }); err != nil {
		return n, err
	}
	if n.Apart {
		if all, err := counted(x, tx, n); err != nil || all.Waiting < least {
			return n, err
		}
	}
	n.Version = version
	if err := x.fold(tx, &n, nil); err != nil {
		return n, err
	}
	n.Apart = true
	return n, x.saveNumbers(tx, n)
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
