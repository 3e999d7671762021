package ledger

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"time"

	"techo/store/kv"
)

// HistoryCounts sums up the history.
type HistoryCounts struct {
	Changes int
	Bytes   int64     // of keys and values
	Oldest  time.Time // zero without changes

	First uint64 // no change has a lower number
	Last  uint64 // the greatest number that was assigned

	tallies []tally // of the changes from number tallied on
	tallied uint64  // untallied if they would be too many
}

// Each write writes all tallies. A team whose members and families make more than mostTallies has none.
const (
	mostTallies = 128
	untallied   = math.MaxUint64
)

// tally is the number of changes of one family of one owner, "" for records that all users share.
type tally struct {
	owner, family string
	changes       int
}

// Take assigns the number of a new change.
func (c *HistoryCounts) Take() uint64 {
	c.Last++
	return c.Last
}

// Add counts a new change.
func (c *HistoryCounts) Add(change *Change) {
	if c.Changes == 0 {
		c.First, c.Oldest = change.ID, change.At
	}
	c.Changes++
	c.Bytes += int64(change.Size)
	c.tally(change.ID, change.Owner, change.Family(), 1)
}

// drop counts a change that is removed.
func (c *HistoryCounts) drop(change *Change) {
	c.Changes--
	c.Bytes -= int64(change.Size)
	c.tally(change.ID, change.Owner, change.Family(), -1)
}

func (c *HistoryCounts) tally(id uint64, owner, family string, n int) {
	if id < c.tallied {
		return
	}
	at := slices.IndexFunc(c.tallies, func(t tally) bool { return t.owner == owner && t.family == family })
	if at < 0 {
		if at = len(c.tallies); at == mostTallies {
			c.tallies, c.tallied = nil, untallied
			return
		}
		c.tallies = append(c.tallies, tally{owner: owner, family: family})
	}
	if c.tallies[at].changes += n; c.tallies[at].changes == 0 {
		c.tallies = slices.Delete(c.tallies, at, at+1)
	}
}

// Seen returns the number of changes of a family, "" for all, without the memories of other users.
// known is false if the store has changes that were recorded before techo counted them so.
func (c *HistoryCounts) Seen(user, family string) (n int, known bool) {
	for _, t := range c.tallies {
		if (t.owner == "" || SameUser(t.owner, user)) && (family == "" || t.family == family) {
			n += t.changes
		}
	}
	return n, c.Tallied()
}

// Tallied reports whether all changes are counted by owner and family.
func (c *HistoryCounts) Tallied() bool { return c.Changes == 0 || c.tallied <= c.First }

// TallyOlder counts by owner and family the newest changes that were not counted so, at most a number of them, or all with
// 0. Those before a damaged one stay uncounted: a write does not fail for it.
func (tx *Tx) TallyOlder(c *HistoryCounts, most int) error {
	if c.Tallied() || c.tallied == untallied {
		return nil
	}
	counted := 0
	older := kv.Range{Prefix: HistoryChanges.All(), From: ChangeKey(c.tallied - 1), Reverse: true, Limit: most}
	for item, err := range tx.Scan(older) {
		var value []byte
		if err == nil {
			value, err = item.Peek()
		}
		if errors.As(err, new(*kv.CorruptError)) {
			return nil
		}
		if err != nil {
			return err
		}
		p, err := PeekChange(item.Key, value)
		if err != nil {
			return nil
		}
		c.tallied = p.ID
		if c.tally(p.ID, string(p.Owner()), p.Family(), 1); c.tallied == untallied {
			return nil
		}
		counted++
	}
	if most == 0 || counted < most {
		c.tallied = 0
	}
	return nil
}

// Recounting returns counts of no changes, with which the same ones can be counted again.
func (c *HistoryCounts) Recounting() HistoryCounts { return HistoryCounts{tallied: c.tallied} }

// SameTallies reports whether two counts agree by owner and family.
func (c *HistoryCounts) SameTallies(other HistoryCounts) bool {
	return len(c.tallies) == len(other.tallies) &&
		!slices.ContainsFunc(c.tallies, func(t tally) bool { return !slices.Contains(other.tallies, t) })
}

// # Records of the counts
//
// The record of the counts has five numbers: changes, bytes, time of the oldest one in milliseconds since
// 1970, first, last. The tallies have a record of their own, because a program that does not know them
// writes to the store as well: the numbers last and changes, which show that it has not done so since,
// tallied, and for each tally two texts and a number. A number is an unsigned varint.

// historyTallies is the key of the tallies.
func historyTallies() []byte { return HistoryCountKey.Key("t") }

// LoadHistoryCounts returns the counts of the history.
func (tx *Tx) LoadHistoryCounts() (c HistoryCounts, err error) {
	values, err := tx.GetMany([][]byte{HistoryCountKey.All(), historyTallies()})
	if err != nil || values[0] == nil {
		return c, err
	}
	err = c.decode(values[0])
	c.decodeTallies(values[1])
	return c, err
}

func (c *HistoryCounts) decode(b []byte) error {
	r := &FieldReader{B: b}
	changes, size, oldest := r.Number(), r.Number(), r.Number()
	c.First, c.Last = r.Number(), r.Number()
	if r.Err != nil || len(r.B) > 0 || changes > math.MaxInt32 || size > math.MaxInt64 {
		return Finding(Unreadable, KindChange, "", r.Err)
	}
	c.Changes, c.Bytes = int(changes), int64(size)
	if changes > 0 {
		c.Oldest = time.UnixMilli(int64(oldest))
	}
	return nil
}

// decodeTallies sets the tallies. If another program has changed the history since, or they cannot be read, they begin
// with the next change.
func (c *HistoryCounts) decodeTallies(b []byte) {
	c.tallied = c.Last + 1
	r := &FieldReader{B: b}
	last, changes, from := r.Number(), r.Number(), r.Number()
	if last != c.Last || changes != uint64(c.Changes) {
		return
	}
	var tallies []tally
	for r.Err == nil && len(r.B) > 0 {
		t := tally{owner: r.Text(), family: r.Text()}
		t.changes = int(min(r.Number(), math.MaxInt32))
		tallies = append(tallies, t)
	}
	if r.Err == nil {
		c.tallies, c.tallied = tallies, from
	}
}

// Save writes the counts.
func (c *HistoryCounts) Save(tx *Tx) error {
	if err := tx.Put(HistoryCountKey.All(), c.encode()); err != nil {
		return err
	}
	return tx.Put(historyTallies(), c.encodeTallies())
}

func (c *HistoryCounts) encode() (b []byte) {
	oldest := uint64(0)
	if c.Changes > 0 {
		oldest = uint64(max(c.Oldest.UnixMilli(), 0))
	}
	for _, n := range []uint64{uint64(c.Changes), uint64(c.Bytes), oldest, c.First, c.Last} {
		b = binary.AppendUvarint(b, n)
	}
	return b
}

func (c *HistoryCounts) encodeTallies() (b []byte) {
	for _, n := range []uint64{c.Last, uint64(c.Changes), c.tallied} {
		b = binary.AppendUvarint(b, n)
	}
	for _, t := range c.tallies {
		b = binary.AppendUvarint(AppendText(AppendText(b, t.owner), t.family), uint64(t.changes))
	}
	return b
}
