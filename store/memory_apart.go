package store

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"

	"techo/store/kv"
	"techo/store/search"
)

// # Memories that are added apart
//
// In a database many machines add memories of one user at once. The end of the timeline, the
// count of the user and the statistics of the search index would be keys that all of them
// change. There the text of a new memory waits apart from others (package search), and so does
// its moment, under the number of the text. Whoever moves texts into the lists moves their
// moments into the timeline as well. The record of the user has a flag that moments may wait,
// and 1 instead of the number of memories, which is measured.

// apartKey is the key of the moment of a text that was added apart.
func apartKey(user, text uint32) []byte {
	return binary.BigEndian.AppendUint32(apartMoments.ofUser(user), text)
}

// putApart writes a moment that waits:
//
//	time, 8 bytes; id
func (l timeline) putApart(tx kv.Tx, m moment) error {
	value := append(binary.BigEndian.AppendUint64(nil, uint64(m.at)), m.id...)
	return tx.Put(apartKey(l.user, m.text), value)
}

// readApart decodes a moment that waits.
func readApart(key, value []byte) (m moment, err error) {
	_, tail, ok := cutUser(key)
	if !ok || len(tail) != 4 || len(value) < 8 {
		return m, finding(Unreadable, KindMemory, string(key), nil)
	}
	text := binary.BigEndian.Uint32(tail)
	return moment{int64(binary.BigEndian.Uint64(value)), text, text, string(value[8:])}, nil
}

// waiting returns the moments that wait, sorted.
func (l timeline) waiting(tx kv.Tx) ([]moment, error) {
	if !l.apart {
		return nil, nil
	}
	return momentsIn(tx, kv.Range{Prefix: apartMoments.ofUser(l.user)})
}

// momentsIn returns the moments that wait in a range, sorted.
func momentsIn(tx kv.Tx, in kv.Range) (all []moment, err error) {
	for p, err := range kv.Pairs(tx, in) {
		if err != nil {
			return nil, err
		}
		m, err := readApart(p.Key, p.Value)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	slices.SortFunc(all, moment.compare)
	return all, nil
}

// momentsAhead returns the range of the moments of a user that wait, to announce it.
func momentsAhead(user uint32) kv.Range {
	return kv.Range{Prefix: apartMoments.ofUser(user), Limit: search.MayWaitApart + 1}
}

// waits reports whether a moment waits.
func (l timeline) waits(tx kv.Tx, m moment) (bool, error) {
	if !l.apart {
		return false, nil
	}
	_, err := tx.Get(apartKey(l.user, m.text))
	return err == nil, ignoreMissing(err)
}

// arrange moves the moments of the texts before one into the timeline.
func (l timeline) arrange(tx kv.Tx, before uint32) error {
	former := kv.Range{Prefix: apartMoments.ofUser(l.user), To: apartKey(l.user, before)}
	ahead := former
	ahead.Limit = search.MayWaitApart
	if err := tx.Prefetch(func() kv.Reads { return kv.Reads{Ranges: []kv.Range{ahead}} }); err != nil {
		return err
	}
	all, err := momentsIn(tx, former)
	if err != nil {
		return err
	}
	for _, m := range all {
		if err := tx.Delete(apartKey(l.user, m.text)); err != nil {
			return err
		}
	}
	if err := announceInserts(tx, map[timeline][]moment{l: all}); err != nil {
		return err
	}
	return l.insert(tx, all)
}

// joining returns a use for runs that also passes on sorted moments, each with the run before
// which it lies, and a function that passes on the rest. The runs are in order, or with back
// in the reverse order.
func joining(waiting []moment, back bool, use func([]moment) error) (joined func([]moment) error, last func() error) {
	joined = func(run []moment) error {
		n := 0
		if back {
			n, _ = slices.BinarySearchFunc(waiting, run[0], moment.compare)
			run, waiting = slices.Concat(run, waiting[n:]), waiting[:n]
		} else {
			n, _ = slices.BinarySearchFunc(waiting, run[len(run)-1], moment.compare)
			run, waiting = slices.Concat(run, waiting[:n]), waiting[n:]
		}
		slices.SortFunc(run, moment.compare)
		return use(run)
	}
	return joined, func() error {
		if len(waiting) == 0 {
			return nil
		}
		return use(waiting)
	}
}

// count returns the number of memories of a user.
func (u memoryUser) count(tx kv.Tx) (int, error) {
	if u.Memories == 0 || !crowded(tx) {
		return u.Memories, nil
	}
	return search.Texts(tx, u.index())
}

// tally adds to the count of the memories of a user. In a database it only notes that there
// are some.
func (u *memoryUser) tally(tx kv.Tx, by int) {
	if !crowded(tx) {
		u.Memories += by
	} else if by > 0 {
		u.Memories = 1
	}
}

// save saves the record of a user unless it is stored already.
func (u memoryUser) save(tx kv.Tx) error {
	stored, err := loadMemoryUser(tx, u.Name, false)
	if err != nil || stored == u {
		return err
	}
	return save(tx, memoryUserKey(u.Name), u)
}

// drawnFrom is how many numbers a new user of a database draws one of. A copy in a folder counts
// from the greatest one on, so there must be room for many copies.
const drawnFrom = 1 << 20

// numberApart returns a number for a new user of a database, which is greater than after. No
// key counts the users.
func numberApart(tx kv.Tx, after uint32) (uint32, error) {
	for {
		number := after + 1 + rand.Uint32N(drawnFrom)
		key := drawnKey(number)
		assume(tx, key)
		_, err := tx.Get(key)
		if errors.Is(err, kv.ErrNotFound) {
			return number, tx.Put(key, nil)
		}
		if err != nil {
			return 0, err
		}
	}
}

// folderUserCount returns the number of users of a database as a folder counts them: the
// greatest number that was counted, or that a user has drawn.
func folderUserCount(tx kv.Tx, value []byte) ([]byte, error) {
	var greatest uint32
	if err := json.Unmarshal(value, &greatest); err != nil {
		return value, nil // a damaged one is copied as it is
	}
	for p, err := range kv.Pairs(tx, kv.Range{Prefix: memoryUsers.all()}) {
		if err != nil {
			return nil, err
		}
		var u memoryUser
		if json.Unmarshal(p.Value, &u) != nil || u.Number <= greatest {
			continue // a check finds a damaged one
		}
		if _, err := tx.Get(drawnKey(u.Number)); err == nil {
			greatest = u.Number
		} else if !errors.Is(err, kv.ErrNotFound) {
			return nil, err
		}
	}
	return encode(greatest)
}

// folderUser returns the record of a user of a database with the count of a folder.
func folderUser(tx kv.Tx, value []byte) ([]byte, error) {
	var u memoryUser
	if err := json.Unmarshal(value, &u); err != nil {
		return value, nil // a damaged one is copied as it is
	}
	var err error
	if u.Memories, err = u.count(tx); err != nil {
		return nil, err
	}
	return encode(u)
}
