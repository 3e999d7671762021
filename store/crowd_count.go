package store

import (
	"maps"
	"slices"
	"time"

	"techo/store/kv"
	"techo/store/search"
)

// # Counts in a database
//
// In a folder the memos, and the events of each calendar, are counted under one key. In a
// database everybody who adds one would change it. There the memos have notes of the tags in
// use instead of counts, and the counts of a calendar have only the levels that are or were in
// use, each as 1. So they rarely change. Who wants to know a number measures it, and who adds
// another tag looks which tags are left. New memos have their keys far from the notes, because
// who reads a key meets those who write on the same page of the index. Copies and backups of a
// database have the counts of a folder.

// countMemo counts a memo that replaces another one; either may be nil. It fails with a
// LimitError if there are too many different tags. The index entries of before are deleted.
func countMemo(tx kv.Tx, before, after *Memo) error {
	if crowded(tx) {
		return noteMemo(tx, after)
	}
	counts, err := loadCounts(tx)
	if err != nil {
		return err
	}
	if before != nil {
		counts.add(before, -1)
	}
	if after != nil {
		counts.add(after, 1)
		if err := counts.limit(); err != nil {
			return err
		}
	}
	return save(tx, memoCountKey.all(), counts)
}

// limit fails with a LimitError if there are too many different tags.
func (c *MemoCounts) limit() error {
	if len(c.Tags) > MaxDistinctTags {
		return &LimitError{What: "different tags", Max: MaxDistinctTags, Got: len(c.Tags)}
	}
	return nil
}

// noteMemo notes the tags of a memo in a database and, if a person chose the time, the time,
// by which later changes are dated.
func noteMemo(tx kv.Tx, m *Memo) error {
	if m == nil || len(m.Tags) == 0 && !hasGivenTime(tx) {
		return nil
	}
	notes, err := loadMemoNotes(tx)
	if err != nil {
		return err
	}
	at := m.UpdatedAt.UnixMilli()
	changed := hasGivenTime(tx) && (at > notes.Latest || notes.Latest == 0)
	if changed {
		notes.Latest = at
	}
	isNew := func(tag string) bool { return notes.Tags[tag] == 0 }
	if slices.ContainsFunc(m.Tags, isNew) {
		if err := notes.lookForTags(tx); err != nil {
			return err
		}
		for _, tag := range m.Tags {
			notes.Tags[tag] = 1
		}
	} else if !changed {
		return nil
	}
	if err := notes.limit(); err != nil {
		return err
	}
	return save(tx, memoNotes.all(), notes)
}

// loadMemoNotes returns the notes about the memos of a database: tags and Latest.
func loadMemoNotes(tx kv.Tx) (notes MemoCounts, err error) {
	err = load(tx, memoNotes.all(), &notes)
	if notes.Tags == nil {
		notes.Tags = map[string]int{}
	}
	return notes, ignoreMissing(err)
}

// lookForTags sets the tags to those that memos have, of those that they may have.
func (c *MemoCounts) lookForTags(tx kv.Tx) error {
	tags, err := possibleTags(tx)
	if err != nil {
		return err
	}
	err = tx.Prefetch(func() (reads kv.Reads) {
		for _, tag := range tags {
			reads.Ranges = append(reads.Ranges, oneKey(memoTagPrefix(tag)))
		}
		return reads
	})
	if err != nil {
		return err
	}
	for _, tag := range tags {
		used, err := anyKey(tx, memoTagPrefix(tag))
		if err != nil {
			return err
		}
		if delete(c.Tags, tag); used {
			c.Tags[tag] = 1
		}
	}
	return nil
}

// possibleTags returns the tags that the memos of a database may have: those that are noted,
// and those that a copy of a folder has brought.
func possibleTags(tx kv.Tx) ([]string, error) {
	notes, err := loadMemoNotes(tx)
	if err != nil {
		return nil, err
	}
	counts, err := loadCounts(tx)
	if err != nil {
		return nil, err
	}
	maps.Copy(counts.Tags, notes.Tags)
	return slices.Sorted(maps.Keys(counts.Tags)), nil
}

// anyKey reports whether any key has one of some prefixes.
func anyKey(tx kv.Tx, prefixes ...[]byte) (bool, error) {
	for _, prefix := range prefixes {
		for _, err := range tx.Scan(oneKey(prefix)) {
			return err == nil, err
		}
	}
	return false, nil
}

func oneKey(prefix []byte) kv.Range { return kv.Range{Prefix: prefix, Limit: 1, KeysOnly: true} }

// hasGivenTime reports whether a person chose the time of a transaction.
func hasGivenTime(tx kv.Tx) bool {
	c, ok := tx.(*changeTx)
	return ok && c.store.given
}

// addsApart reports whether the next text of a transaction enters the search index apart
// from others: the first one in a database, unless it is large, or a person chose the time,
// because the same calls give the same answers then.
func addsApart(tx kv.Tx, bag search.Bag) bool {
	c, ok := tx.(*changeTx)
	if !ok || c.store.given || !crowded(c.Tx) {
		return false
	}
	c.texts++
	return c.texts == 1 && search.FitsApart(bag)
}

// addApart adds a text to a search index in a database. listed is as in search.AddApart.
func addApart(tx kv.Tx, x search.Index, d *search.Doc) (listed uint32, err error) {
	crowd, prefix := crowdOf(tx)
	index := string(prefix) + string(search.NumbersKey(x))
	slots, _ := rootOf(tx.(*changeTx).store).slots.LoadOrStore(index, &search.Slots{})
	return search.AddApart(x, tx, d, slots.(*search.Slots), inCrowd{crowd, prefix})
}

// inCrowd is a transaction of a database, perhaps in a shared space.
type inCrowd struct {
	kv.Crowded
	prefix []byte
}

func (c inCrowd) Assume(keys ...[]byte) { c.Crowded.Assume(prefixed(c.prefix, keys)...) }

// crowdTime returns the time of a change of a memo in a database: by the database's clock,
// unless a person chose the time.
func crowdTime(tx kv.Tx, now time.Time) (time.Time, error) {
	if !hasGivenTime(tx) {
		crowd, _ := crowdOf(tx)
		number, err := crowd.Stamp()
		return stampTime(number), err
	}
	latest, err := latestChange(tx)
	return afterLatest(now, latest), err
}

// latestChange returns the time of the last change of a memo in a database, as
// MemoCounts.Latest.
func latestChange(tx kv.Tx) (int64, error) {
	notes, err := loadMemoNotes(tx)
	if err != nil {
		return 0, err
	}
	latest := notes.Latest
	for item, err := range tx.Scan(oneKey(memosByTime.all())) {
		if err != nil {
			return 0, err
		}
		if at := readTime(rest(item.Key)).UnixMilli(); at > latest || latest == 0 {
			latest = at
		}
	}
	return latest, nil
}

// stampTime returns the time of a number of a database's clock.
func stampTime(number uint64) time.Time {
	return kv.StampEpoch.Add(time.Duration(number) * time.Microsecond).Truncate(time.Millisecond).In(time.Local)
}

// memoTotals returns the counts of the memos, measured in a database.
func memoTotals(tx kv.Tx) (MemoCounts, error) {
	c, err := loadCounts(tx)
	if err != nil || !crowded(tx) {
		return c, err
	}
	tags, err := possibleTags(tx)
	if err != nil {
		return c, err
	}
	all, err := measure(tx, memoPrefixes(tags)...)
	if err != nil {
		return c, err
	}
	c.Memos, c.Tags = 0, map[string]int{}
	for rank := range c.Ranks {
		c.Ranks[rank] = int(all[rank].Keys)
		c.Memos += c.Ranks[rank]
	}
	for i, tag := range tags {
		if n := int(all[TopPriority+i].Keys); n > 0 {
			c.Tags[tag] = n
		}
	}
	return c, nil
}

// memoPrefixes returns the prefixes of the memos of each priority, from the highest, and of
// those with tags.
func memoPrefixes(tags []string) (all [][]byte) {
	for rank := range byte(TopPriority) {
		all = append(all, memoOrder.key(string([]byte{rank})))
	}
	for _, tag := range tags {
		all = append(all, memoTagPrefix(tag))
	}
	return all
}

// listedTotal returns the number of memos in an index.
func listedTotal(tx kv.Tx, prefix []byte, ofFolder func(MemoCounts) int) (int, error) {
	if crowded(tx) {
		all, err := measure(tx, prefix)
		if err != nil {
			return 0, err
		}
		return int(all[0].Keys), nil
	}
	c, err := loadCounts(tx)
	return ofFolder(c), err
}

// tally adds to a count of events of a calendar. In a database it only notes that there are
// some.
func tally(t *eventTx, n *int, by int) {
	if !crowded(t.tx) {
		*n += by
	} else if by > 0 && *n == 0 {
		*n = 1
	}
}

// measureEvents sets the counts of calendars in a database to the numbers of their events.
func measureEvents(tx kv.Tx, calendars ...*Calendar) error {
	if !crowded(tx) {
		return nil
	}
	var counts []*int
	var prefixes [][]byte
	for _, c := range calendars {
		for s, of := range map[space]*[levels]int{singleRecords: &c.Singles, seriesRecords: &c.Series} {
			for level := range of {
				if of[level] > 0 {
					counts = append(counts, &of[level])
					prefixes = append(prefixes, append(s.named(c.key()), byte(level)))
				}
			}
		}
	}
	all, err := measure(tx, prefixes...)
	if err != nil {
		return err
	}
	for i := range counts {
		*counts[i] = int(all[i].Keys)
	}
	return nil
}

// hasEvents reports whether a calendar has events in the store.
func hasEvents(t *eventTx, c *Calendar) (bool, error) {
	if c.Events() == 0 || !crowded(t.tx) {
		return c.Events() > 0, nil
	}
	return anyKey(t.tx, singleRecords.named(c.key()), seriesRecords.named(c.key()))
}

// folderCounts returns the record of a calendar of a database with the counts of a folder.
func folderCounts(tx kv.Tx, key, value []byte) ([]byte, error) {
	c, err := decodeCalendar(key, value)
	if err != nil {
		return value, nil // a damaged one is copied as it is
	}
	if err := measureEvents(tx, &c); err != nil {
		return nil, err
	}
	return encode(c)
}
